import GroveModel

/// Bytes that live until the record that put them there is finished: a stack of chunks that never move.
@safe
struct ScratchArena: ~Copyable {
    private var chunks: [UnsafeMutableRawBufferPointer] = unsafe []
    private var chunk = 0
    private var used = 0

    private static let chunkSize = 16 << 10
    private static let retainedChunks = 2

    /// A place in the arena, as one number: chunks are far smaller than 2⁴⁰ bytes.
    struct Mark: Equatable {
        let rawValue: Int

        init(rawValue: Int) { self.rawValue = rawValue }

        fileprivate init(chunk: Int, used: Int) { rawValue = chunk << 40 | used }
        fileprivate var chunk: Int { rawValue >> 40 }
        fileprivate var used: Int { rawValue & (1 << 40 - 1) }
    }

    deinit { for index in unsafe 0..<chunks.count { unsafe chunks[index].deallocate() } }

    /// The current end of the arena; ``release(to:)`` frees what was kept since.
    var mark: Mark { Mark(chunk: chunk, used: used) }

    mutating func releaseAll() { release(to: Mark(chunk: 0, used: 0)) }

    mutating func release(to mark: Mark) {
        guard mark != self.mark else { return }
        chunk = mark.chunk
        used = mark.used
        // A read of something enormous must not hold its memory for ever.
        while unsafe chunks.count > chunk + 4, let last = unsafe chunks.popLast() { unsafe last.deallocate() }
    }

    /// Releases everything, and gives back what a usual read does not need.
    mutating func reset() {
        releaseAll()
        var index = unsafe chunks.count - 1
        while index >= 0 {
            if unsafe index >= ScratchArena.retainedChunks || chunks[index].count > ScratchArena.chunkSize {
                unsafe chunks[index].deallocate()
                unsafe chunks.remove(at: index)
            }
            index -= 1
        }
    }

    /// The bytes of heap that the chunks hold.
    var allocatedByteCount: Int { unsafe chunks.reduce(0) { $0 + $1.count } }

    /// A copy of `bytes` that stays where it is until the arena is released below it.
    mutating func keep(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        while unsafe chunk < chunks.count, unsafe used + bytes.count > chunks[chunk].count {
            chunk += 1
            used = 0
        }
        if unsafe chunk == chunks.count {
            unsafe chunks.append(
                .allocate(byteCount: max(bytes.count, ScratchArena.chunkSize), alignment: 8))
        }
        let target = unsafe UnsafeMutableRawBufferPointer(rebasing: chunks[chunk][used..<(used + bytes.count)])
        unsafe target.copyMemory(from: bytes)
        used += bytes.count
        return UnsafeRawBufferPointer(target)
    }
}

/// Writes the state of a policy: little-endian words, framed by a header and a checksum.
///
/// ```
/// 8  "GrovePol"
/// 4  policy: its own four characters      4  version of that policy's state
/// …  the policy's
/// 8  checksum of everything before
/// ```
package struct PolicyStateWriter {
    private(set) var bytes: [UInt8]

    package init(policy: UInt32, version: UInt32 = 1, reserving count: Int) {
        bytes = Array("GrovePol".utf8)
        bytes.reserveCapacity(count + 32)
        word(policy)
        word(version)
    }

    package mutating func word<Word: FixedWidthInteger>(_ value: Word) {
        var rest = value.littleEndian
        unsafe withUnsafeBytes(of: &rest) { unsafe bytes.append(contentsOf: $0) }
    }

    /// A queue: how many entries, then each, the oldest first.
    package mutating func queue(_ queue: EntryQueue, of arena: EntryArena) {
        word(UInt64(queue.count))
        arena.forEach(in: queue) {
            word($0.key)
            word($0.weight)
            word($0.mark)
        }
    }

    package consuming func finished() -> [UInt8] {
        let sum = PolicyStateReader.checksum(of: bytes, count: bytes.count)
        word(sum)
        return bytes
    }
}

/// Reads what ``PolicyStateWriter`` wrote; `nil` for whatever is not there.
package struct PolicyStateReader {
    private let bytes: [UInt8]
    private var offset = 8
    private var end: Int

    package init?(_ bytes: [UInt8], policy: UInt32, version: UInt32 = 1) {
        guard bytes.count >= 24, bytes.starts(with: Array("GrovePol".utf8)) else { return nil }
        self.bytes = bytes
        end = bytes.count
        offset = end - 8
        guard let sum: UInt64 = word(), sum == Self.checksum(of: bytes, count: end - 8) else { return nil }
        (offset, end) = (8, end - 8)
        guard let foundPolicy: UInt32 = word(), foundPolicy == policy else { return nil }
        guard let foundVersion: UInt32 = word(), foundVersion == version else { return nil }
    }

    /// Whether everything was read.
    package var isAtEnd: Bool { offset == end }

    @inline(__always)
    package mutating func word<Word: FixedWidthInteger & BitwiseCopyable>(_ type: Word.Type = Word.self) -> Word? {
        let start = offset
        guard end - start >= MemoryLayout<Word>.size else { return nil }
        offset = start + MemoryLayout<Word>.size
        let value = unsafe bytes.withUnsafeBytes { unsafe $0.loadUnaligned(fromByteOffset: start, as: Word.self) }
        return Word(littleEndian: value)
    }

    /// A count of things of `size` bytes, no more than can follow.
    package mutating func count(ofSize size: Int) -> Int? {
        guard let count: UInt64 = word(), count <= UInt64((end - offset) / size) else { return nil }
        return Int(count)
    }

    /// Appends a queue's entries to an empty queue; `false` where one is there twice or `isValid` does not like it.
    package mutating func queue(
        into queue: inout EntryQueue, of arena: inout EntryArena, where isValid: (UInt32) -> Bool
    ) -> Bool {
        guard let count = count(ofSize: 16) else { return false }
        for _ in 0..<count {
            guard let key: UInt64 = word(), let weight: UInt32 = word(), let mark: UInt32 = word(),
                weight > 0, isValid(mark), arena.find(key) == nil
            else { return false }
            arena.add(key, weight: weight, mark: mark, to: &queue)
        }
        return true
    }

    /// The checksum of the first `count` bytes.
    static func checksum(of bytes: [UInt8], count: Int) -> UInt64 {
        var sum: UInt64 = 0xcbf2_9ce4_8422_2325 ^ UInt64(count)
        unsafe bytes.withUnsafeBytes { bytes in
            var offset = 0
            while count - offset >= 8 {
                let word = unsafe bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                sum = mixedHash(sum ^ UInt64(littleEndian: word))
                offset += 8
            }
            var rest: UInt64 = 0
            while offset < count {
                rest = unsafe rest << 8 | UInt64(bytes[offset])
                offset += 1
            }
            sum = mixedHash(sum ^ rest)
        }
        return sum
    }
}

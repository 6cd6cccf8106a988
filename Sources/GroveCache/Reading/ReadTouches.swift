import GroveCoding

/// The hashes of the keys under which a read found something, in order.
struct ReadTouches: ~Copyable {
    private var hashes: ContiguousArray<UInt64> = []

    /// The most hashes for which a reader at rest keeps its memory.
    private static let mostAtRest = ReadState.retainedBytes / MemoryLayout<UInt64>.size

    /// Notes that the read found something under `key`.
    @inline(never)
    mutating func note(_ key: UnsafeRawBufferPointer) { unsafe hashes.append(Evictor.hash(key)) }

    /// Moves them to `findings` for the writer; returns whether it should take them now.
    mutating func hand(to findings: inout Readers.Findings) -> Bool {
        defer { hashes.removeAll(keepingCapacity: hashes.count <= ReadTouches.mostAtRest) }
        // Past that the writer is too far behind for hits to matter.
        guard findings.touches.count <= TouchLimit.most else { return false }
        findings.touches += hashes
        guard findings.touches.count >= TouchLimit.batch, !findings.isTold else { return false }
        findings.isTold = true
        return true
    }
}

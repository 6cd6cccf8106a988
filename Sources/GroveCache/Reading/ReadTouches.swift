import GroveCoding

/// The hashes of the keys under which a read found something, in order.
struct ReadTouches: ~Copyable {
    private var hashes = ByteBuffer(capacity: 64)

    private static let bytesOfHash = MemoryLayout<UInt64>.size

    deinit { hashes.deallocate() }

    /// Notes that the read found something under `key`.
    @inline(never)
    mutating func note(_ key: UnsafeRawBufferPointer) { unsafe hashes.append(littleEndian: Evictor.hash(key)) }

    /// Moves them to `findings` for the writer; returns whether it should take them now.
    mutating func hand(to findings: inout Readers.Findings) -> Bool {
        defer { forget() }
        // Past that the writer is too far behind for hits to matter.
        guard findings.touches.count <= TouchLimit.most else { return false }
        let bytes = unsafe hashes.bytes
        for offset in stride(from: 0, to: bytes.count, by: ReadTouches.bytesOfHash) {
            let hash = unsafe bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            findings.touches.append(UInt64(littleEndian: hash))
        }
        guard findings.touches.count >= TouchLimit.batch, !findings.isTold else { return false }
        findings.isTold = true
        return true
    }

    private mutating func forget() {
        hashes.removeAll()
        if hashes.allocatedByteCount > ReadState.retainedBytes { hashes.removeAll(keeping: 64) }
    }
}

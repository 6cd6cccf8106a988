/// A value whose bytes stay at one address as long as there is a reference to it.
// SAFETY: the memory is written in the initialiser; a flaw alone clears it, in the transaction that made it.
@safe final class ReferenceBytes: @unchecked Sendable {
    private let memory: UnsafeMutableRawBufferPointer

    init(_ bytes: [UInt8]) {
        unsafe memory = .allocate(byteCount: bytes.count, alignment: 1)
        unsafe memory.copyBytes(from: bytes)
    }

    deinit { unsafe memory.deallocate() }

    /// The value, valid as long as this object.
    var borrowed: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(memory) }

    /// How many bytes there are.
    var count: Int { unsafe memory.count }

    /// A copy of the value.
    var bytes: [UInt8] { unsafe Array(memory) }
}

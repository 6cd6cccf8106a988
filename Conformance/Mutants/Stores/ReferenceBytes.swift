/// A value that stays where it is as long as somebody holds it.
@safe final class ReferenceBytes: @unchecked Sendable {
    // SAFETY: the memory is written in the initialiser and never changed.

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

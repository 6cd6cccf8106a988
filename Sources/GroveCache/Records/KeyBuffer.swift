import GroveCoding

/// A store's key while it is put together: one byte of ``Namespace`` and a name.
struct KeyBuffer: ~Copyable {
    private var buffer = ByteBuffer(capacity: 256)

    deinit { buffer.deallocate() }

    var bytes: UnsafeRawBufferPointer { unsafe buffer.bytes }

    mutating func set(_ namespace: UInt8, _ name: UnsafeRawBufferPointer) {
        buffer.removeAll()
        buffer.append(namespace)
        unsafe buffer.append(name)
    }
}

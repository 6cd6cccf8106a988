/// A store's key while it is put together: one byte of ``Namespace`` and a name.
@usableFromInline
package struct KeyBuffer: ~Copyable {
    @usableFromInline var buffer = ByteBuffer(capacity: 256)

    package init() {}

    deinit { buffer.deallocate() }

    @inlinable
    package var bytes: UnsafeRawBufferPointer { unsafe buffer.bytes }

    @inlinable
    package mutating func set(_ namespace: UInt8, _ name: UnsafeRawBufferPointer) {
        buffer.removeAll()
        buffer.append(namespace)
        unsafe buffer.append(name)
    }
}

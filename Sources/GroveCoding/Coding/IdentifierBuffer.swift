/// A buffer in which the bytes of one identifier are put together.
public struct IdentifierBuffer: ~Copyable {
    package var buffer: ByteBuffer

    package init() { buffer = ByteBuffer(capacity: 256) }

    deinit { buffer.deallocate() }

    /// Appends the UTF-8 of `text`.
    public mutating func append(_ text: String) {
        let written: Void? = unsafe text.utf8.withContiguousStorageIfAvailable {
            unsafe buffer.append(UnsafeRawBufferPointer($0))
        }
        guard written == nil else { return }
        for byte in text.utf8 { buffer.append(byte) }
    }

    /// Appends `number` in decimal.
    @inlinable
    public mutating func append(_ number: some FixedWidthInteger) {
        guard let magnitude = UInt64(exactly: number.magnitude) else { return append(String(number)) }
        appendDecimal(magnitude, isNegative: number < 0)
    }

    @usableFromInline
    mutating func appendDecimal(_ magnitude: UInt64, isNegative: Bool) {
        if isNegative { buffer.append(UInt8(ascii: "-")) }
        buffer.append(decimal: magnitude)
    }
}

import GroveCoding
import Testing

@Suite("Identifiers put together from parts")
struct IdentifierBufferTests {
    @Test(
        "A number is appended as it is printed", arguments: [0, 1, 9, 10, 99, 100, -1, -10, 12_345, Int.max, Int.min])
    func numbers(number: Int) {
        var buffer = IdentifierBuffer()
        buffer.append("Person:")
        buffer.append(number)
        #expect(unsafe String(decoding: buffer.buffer.bytes, as: UTF8.self) == "Person:\(number)")
    }

    @Test("The largest number of 64 bits and small widths are appended whole")
    func widths() {
        var buffer = IdentifierBuffer()
        buffer.append(UInt64.max)
        buffer.append(Int8.min)
        buffer.append(UInt8.max)
        #expect(unsafe String(decoding: buffer.buffer.bytes, as: UTF8.self) == "\(UInt64.max)\(Int8.min)\(UInt8.max)")
    }
}

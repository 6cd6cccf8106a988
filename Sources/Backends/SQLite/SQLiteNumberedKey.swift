import GroveCoding

/// A key that ends in a number, split into prefix and number: its row needs neither the key nor an index.
///
/// `Message:34` is `Message:` and 34. A byte that is neither letter nor digit stands before the digits, and the rest of
/// the prefix is printable ASCII. So the last digits of a hash or of a UUID are no number. Of 16 to 19 digits, the last
/// 15 are the number and the others end the prefix: in identifiers that begin with a time, these change every few days.
/// A prefix that ends in a digit has numbers of 15 digits, with zeros in front. Any other prefix has numbers without
/// zeros in front. So no two pairs of prefix and number stand for one key.
struct SQLiteNumberedKey: Equatable {
    /// The bytes of the key before the number.
    let prefixCount: Int
    /// The number, below ``limit``.
    let number: Int64

    /// The most digits of a number.
    static let digits = 15
    /// The bound that every number is below.
    static let limit: Int64 = 1_000_000_000_000_000
    /// The bits by which a prefix's number is shifted in a row's number.
    static let shift: Int64 = 51
    /// The most prefixes that may have numbers; with the shift, their numbers fill an `Int64`.
    static let mostPrefixes: Int64 = 4_095
    /// The count of numbers that are kept for prefixes that do not end in a digit: there are as many of these as types
    /// of models.
    private static let kept: Int64 = 1_000
    /// The longest prefix, in bytes.
    private static let longestPrefix = 64

    /// Splits `key`; `nil` if it does not end in a number, or does not have the form.
    init?(_ key: UnsafeRawBufferPointer) {
        var start = key.count
        while start > 0, unsafe Self.isDigit(key[start - 1]) { start -= 1 }
        let count = key.count - start
        guard count > 0, count <= 19, start > 0, unsafe Self.endsName(key[start - 1]) else { return nil }
        let first = max(start, key.count - Self.digits)
        guard first <= Self.longestPrefix else { return nil }
        // A number has zeros in front only if its prefix ends in a digit.
        if first == start, count > 1, unsafe key[start] == UInt8(ascii: "0") { return nil }
        var number: Int64 = 0
        for index in first..<key.count { number = unsafe number * 10 + Int64(key[index] - UInt8(ascii: "0")) }
        self.number = number
        prefixCount = first
    }

    /// The highest number that a prefix like `prefix` may have.
    static func most(prefixesLike prefix: UnsafeRawBufferPointer) -> Int64 {
        unsafe prefix.last.map(isDigit) == true ? mostPrefixes - kept : mostPrefixes
    }

    /// Whether `prefix` may be given a number: after the byte of its namespace, it is printable ASCII.
    static func isPrintable(_ prefix: UnsafeRawBufferPointer) -> Bool {
        unsafe prefix.dropFirst().allSatisfy { $0 >= 0x20 && $0 < 0x7F }
    }

    /// The number of the row for `number` under the prefix whose number is `prefix`.
    static func row(_ prefix: Int64, _ number: Int64) -> Int64 { prefix << shift | number }

    /// The number of the prefix in a row's number.
    static func prefix(ofRow row: Int64) -> Int64 { row >> shift }

    /// The number of the key in a row's number.
    static func number(ofRow row: Int64) -> Int64 { row & (1 << shift - 1) }

    /// Appends the key of `prefix` and `number` to `buffer`.
    static func write(_ prefix: [UInt8], _ number: Int64, to buffer: inout ByteBuffer) {
        unsafe prefix.withUnsafeBytes { unsafe buffer.append($0) }
        let isPadded = prefix.last.map(isDigit) ?? false
        var place: Int64 = 1
        if isPadded { place = limit / 10 } else { while place <= number / 10 { place *= 10 } }
        while place > 0 {
            buffer.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number / place % 10))
            place /= 10
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }

    /// Whether `byte` can stand before a number: it is ASCII, and neither letter nor digit.
    private static func endsName(_ byte: UInt8) -> Bool {
        byte < 0x80 && !isDigit(byte) && (byte | 0x20) &- UInt8(ascii: "a") >= 26
    }
}

extension NodeDecoder {
    /// Moves past one value of any type, without recursion.
    public mutating func skip() throws(NodeReadFailure) {
        var pending: UInt64 = 1
        while pending > 0 {
            pending -= 1
            let (major, argument) = try readHead()
            switch major {
            case CBORMajor.bytes, CBORMajor.text: try advance(argument)
            case CBORMajor.array: pending += try bounded(argument)
            case CBORMajor.map: pending += try bounded(argument) * 2
            case CBORMajor.tag: pending += 1
            default: break
            }
        }
    }

    /// `count`, unless it is more than the bytes that follow: each value takes at least a byte, so a larger count is
    /// damage.
    func bounded(_ count: UInt64) throws(NodeReadFailure) -> UInt64 {
        guard unsafe count <= UInt64(end - cursor) else { throw .corrupted }
        return count
    }

    /// Reads an initial byte and its argument; the argument of a float is its bits.
    @inline(__always)
    package mutating func readHead() throws(NodeReadFailure) -> (major: UInt8, argument: UInt64) {
        guard unsafe cursor < end else { throw .corrupted }
        let initial = unsafe cursor.load(as: UInt8.self)
        let low = initial & 0x1F
        if low < 24 {
            unsafe cursor += 1
            return (initial & 0xE0, UInt64(low))
        }
        return (initial & 0xE0, try readLongArgument(low))
    }

    @inline(never)
    private mutating func readLongArgument(_ low: UInt8) throws(NodeReadFailure) -> UInt64 {
        guard low <= 27 else { throw .corrupted }
        let width = 1 &<< Int(low & 3)
        let start = unsafe cursor + 1
        if unsafe end - cursor > 8 {
            unsafe cursor += 1 + width
            return unsafe UInt64(bigEndian: start.loadUnaligned(as: UInt64.self)) &>> UInt64(64 - 8 * width)
        }
        guard unsafe end - cursor > width else { throw .corrupted }
        unsafe cursor += 1 + width
        switch low {
        case 24: return unsafe UInt64(start.load(as: UInt8.self))
        case 25: return unsafe UInt64(UInt16(bigEndian: start.loadUnaligned(as: UInt16.self)))
        case 26: return unsafe UInt64(UInt32(bigEndian: start.loadUnaligned(as: UInt32.self)))
        default: return unsafe UInt64(bigEndian: start.loadUnaligned(as: UInt64.self))
        }
    }

    @inline(__always)
    mutating func advance(_ count: UInt64) throws(NodeReadFailure) {
        guard unsafe count <= UInt64(end - cursor) else { throw .corrupted }
        unsafe cursor += Int(count)
    }

    /// Moves past a null and returns true, or returns false and leaves the cursor in place.
    public mutating func readNull() throws(NodeReadFailure) -> Bool {
        guard unsafe cursor < end else { throw .corrupted }
        guard unsafe cursor.load(as: UInt8.self) == CBORMajor.simple | 22 else { return false }
        unsafe cursor += 1
        return true
    }

    /// Whether an integer comes next; the cursor does not move.
    func isAtInteger() throws(NodeReadFailure) -> Bool {
        guard unsafe cursor < end else { throw .corrupted }
        return unsafe cursor.load(as: UInt8.self) < CBORMajor.bytes
    }

    /// Reads a Boolean.
    public mutating func readBool() throws(NodeReadFailure) -> Bool {
        let (major, value) = try readHead()
        guard major == CBORMajor.simple, value == 20 || value == 21 else { throw .otherShape }
        return value == 21
    }

    /// Reads an integer that `Value` can hold, or a float without a fraction.
    ///
    /// Inside a user's `init(from:)` a float is not read as an integer: code that tries integers before floats would
    /// read another type than it wrote.
    @inlinable
    public mutating func readInteger<Value: FixedWidthInteger>(
        _ type: Value.Type
    ) throws(NodeReadFailure) -> Value {
        let (isNegative, magnitude) = try readWholeParts()
        let value =
            isNegative
            ? Int64(exactly: magnitude).flatMap { Value(exactly: ~$0) } : Value(exactly: magnitude)
        guard let value else { throw .otherShape }
        return value
    }

    /// Reads an integer as CBOR stores it: the magnitude of a negative *n* is −1 − *n*.
    public mutating func readIntegerParts() throws(NodeReadFailure) -> (isNegative: Bool, magnitude: UInt64) {
        let (major, value) = try readHead()
        guard major <= CBORMajor.negative else { throw .otherShape }
        return (major == CBORMajor.negative, value)
    }

    /// Reads an integer as ``readIntegerParts()`` does, or a float with an integer value.
    @usableFromInline
    mutating func readWholeParts() throws(NodeReadFailure) -> (isNegative: Bool, magnitude: UInt64) {
        let start = unsafe cursor
        let (major, value) = try readHead()
        if major <= CBORMajor.negative { return (major == CBORMajor.negative, value) }
        unsafe cursor = unsafe start
        return try readWholeFloat()
    }

    @inline(never)
    private mutating func readWholeFloat() throws(NodeReadFailure) -> (isNegative: Bool, magnitude: UInt64) {
        guard !isTried, try isAtFloat() else { throw .otherShape }
        let float = try readDouble()
        if let whole = UInt64(exactly: float) { return (false, whole) }
        guard let whole = Int64(exactly: float) else { throw .otherShape }
        return (true, UInt64(~whole))
    }

    /// Reads a float of any width, or an integer that a float can hold exactly.
    public mutating func readDouble() throws(NodeReadFailure) -> Double {
        guard unsafe cursor < end else { throw .corrupted }
        let initial = unsafe cursor.load(as: UInt8.self)
        let (_, bits) = try readHead()
        switch initial {
        case CBORMajor.simple | 27: return Double(bitPattern: bits)
        case CBORMajor.simple | 26:
            return Double(bitPattern: CBORFloat.double(single: UInt32(truncatingIfNeeded: bits)))
        case CBORMajor.simple | 25:
            let single = CBORFloat.single(half: UInt16(truncatingIfNeeded: bits))
            return Double(bitPattern: CBORFloat.double(single: single))
        default: return try double(ofInteger: initial, bits)
        }
    }

    /// The integer of an initial byte and its argument, as a float that is exactly equal.
    @inline(never)
    private func double(ofInteger initial: UInt8, _ argument: UInt64) throws(NodeReadFailure) -> Double {
        guard initial < CBORMajor.bytes else { throw .otherShape }
        // The magnitude of a negative n is -1 - n.
        let value =
            initial < CBORMajor.negative
            ? Double(exactly: argument) : Int64(exactly: argument).flatMap { Double(exactly: ~$0) }
        guard let value else { throw .otherShape }
        return value
    }

    /// Reads a float or an integer that single precision holds exactly.
    public mutating func readFloat() throws(NodeReadFailure) -> Float {
        let value = try readDouble()
        guard let bits = CBORFloat.single(value.bitPattern) else { throw .otherShape }
        return Float(bitPattern: bits)
    }

    /// Reads text; bytes that are not UTF-8 are damage.
    public mutating func readString() throws(NodeReadFailure) -> String {
        let (major, length) = try readHead()
        guard major == CBORMajor.text else { throw .otherShape }
        let start = unsafe cursor
        try advance(length)
        let utf8 = unsafe UnsafeRawBufferPointer(start: start, count: Int(length))
        if unsafe isASCII(start, Int(length)) { return unsafe String(ascii: utf8) }
        let string = unsafe String(decoding: utf8, as: UTF8.self)
        guard unsafe isSame(string, utf8) else { throw .corrupted }
        return string
    }

    /// Whether none of `count` bytes has its top bit set.
    @inline(__always)
    private func isASCII(_ start: UnsafeRawPointer, _ count: Int) -> Bool {
        var bits: UInt64 = 0
        if count >= 8 {
            // The last word overlaps the one before it.
            unsafe bits = (start + (count - 8)).loadUnaligned(as: UInt64.self)
            var offset = 0
            while offset < count - 8 {
                unsafe bits |= (start + offset).loadUnaligned(as: UInt64.self)
                offset += 8
            }
        } else {
            for offset in 0..<count { unsafe bits |= UInt64(start.load(fromByteOffset: offset, as: UInt8.self)) }
        }
        return bits & 0x8080_8080_8080_8080 == 0
    }

    /// Whether `string` was made of `utf8` without a repair. (`String(validating:as:)` would tell at five times the
    /// cost.)
    private func isSame(_ string: String, _ utf8: UnsafeRawBufferPointer) -> Bool {
        var string = string
        return string.withUTF8 { unsafe isEqual(UnsafeRawBufferPointer($0), utf8) }
    }

    /// Reads a byte string; the bytes are valid during `body` only.
    public mutating func readBytes<Value>(
        _ body: (UnsafeRawBufferPointer) -> Value
    ) throws(NodeReadFailure) -> Value {
        let (major, length) = try readHead()
        guard major == CBORMajor.bytes else { throw .otherShape }
        let start = unsafe cursor
        try advance(length)
        return unsafe body(UnsafeRawBufferPointer(start: start, count: Int(length)))
    }

    /// Reads the head of an array.
    public mutating func readArrayHead() throws(NodeReadFailure) -> Int {
        let (major, count) = try readHead()
        guard major == CBORMajor.array else { throw .otherShape }
        return Int(try bounded(count))
    }

    /// Reads the head of a map.
    public mutating func readMapHead() throws(NodeReadFailure) -> Int {
        let (major, count) = try readHead()
        guard major == CBORMajor.map else { throw .otherShape }
        return Int(try bounded(count))
    }

    /// Reads a tag, or returns `nil` and leaves the cursor in place if there is none.
    public mutating func readTag() throws(NodeReadFailure) -> UInt64? {
        guard unsafe cursor < end else { throw .corrupted }
        guard unsafe cursor.load(as: UInt8.self) >> 5 == 6 else { return nil }
        return try readHead().argument
    }

    /// Whether the value at the cursor is a float.
    package func isAtFloat() throws(NodeReadFailure) -> Bool {
        guard unsafe cursor < end else { throw .corrupted }
        return unsafe (CBORMajor.simple | 25...CBORMajor.simple | 27).contains(cursor.load(as: UInt8.self))
    }

    /// Moves past `count` bytes.
    package mutating func skip(bytes count: UInt64) throws(NodeReadFailure) { try advance(count) }

    /// The bytes of the value at the cursor, which it moves past; valid as long as the decoder's own.
    package mutating func readEncoded() throws(NodeReadFailure) -> UnsafeRawBufferPointer {
        let start = unsafe cursor
        try skip()
        return unsafe UnsafeRawBufferPointer(start: start, count: cursor - start)
    }
}

extension String {
    /// Makes a string of bytes that are known to be ASCII; newer systems then need not check them again.
    @inline(__always)
    fileprivate init(ascii: UnsafeRawBufferPointer) {
        if #available(macOS 26, iOS 26, macCatalyst 26, tvOS 26, watchOS 26, visionOS 26, *) {
            let span = unsafe ascii.assumingMemoryBound(to: UInt8.self).span
            self = unsafe String(copying: UTF8Span(unchecked: span, isKnownASCII: true))
        } else {
            self = unsafe String(decoding: ascii, as: UTF8.self)
        }
    }
}

/// The identity of a model: a string compared and hashed by its UTF-8 bytes.
///
/// Swift's `String` treats canonically equivalent spellings ("é" precomposed and decomposed) as equal. Identifiers are
/// equal exactly when their bytes are: a false split costs a miss, but a false merge shows the wrong person. Every
/// store refuses an empty identifier with a typed error.
///
/// ```swift
/// var modelIdentifier: ModelIdentifier? { "Person-\(id)" }
/// ```
public struct ModelIdentifier: Sendable {
    /// The identifier's text, exactly as it was given.
    public let rawValue: String

    /// Makes an identifier of `rawValue`, byte for byte.
    public init(_ rawValue: String) {
        var native = rawValue
        native.makeContiguousUTF8()
        self.rawValue = native
    }

    /// Whether the identifier has no bytes, which no cache accepts.
    package var isEmpty: Bool { rawValue.utf8.isEmpty }

    /// Calls `body` with the identifier's UTF-8 bytes, which are valid for the call only.
    @inlinable
    package func withUTF8<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var copy = rawValue
        let outcome: Swift.Result<Result, Failure> = copy.withUTF8 { bytes in
            do throws(Failure) {
                return unsafe .success(try body(UnsafeRawBufferPointer(bytes)))
            } catch {
                return .failure(error)
            }
        }
        return try outcome.get()
    }
}

extension ModelIdentifier: Hashable {
    /// Whether the two have the same bytes.
    public static func == (left: ModelIdentifier, right: ModelIdentifier) -> Bool {
        let (left, right) = (left.rawValue.utf8, right.rawValue.utf8)
        guard left.count == right.count else { return false }
        let isSame = unsafe left.withContiguousStorageIfAvailable { left in
            unsafe right.withContiguousStorageIfAvailable { right in
                unsafe areSame(UnsafeRawBufferPointer(left), UnsafeRawBufferPointer(right))
            }
        }
        return (isSame ?? nil) ?? left.elementsEqual(right)
    }

    /// Compares as many bytes on both sides, eight at a time.
    private static func areSame(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
        var offset = 0
        while offset + 8 <= left.count {
            let mine = unsafe left.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            guard unsafe mine == right.loadUnaligned(fromByteOffset: offset, as: UInt64.self) else { return false }
            offset += 8
        }
        while offset < left.count {
            guard unsafe left[offset] == right[offset] else { return false }
            offset += 1
        }
        return true
    }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) {
        unsafe withUTF8 { unsafe hasher.combine(bytes: $0) }
        hasher.combine(0xFF as UInt8)
    }
}

extension ModelIdentifier: Comparable {
    /// Orders identifiers by their bytes as unsigned numbers; a prefix comes before a longer identifier.
    public static func < (left: ModelIdentifier, right: ModelIdentifier) -> Bool {
        left.rawValue.utf8.lexicographicallyPrecedes(right.rawValue.utf8)
    }
}

extension ModelIdentifier: ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
    /// Makes an identifier of a string, byte for byte.
    public init(stringLiteral value: String) { self.init(value) }
}

extension ModelIdentifier: CustomStringConvertible {
    /// The text for a person who reads a log.
    public var description: String { rawValue }
}

extension ModelIdentifier: Codable {
    /// Makes an identifier of a string, byte for byte.
    public init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(String.self))
    }

    /// Writes the identifier as a string.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

// An identifier is text that is the same in every process and different for every value. So what has such a text is
// listed here, and for anything else there is an error of the compiler: what a type prints is made for people to read.
extension _CacheableSupport {
    /// The identifier that begins with `prefix` and ends with `key`; if the key is empty, the empty one, which no cache
    /// accepts.
    @inlinable
    public static func identifier(_ prefix: String, _ key: String) -> ModelIdentifier {
        ModelIdentifier(key.utf8.isEmpty ? "" : prefix + key)
    }

    /// The identifier that begins with `prefix` and ends with `key`.
    @inlinable
    public static func identifier(_ prefix: String, _ key: some FixedWidthInteger) -> ModelIdentifier {
        ModelIdentifier(prefix + String(key))
    }

    /// Appends the bytes of ``identifier(_:_:)-(String,String)``: of an empty key none.
    @inlinable
    public static func append(_ prefix: String, _ key: String, to buffer: inout IdentifierBuffer) {
        if key.utf8.isEmpty { return }
        buffer.append(prefix)
        buffer.append(key)
    }

    /// Appends the bytes of ``identifier(_:_:)-(String,FixedWidthInteger)``.
    @inlinable
    public static func append(_ prefix: String, _ key: some FixedWidthInteger, to buffer: inout IdentifierBuffer) {
        buffer.append(prefix)
        buffer.append(key)
    }

    // MARK: Whether there is one

    /// The property that identifies a model.
    @inlinable
    public static func present<ID>(_ id: ID) -> ID? { id }

    /// The property that identifies a model, or `nil` if it is `nil`.
    @inlinable
    public static func present<ID>(_ id: ID?) -> ID? { id }

    /// The property that identifies a model, or `nil` if it is `nil` on either level.
    @inlinable
    public static func present<ID>(_ id: ID??) -> ID? { id ?? nil }

    // MARK: As text

    /// A string, as it is.
    @inlinable
    public static func key(_ id: String) -> String { id }

    /// An integer, in decimal.
    @inlinable
    public static func key<ID: FixedWidthInteger>(_ id: ID) -> ID { id }

    /// An identifier, as it is.
    @inlinable
    public static func key(_ id: ModelIdentifier) -> String { id.rawValue }

    /// A UUID in upper case.
    @inlinable
    public static func key(_ id: UUID) -> String { id.uuidString }

    /// A URL, resolved against its base.
    @inlinable
    public static func key(_ id: URL) -> String { id.absoluteString }

    /// The integer that a raw value is.
    @inlinable
    public static func key<ID: RawRepresentable>(_ id: ID) -> ID.RawValue where ID.RawValue: FixedWidthInteger {
        id.rawValue
    }

    /// The text of a raw value that has one.
    @inlinable
    public static func key<ID: RawRepresentable>(_ id: ID) -> String where ID.RawValue: LosslessStringConvertible {
        String(id.rawValue)
    }

    /// The text of a raw value that is a UUID.
    @inlinable
    public static func key<ID: RawRepresentable>(_ id: ID) -> String where ID.RawValue == UUID { key(id.rawValue) }

    /// The text of a raw value that is a URL.
    @inlinable
    public static func key<ID: RawRepresentable>(_ id: ID) -> String where ID.RawValue == URL { key(id.rawValue) }

    /// Anything else that its text gives back.
    @inlinable
    @_disfavoredOverload
    public static func key<ID: LosslessStringConvertible>(_ id: ID) -> String { String(id) }

    /// Refuses a property that has no text of its own.
    @_disfavoredOverload
    @available(
        *, unavailable,
        message:
            "the identifier of a @Cacheable type is a String, an integer, a UUID, a URL, something RawRepresentable by one of these, or LosslessStringConvertible; of another type, name a computed property with @Cacheable(id:), or declare modelIdentifier yourself"
    )
    public static func key<ID>(_ id: ID) -> String { "" }
}

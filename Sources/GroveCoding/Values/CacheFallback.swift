/// A raw-value type that says what a stored raw value reads as which it does not know.
///
/// A later version of an application, or a server, may store a case that this version does not have. Without a fallback
/// such a record is a miss. With one it is read, and a model that is written again then stores the fallback.
///
/// ```swift
/// @Cacheable
/// enum Kind: String {
///     case text, photo
///     static let cacheFallback = Kind.text
/// }
///
/// enum Size: Int, Codable, CacheFallback {
///     case small, large
///     static let cacheFallback = Size.large
/// }
/// ```
///
/// The macro adds the conformance; a type without the macro, ``NodeCodable`` by hand or only `Codable`, declares it. A
/// stored value that is not of the raw value's type is a miss all the same.
public protocol CacheFallback: RawRepresentable {
    /// What an unknown raw value reads as.
    static var cacheFallback: Self { get }
}

extension NodeCodable where Self: CacheFallback, RawValue: NodeCodable {
    /// Reads the value back, or the fallback where the raw value is unknown; throws `otherShape` where something else is
    /// stored.
    public static func decodeValue(from decoder: inout NodeDecoder) throws(NodeReadFailure) -> Self {
        Self(rawValue: try RawValue.decodeValue(from: &decoder)) ?? cacheFallback
    }
}

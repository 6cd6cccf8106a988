/// A raw-value type with a fallback, as which an unknown stored raw value is read.
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
/// The macro adds the conformance. A type without the macro declares it itself, whether it conforms to ``NodeCodable``
/// or only to `Codable`. If the stored value is not of the raw value's type, the read is still a miss.
public protocol CacheFallback: RawRepresentable {
    /// The value as which an unknown raw value is read.
    static var cacheFallback: Self { get }
}

extension NodeCodable where Self: CacheFallback, RawValue: NodeCodable {
    /// Reads the value back, or the fallback if the raw value is unknown; throws `otherShape` if a value of another
    /// type is stored.
    public static func decodeValue(from decoder: inout NodeDecoder) throws(NodeReadFailure) -> Self {
        Self(rawValue: try RawValue.decodeValue(from: &decoder)) ?? cacheFallback
    }
}

public import GroveModel

/// A value that can stand in a record: a leaf, a container, a model inside its parent's record, or a reference to a
/// node of its own.
///
/// `@Cacheable` and the standard types conform; write a conformance by hand for a leaf of your own only where `Codable`
/// is too slow. The same value must always write the same bytes.
public protocol NodeCodable {
    /// Whether a value of this type may hold identified models, which have records of their own.
    ///
    /// Such a value is decoded after every other field of its record: a child is fetched only when its parent's bytes
    /// are no longer needed.
    static var holdsReferences: Bool { get }

    /// Writes exactly one value.
    ///
    /// - Throws: ``CacheError`` with code `unencodable`, `emptyIdentifier`, `tooDeep`, `tooManyPaths`.
    func encodeValue(to encoder: inout NodeEncoder) throws(CacheError)

    /// Reads exactly one value.
    ///
    /// - Throws: ``NodeReadFailure``, with `otherShape` where what is stored is not of this type.
    static func decodeValue(from decoder: inout NodeDecoder) throws(NodeReadFailure) -> Self

    /// The value of a field that the record does not have, though its writer was of the reading type; `nil` where the
    /// field is required, which is a miss.
    static var absentValue: Self? { get }

    /// Whether a value of this type may be written as null. An optional of such a type wraps its value in an array of
    /// one, so that `.some(nil)` and `nil` stay distinct.
    static var writesNull: Bool { get }
}

extension NodeCodable {
    /// See ``NodeCodable/holdsReferences``.
    @inlinable
    public static var holdsReferences: Bool { false }

    /// See ``NodeCodable/absentValue``.
    @inlinable
    public static var absentValue: Self? { nil }

    /// See ``NodeCodable/writesNull``.
    @inlinable
    public static var writesNull: Bool { false }
}

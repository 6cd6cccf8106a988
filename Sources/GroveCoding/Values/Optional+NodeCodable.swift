public import GroveModel

/// An optional is stored as null or as its value; an optional of an optional wraps its value in an array of one.
///
/// A value that needs a deleted node reads as `nil`. An absent field reads as `nil` if the reading type wrote the
/// record.
extension Optional: NodeCodable where Wrapped: NodeCodable {
    /// See ``NodeCodable/holdsReferences``.
    @_documentation(visibility: internal)
    @inlinable
    public static var holdsReferences: Bool { Wrapped.holdsReferences }

    /// See ``NodeCodable/absentValue``.
    @_documentation(visibility: internal)
    @inlinable
    public static var absentValue: Wrapped?? { .some(nil) }

    /// See ``NodeCodable/writesNull``.
    @_documentation(visibility: internal)
    @inlinable
    public static var writesNull: Bool { true }

    /// Writes the value as the type's description says.
    @_documentation(visibility: internal)
    @inlinable
    public func encodeValue(to encoder: inout NodeEncoder) throws(CacheError) {
        switch self {
        case .none: encoder.writeNull()
        case .some(let value):
            if Wrapped.writesNull { encoder.writeArrayHead(count: 1) }
            try value.encodeValue(to: &encoder)
        }
    }

    /// Reads the value back; throws `otherShape` if a value of another type is stored.
    @_documentation(visibility: internal)
    @inlinable
    public static func decodeValue(from decoder: inout NodeDecoder) throws(NodeReadFailure) -> Wrapped? {
        if try decoder.readNull() { return nil }
        if Wrapped.writesNull {
            guard try decoder.readArrayHead() == 1 else { throw .otherShape }
        }
        return try decoder.decodeUnlessDeleted(Wrapped.self)
    }
}

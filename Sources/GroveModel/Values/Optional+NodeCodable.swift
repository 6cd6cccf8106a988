/// An optional is null or its value. An optional of an optional wraps what it holds in an array of one.
///
/// A value that needs a deleted node reads as `nil`. A field that is absent reads as `nil` where the record's writer
/// was of the reading type.
extension Optional: NodeCodable where Wrapped: NodeCodable {
    @inlinable
    public static var holdsReferences: Bool { Wrapped.holdsReferences }

    @inlinable
    public static var absentValue: Wrapped?? { .some(nil) }

    @inlinable
    public static var writesNull: Bool { true }

    @inlinable
    public func encodeValue(to encoder: inout NodeEncoder) throws(CacheError) {
        switch self {
        case .none: encoder.writeNull()
        case .some(let value):
            if Wrapped.writesNull { encoder.writeArrayHead(count: 1) }
            try value.encodeValue(to: &encoder)
        }
    }

    @inlinable
    public static func decodeValue(from decoder: inout NodeDecoder) throws(NodeReadFailure) -> Wrapped? {
        if try decoder.readNull() { return nil }
        if Wrapped.writesNull {
            guard try decoder.readArrayHead() == 1 else { throw .otherShape }
        }
        return try decoder.decodeUnlessDeleted(Wrapped.self)
    }
}

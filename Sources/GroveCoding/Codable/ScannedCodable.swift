/// A scanned field of a `Codable` type: the value of an absent field, or the bytes of a stored one.
@_documentation(visibility: internal)
public enum ScannedCodable<Value: Decodable> {
    /// The value of a field that the record does not have.
    case absent(Value)
    /// A value that is still encoded: only its `init(from:)` knows which children it holds.
    case deferred(DeferredValue)
}

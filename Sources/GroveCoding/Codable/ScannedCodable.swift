/// A field of a `Codable` type that was scanned: absent, or where its bytes are.
public enum ScannedCodable<Value: Decodable> {
    /// The value of a field that the record does not have.
    case absent(Value)
    /// A value still encoded: what it holds is known to its own `init(from:)` alone.
    case deferred(DeferredValue)
}

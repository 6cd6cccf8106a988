/// What the code that `@Cacheable` writes calls, so that the compiler decides by type what the macro cannot see.
///
/// Public because generated code is part of the application; nothing else calls it.
public enum _CacheableSupport {}

/// A model whose fields can be asked for by their names: another projection of its record merges them.
public protocol _CacheableFields: Model {
    /// The field called `name`, or `nil` where there is none or it is not of that type.
    func cacheableField<Value>(_ name: String, as type: Value.Type) -> Value?
}

/// An enum that takes the identifier and the record of a case's payload.
public protocol _CacheableEnum: Model {
    /// The payload whose record the value is, or `nil` where it is none.
    var cacheablePayload: (any Model)? { get }
}

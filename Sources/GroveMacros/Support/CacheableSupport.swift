/// The functions that the code of `@Cacheable` calls, so that the compiler decides by type what the macro cannot see.
///
/// Public because generated code is part of the application; nothing else calls it.
public enum _CacheableSupport {}

/// A model whose fields can be read by name, so that another projection of its record can merge them.
public protocol _CacheableFields: Model {
    /// The field called `name`, or `nil` if there is none or it has another type.
    func cacheableField<Value>(_ name: String, as type: Value.Type) -> Value?
}

/// An enum that takes the identifier and the record of a case's payload.
public protocol _CacheableEnum: Model {
    /// The payload whose record the value is, or `nil` if it has none.
    var cacheablePayload: (any Model)? { get }
}

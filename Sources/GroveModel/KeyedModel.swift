/// A model that a call can name by the value from which its identifier is made: `model(Message.self, id: 34)`.
///
/// `@Cacheable` conforms a type to it if its `id`, or the property that `@Cacheable(id:)` names, is declared with a
/// type that is not optional. Written by hand, it is one function:
///
/// ```swift
/// extension Person: KeyedModel {
///     static func modelIdentifier(for id: Int) -> ModelIdentifier { "Person:\(id)" }
/// }
/// ```
public protocol KeyedModel: SimpleModel {
    /// The type of that value, such as `Int`.
    associatedtype ModelID: Sendable

    /// The identifier of the model whose value is `id`; it is equal to the model's `modelIdentifier`.
    static func modelIdentifier(for id: ModelID) -> ModelIdentifier

    /// The text with which the identifiers of all models of this type begin, such as `Message:`. It is `nil`, the
    /// default, if there is no such text.
    ///
    /// With it, a cache can find all models of the type side by side.
    static var identifierPrefix: String? { get }
}

extension KeyedModel {
    /// No common beginning is known.
    public static var identifierPrefix: String? { nil }
}

/// A model whose identifier is made from a value of one type, so that a call can name it by that:
/// `model(Message.self, id: 34)`.
///
/// `@Cacheable` conforms a type whose `id`, or the property that `@Cacheable(id:)` names, is declared with a type that is not
/// optional. By hand it is one function:
///
/// ```swift
/// extension Person: KeyedModel {
///     static func modelIdentifier(for id: Int) -> ModelIdentifier { "Person:\(id)" }
/// }
/// ```
public protocol KeyedModel: SimpleModel {
    /// The type of the value.
    associatedtype ModelID: Sendable

    /// The identifier of the model whose value is `id`: the same that the model's `modelIdentifier` says.
    static func modelIdentifier(for id: ModelID) -> ModelIdentifier

    /// What the identifiers of all models of this type begin with, such as `Message:`, so that they can be found side by side;
    /// `nil`, the default, where that is not so.
    static var identifierPrefix: String? { get }
}

extension KeyedModel {
    /// Not known.
    public static var identifierPrefix: String? { nil }
}

/// An immutable value with an identity and an equality, which providers hold and caches store.
///
/// A simple model is a leaf. It is kept consistent as a whole; for trees, conform to ``Model``.
public protocol SimpleModel: Sendable, RocketDataMembers {
    /// The identity of this model, or `nil` if it belongs to its nearest identified ancestor.
    ///
    /// Identity is the identifier's UTF-8 bytes. Two models with the same identifier are versions of one thing.
    var modelIdentifier: ModelIdentifier? { get }

    /// Whether `model` is the same version of the same thing. Transient fields may be ignored.
    func isEqual(to model: any SimpleModel) -> Bool

    /// The name under which records of this type are stored.
    ///
    /// Two types can share an identifier only if they declare the same record name. The default is the type's name with
    /// those of its enclosing types, such as `Shop.Item`, without the module. Enclosing functions and files are not
    /// part of it. So if types of the same name are declared in several of them, each must declare a record name. The
    /// property is read once per process, like ``projectionName``.
    static var recordName: String { get }

    /// The name of this type among the types that share its record name: its projection of the record.
    ///
    /// The default is the same as that of ``recordName``.
    static var projectionName: String { get }
}

extension SimpleModel {
    /// The type's name with those of its enclosing types, without the module.
    public static var recordName: String { TypeName.of(Self.self) }

    /// The type's name with those of its enclosing types, without the module.
    public static var projectionName: String { TypeName.of(Self.self) }
}

extension SimpleModel where Self: Equatable {
    /// Whether `model` is of this type and equal.
    public func isEqual(to model: any SimpleModel) -> Bool {
        guard let other = model as? Self else { return false }
        return self == other
    }
}

public import GroveModel

/// A model that a cache can store, with specialised coding of its fields.
///
/// A model with an identifier is a node: it has a record of its own, and a model that holds it stores a reference. A
/// model without one is stored inside the record of the model that holds it.
///
/// A conformance by hand names its fields in a ``FieldTable`` and writes them in that order. It also reads them in that
/// order *before* it finishes the children:
///
/// ```swift
/// extension Message: CacheableModel {
///     static let fields = FieldTable("id", "text", "sender")
///
///     func encodeFields(to node: inout NodeEncoder) throws(CacheError) {
///         try node.encode(id, at: 0)
///         try node.encode(text, at: 1)
///         try node.encode(sender, at: 2)
///     }
///
///     static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> Message {
///         let id = try node.scan(String.self, at: 0)
///         let text = try node.scan(String.self, at: 1)
///         let sender = try node.scan(Person.self, at: 2)
///         return Message(id: try node.finish(id), text: try node.finish(text), sender: try node.finish(sender))
///     }
/// }
/// ```
///
/// To read a field that an earlier version of the type did not have, use ``NodeDecoder/scanIfPresent(_:at:)``. If a
/// field had another name, say so in the table with ``FieldTable/init(_:was:)``.
public protocol CacheableModel: SimpleModel, NodeCodable {
    /// The fields of a record of this type, or `FieldTable.dynamic`.
    static var fields: FieldTable { get }

    /// Writes every field of ``fields``, in order.
    func encodeFields(to node: inout NodeEncoder) throws(CacheError)

    /// Reads the fields, in order, and then finishes them; see ``NodeDecoder/scan(_:at:)``.
    ///
    /// It runs inside a read of the cache: a call to the same cache throws `reentrant`.
    static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> Self

    /// Whether nodes of any record name are read as this type, for documents and for tools that know no types.
    ///
    /// It is false by default: reading a node of another record name is a miss with the reason `otherType`.
    @_documentation(visibility: internal)
    static var acceptsAnyRecordName: Bool { get }

    /// Appends the bytes of ``SimpleModel/modelIdentifier`` and returns true, or returns false if it is `nil`.
    ///
    /// The default implementation makes the string of `modelIdentifier`. A type that appends its parts one by one is
    /// faster.
    func appendIdentifier(to identifier: inout IdentifierBuffer) -> Bool
}

extension CacheableModel {
    /// See ``NodeCodable/holdsReferences``.
    @_documentation(visibility: internal)
    @inlinable
    public static var holdsReferences: Bool { true }

    /// False: a node of another record name is not read as this type.
    @_documentation(visibility: internal)
    public static var acceptsAnyRecordName: Bool { false }

    /// Writes a reference and the model's own record, or the model in place if it has no identifier.
    @_documentation(visibility: internal)
    @inlinable
    public func encodeValue(to encoder: inout NodeEncoder) throws(CacheError) {
        try encoder.encodeModel(self)
    }

    /// Reads the value back; throws `otherShape` if a value of another type is stored.
    @_documentation(visibility: internal)
    @inlinable
    public static func decodeValue(from decoder: inout NodeDecoder) throws(NodeReadFailure) -> Self {
        try decoder.decodeModel(Self.self)
    }

    /// Appends the text of `modelIdentifier`.
    public func appendIdentifier(to identifier: inout IdentifierBuffer) -> Bool {
        guard let modelIdentifier else { return false }
        identifier.append(modelIdentifier.rawValue)
        return true
    }
}

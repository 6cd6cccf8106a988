public import GroveModel

/// A reference to an identified node, as a record holds it.
@safe
public struct NodeReference {
    @usableFromInline package let identifierBytes: UnsafeRawBufferPointer

    /// The case of the enum that held the node, where the reference carries one.
    public let caseName: String?

    /// The identifier of the node.
    public var identifier: ModelIdentifier {
        unsafe ModelIdentifier(String(decoding: identifierBytes, as: UTF8.self))
    }
}

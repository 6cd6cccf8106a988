public import GroveModel

/// A stored reference to an identified node.
@_documentation(visibility: internal)
@safe
public struct NodeReference {
    @usableFromInline package let identifierBytes: UnsafeRawBufferPointer

    /// The case of the enum that held the node; `nil` if the reference does not carry one.
    public let caseName: String?

    /// The identifier of the node.
    public var identifier: ModelIdentifier {
        unsafe ModelIdentifier(String(decoding: identifierBytes, as: UTF8.self))
    }
}

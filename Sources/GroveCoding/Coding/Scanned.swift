/// A scanned field: its value, or its bytes if its children have yet to be fetched.
public enum Scanned<Value: NodeCodable> {
    /// A value that holds no references, decoded.
    case value(Value)
    /// A value that may hold references, still encoded.
    case deferred(DeferredValue)
}

/// The bytes of a field that is decoded after the others.
@_documentation(visibility: internal)
@safe
public struct DeferredValue {
    package let bytes: UnsafeRawBufferPointer
}

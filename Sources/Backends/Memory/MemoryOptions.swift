/// How a ``MemoryStore`` is opened: there is nothing to choose.
public struct MemoryOptions: Sendable, Equatable {
    /// Makes the options.
    public init() {}
}

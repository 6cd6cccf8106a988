/// The options with which a ``MemoryStore`` is opened; there are none to set.
public struct MemoryOptions: Sendable, Equatable {
    /// Makes the options.
    public init() {}
}

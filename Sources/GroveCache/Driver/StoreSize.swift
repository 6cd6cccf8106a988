/// The size of a store at one moment.
public struct StoreSize: Sendable, Equatable {
    /// Bytes on disk as `du` counts them (allocated blocks), every file of the store included; 0 for memory.
    public var bytesOnDisk: Int

    /// Bytes of keys and values that the store holds, without its own overhead; an estimate where the engine has none.
    public var payloadBytes: Int

    /// The number of entries.
    public var entries: Int

    /// Makes a size.
    public init(bytesOnDisk: Int, payloadBytes: Int, entries: Int) {
        self.bytesOnDisk = bytesOnDisk
        self.payloadBytes = payloadBytes
        self.entries = entries
    }
}

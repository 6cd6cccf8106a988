/// The size of a store at one moment.
public struct StoreSize: Sendable, Equatable {
    /// Bytes on disk as `du` counts them (allocated blocks), every file of the store included; 0 for memory.
    public var bytesOnDisk: Int

    /// Bytes of keys and values in the store, without its own overhead; an estimate if the engine does not count them.
    public var payloadBytes: Int

    /// The number of entries.
    public var entries: Int

    /// Makes a size of these numbers.
    public init(bytesOnDisk: Int, payloadBytes: Int, entries: Int) {
        self.bytesOnDisk = bytesOnDisk
        self.payloadBytes = payloadBytes
        self.entries = entries
    }
}

/// How a ``LevelDBStore`` is opened.
///
/// Every file can be opened with any options; they shape what is written from then on.
public struct LevelDBOptions: Sendable, Equatable {
    /// Bytes of writes that are gathered in memory, and in one log, before they become a table.
    ///
    /// Two of these may exist at once, and after a kill a log of this size is read at opening.
    public var writeBufferBytes: Int

    /// Bytes after which a table is closed and the next one begun.
    public var maxFileBytes: Int

    /// Bytes of unpacked blocks that are kept in memory for readers.
    public var blockCacheBytes: Int

    /// Bytes of entries in one block, the unit that is read, verified and compressed.
    public var blockBytes: Int

    /// Bits of the bloom filter per key, by which a table that cannot hold a key is not read; 0 for no filter.
    public var bloomBitsPerKey: Int

    /// The number of files that are kept open; at least 64.
    public var maxOpenFiles: Int

    /// Whether blocks are compressed with Snappy.
    public var isCompressed: Bool

    /// Whether each commit is on the disk before ``LevelDBStore/write(_:)`` returns.
    ///
    /// Without it, commits survive the process being killed, and loss of power may take some and keep later ones: only
    /// ``LevelDBStore/synchronize()`` makes sure. Meant for stores that can be thrown away, and for measuring.
    public var syncsEachCommit: Bool

    /// Makes options; what is left out has the value that measurements favoured for records of some hundred bytes.
    public init(
        writeBufferBytes: Int = 4 << 20, maxFileBytes: Int = 2 << 20, blockCacheBytes: Int = 8 << 20,
        blockBytes: Int = 4 << 10, bloomBitsPerKey: Int = 10, maxOpenFiles: Int = 256, isCompressed: Bool = true,
        syncsEachCommit: Bool = true
    ) {
        self.writeBufferBytes = writeBufferBytes
        self.maxFileBytes = maxFileBytes
        self.blockCacheBytes = blockCacheBytes
        self.blockBytes = blockBytes
        self.bloomBitsPerKey = bloomBitsPerKey
        self.maxOpenFiles = maxOpenFiles
        self.isCompressed = isCompressed
        self.syncsEachCommit = syncsEachCommit
    }
}

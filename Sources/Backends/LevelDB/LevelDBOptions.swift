/// The options with which a ``LevelDBStore`` is opened.
///
/// Every store can be opened with any options; they apply to the files that are written from then on.
public struct LevelDBOptions: Sendable, Equatable {
    /// Bytes of writes that are collected in memory, and in one log, before they become a table.
    ///
    /// Two such buffers may exist at once. After a kill, a log of this size is read at opening.
    public var writeBufferBytes: Int

    /// Bytes after which a table is closed and the next one is begun.
    public var maxFileBytes: Int

    /// Bytes of decompressed blocks that are kept in memory for readers.
    ///
    /// LevelDB maps its tables into memory, so it keeps only blocks that it had to decompress.
    public var blockCacheBytes: Int

    /// Bytes of entries in one block, at least 1,024; a block is the unit that is read, verified and compressed.
    ///
    /// Each read verifies and searches a whole block. Compared with LevelDB's own 4 KB, blocks of 2 KB made reads of
    /// 160-byte records a quarter faster, and files one per cent larger.
    public var blockBytes: Int

    /// Bits per key of the bloom filter, which saves reading a table that cannot hold a key; 0 for no filter.
    public var bloomBitsPerKey: Int

    /// The number of files that are kept open; at least 64.
    public var maxOpenFiles: Int

    /// Whether blocks are compressed with Snappy; true by default.
    ///
    /// Tables of text are 15 to 45 per cent smaller. Records that are read often are read faster: a decompressed block
    /// is verified once, while an uncompressed block is verified at each look-up. Random reads over more bytes than
    /// ``blockCacheBytes`` are slower: by a third over five times as many.
    public var isCompressed: Bool

    /// Whether each commit is on the disk before ``LevelDBStore/write(_:)`` returns.
    ///
    /// If false, commits survive the process being killed, but loss of power may undo some and keep later ones. Only
    /// ``LevelDBStore/synchronize()`` makes sure that they survive it. It is meant for stores that can be thrown away,
    /// and for measuring.
    public var syncsEachCommit: Bool

    /// Makes options; the defaults did best in measurements with records of a few hundred bytes.
    public init(
        writeBufferBytes: Int = 4 << 20, maxFileBytes: Int = 2 << 20, blockCacheBytes: Int = 8 << 20,
        blockBytes: Int = 2 << 10, bloomBitsPerKey: Int = 10, maxOpenFiles: Int = 256, isCompressed: Bool = true,
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

    /// The same options with buffers and tables of at most a fiftieth of `bytes`.
    func limited(to bytes: Int) -> LevelDBOptions {
        var limited = self
        limited.writeBufferBytes = min(writeBufferBytes, max(bytes / 50, 64 << 10))
        // LevelDB's smallest limit for a table is a megabyte.
        limited.maxFileBytes = min(maxFileBytes, max(bytes / 50, 1 << 20))
        return limited
    }
}

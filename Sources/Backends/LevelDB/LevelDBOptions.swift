/// How a ``LevelDBStore`` is opened.
///
/// Every store can be opened with any options; they shape the files that are written from then on.
public struct LevelDBOptions: Sendable, Equatable {
    /// Bytes of writes that are gathered in memory, and in one log, before they become a table.
    ///
    /// Two of these may exist at once, and after a kill a log of this size is read at opening.
    public var writeBufferBytes: Int

    /// Bytes after which a table is closed and the next one begun.
    public var maxFileBytes: Int

    /// Bytes of unpacked blocks that are kept in memory for readers.
    ///
    /// LevelDB maps its tables into memory, so that it keeps only the blocks that it had to unpack.
    public var blockCacheBytes: Int

    /// Bytes of entries in one block, the unit that is read, verified and compressed; at least 1,024.
    ///
    /// Each read verifies and searches a whole block. Compared with LevelDB's own 4 KB, blocks of 2 KB made reads of
    /// 160-byte records a quarter faster, and files one per cent larger.
    public var blockBytes: Int

    /// Bits of the bloom filter per key, which spares reading a table that cannot hold a key; 0 for no filter.
    public var bloomBitsPerKey: Int

    /// The number of files that are kept open; at least 64.
    public var maxOpenFiles: Int

    /// Whether blocks are compressed with Snappy; they are by default.
    ///
    /// Tables of text are 15 to 45 per cent smaller. Records that are read often are read faster: an unpacked block is
    /// verified once, and a block that was never packed is verified at each look-up. Reads at random over more than
    /// ``blockCacheBytes`` are slower, by a third over five times as much.
    public var isCompressed: Bool

    /// Whether each commit is on the disk before ``LevelDBStore/write(_:)`` returns.
    ///
    /// Otherwise commits survive the process being killed, but loss of power may take some and keep later ones: only
    /// ``LevelDBStore/synchronize()`` makes sure. Meant for stores that can be thrown away, and for measuring.
    public var syncsEachCommit: Bool

    /// Makes options; the defaults are the values that measurements favoured for records of some hundred bytes.
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

    /// The same with buffers and tables of a fiftieth of `bytes` at the most.
    func limited(to bytes: Int) -> LevelDBOptions {
        var limited = self
        limited.writeBufferBytes = min(writeBufferBytes, max(bytes / 50, 64 << 10))
        // LevelDB makes no tables smaller than a megabyte.
        limited.maxFileBytes = min(maxFileBytes, max(bytes / 50, 1 << 20))
        return limited
    }
}

import GroveCache
public import GroveModel

/// A budget under LevelDB: small buffers and tables, payload below half, and a compaction of everything in time.
///
/// What is replaced or removed stays in the tables until they are compacted, and a compaction writes new tables before
/// it removes old ones: so more than a third of the budget is left to it.
extension LevelDBStore {
    /// Keeps the files within `bytes`: opens LevelDB anew, with buffers of a fiftieth of that.
    ///
    /// - Returns: 45 in 100 of them.
    public func setBudget(_ bytes: Int) throws(CacheError) -> Int {
        guard bytes >= 4 << 20 else {
            throw CacheError(
                .unsupported, "LevelDB needs a budget of 4.5 MB at the least; \(bytes) bytes are left of this one")
        }
        try connection.limit(to: bytes)
        if try bytesOnDisk() > Self.compactionMark(bytes) { try compact() }
        guard try bytesOnDisk() <= Self.compactionMark(bytes) else {
            throw CacheError(.overBudget, "the store's files are larger than its budget")
        }
        return bytes / 100 * 45
    }

    /// Compacts everything where the files have grown into what is left to compaction.
    ///
    /// - Returns: false where they are as large afterwards.
    public func makeRoom(forEntries entries: Int, bytes: Int) throws(CacheError) -> Bool {
        guard let budget = connection.budget else { return true }
        // A batch goes to the log and from there to a table, and what is evicted for it leaves marks.
        let needed = bytes * 5 / 2 + entries * 64
        let mark = Self.compactionMark(budget)
        if try bytesOnDisk() + needed <= mark { return true }
        try compact()
        return try bytesOnDisk() + needed <= mark
    }

    private func compact() throws(CacheError) {
        let (handle, options) = try connection.begin()
        defer { connection.ended(options) }
        handle.compact()
    }

    /// The size above which the files are compacted, such that they never have more than `budget` meanwhile.
    private static func compactionMark(_ budget: Int) -> Int { budget / 100 * 64 }
}

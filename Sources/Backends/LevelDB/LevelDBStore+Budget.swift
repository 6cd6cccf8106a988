import GroveCache
public import GroveModel
import GrovePlatform

/// A budget under LevelDB: small buffers and tables, payload below half, and a compaction of everything in time.
///
/// Replaced and removed records stay in the tables until these are compacted. A compaction writes new tables before it
/// removes old ones: ``LevelDBShares`` leaves room for it.
extension LevelDBStore {
    /// Keeps the files within `bytes`: opens LevelDB again with buffers of a fiftieth of that, unless it was opened so.
    ///
    /// - Returns: the bytes that records may take, some 42 to 44 % of `bytes`.
    public func setBudget(_ bytes: Int) throws(CacheError) -> Int {
        guard bytes >= 4 << 20 else {
            throw CacheError(.unsupported, "the budget leaves \(bytes) bytes to LevelDB, which cannot work in so few")
        }
        let shares = try connection.limit(to: bytes)
        if try connection.engineBytes() > shares.mark { try compact(shares) }
        guard try connection.engineBytes() <= shares.mark else {
            throw CacheError(.overBudget, "the store's files are larger than its budget")
        }
        return shares.payload
    }

    /// Compacts everything if the files have grown into the room that compactions need.
    ///
    /// - Complexity: O(1) if much less was written than fits since the files were last measured; otherwise O(files) and
    ///   the cost of a compaction.
    /// - Returns: false if there is not enough room even afterwards.
    /// - Throws: ``CacheError`` with code `full` if long reads keep old tables for a second or more, and the error of a
    ///   failed compaction.
    public func makeRoom(for load: WriteLoad) throws(CacheError) -> Bool {
        let (entries, bytes) = (load.entries, load.bytes)
        guard let shares = connection.shares else { return true }
        // A batch goes to the log and from there to a table, and the records that are evicted for it leave marks.
        let needed = bytes * 5 / 2 + entries * 64
        if connection.hasRoom(needed) { return true }
        let left = try shares.mark - connection.engineBytes() - needed
        connection.state.withLock { $0.room.note(left) }
        if left >= 0 {
            connection.state.withLock { $0.room.hadRoom(true) }
            return true
        }
        // If the records themselves are too many, removing a few of them is not worth another compaction.
        guard load.waitsForViews, connection.state.withLock({ $0.room.noteRefusal() }) else { return false }
        try compact(shares)
        let hasRoom = try connection.engineBytes() + needed <= shares.mark
        connection.state.withLock { $0.room.hadRoom(hasRoom) }
        return hasRoom
    }

    /// Refuses a batch of `bytes` if the budget has no room for it in the log and in a table, beside the present files.
    ///
    /// It refuses large batches only: ``LevelDBShares/mark`` leaves room for others.
    ///
    /// - Throws: ``CacheError`` with code `full`; the cache evicts more then, and tries again.
    func checkRoom(for bytes: Int) throws(CacheError) {
        guard let shares = connection.shares, bytes > shares.slack else { return }
        guard try connection.engineBytes() + 2 * bytes > shares.budget else { return }
        throw CacheError(.full, "The files leave no room for \(bytes) bytes more within the budget.")
    }

    /// The payload that fits, computed from the ratio of table bytes to record bytes after the last full compaction.
    public func payloadLimit(holding payload: Int) -> Int {
        guard let shares = connection.shares,
            let density = connection.state.withLock({ $0.room.density(holding: payload) })
        else { return .max }
        return Int(Double(shares.tables) / density)
    }

    /// Compacts everything, step by step: each step begins when the tables that the last one replaced are removed.
    private func compact(_ shares: LevelDBShares) throws(CacheError) {
        try connection.state.withLock { (state) throws(CacheError) in try state.room.refuseWhileHeldUp() }
        // After a failed write or compaction LevelDB compacts nothing until it is opened again.
        _ = try connection.writable()
        try connection.trim(shares)
        let ends: [[UInt8]?] = try ends(ofStepsOf: shares.step) + [nil]
        let (handle, options) = try connection.begin()
        defer {
            connection.logMayBeNew()
            connection.ended(options)
        }
        for end in ends {
            try settle(handle, shares.slack)
            handle.compact(through: end)
            try checkCompaction(handle)
        }
        try settle(handle, shares.slack)
        let tableBytes = handle.tableBytes
        connection.state.withLock { $0.room.noteDensity(tableBytes) }
    }

    /// Waits until the replaced tables are removed, except for `slack` bytes.
    ///
    /// Whenever LevelDB has made a table, even an empty one, it removes the tables that no reader uses any more.
    private func settle(_ handle: LevelDBHandle, _ slack: Int) throws(CacheError) {
        for attempt in 0..<Self.patience {
            if try connection.tableBytes() <= handle.tableBytes + slack { return }
            // A read takes microseconds, unless the system suspends its thread.
            if attempt > 0 { usleep(2_000) }
            handle.flushMemory()
        }
        guard try connection.tableBytes() > handle.tableBytes + slack else { return }
        try checkCompaction(handle)
        throw connection.state.withLock { $0.room.noteHeldUp() }
    }

    /// The keys that divide the records into parts of `bytes`.
    private func ends(ofStepsOf bytes: Int) throws(CacheError) -> [[UInt8]] {
        guard bytes < .max else { return [] }
        let view = try view()
        defer { view.end() }
        view.keepsCacheAsItIs(true)
        defer { view.keepsCacheAsItIs(false) }
        var ends: [[UInt8]] = []
        var count = 0
        try unsafe view.scan(prefix: UnsafeRawBufferPointer(start: nil, count: 0)) { (key, value) in
            count += key.count + value.count
            if count >= bytes {
                unsafe ends.append(Array(key))
                count = 0
            }
            return true
        }
        return ends
    }

    /// The number of times that a compaction waits 2 ms for readers.
    private static var patience: Int { 500 }
}

public import GroveCache
public import GroveModel

/// A budget under SQLite; see ``SQLiteBudget``.
extension SQLiteStore {
    /// Opens the store as without a budget.
    public convenience init(directory: String?, options: SQLiteOptions, budget: Int) throws(CacheError) {
        try self.init(directory: directory, options: options)
    }

    /// Keeps the files within `bytes`: the database in four fifths of them or less, and the log in the rest.
    public func setBudget(_ bytes: Int) throws(CacheError) -> Int {
        try writer.withLock { writer throws(CacheError) in
            let usable = try pool.writer(writer)
            writer = usable
            return try pool.budget.set(bytes, usable, pool.directory)
        }
    }

    /// Has SQLite rewrite the database, in a transaction like any other, which other processes need not notice.
    ///
    /// Meanwhile the log takes as many bytes as the stored records. So does a temporary file of SQLite's own, which
    /// ends with the process. If another process keeps a view open for long, the file stays as large as it is.
    public func shrink(_ replacing: () -> Void) throws(CacheError) {
        try writer.withLock { writer throws(CacheError) in
            let usable = try pool.writer(writer)
            writer = usable
            try pool.budget.shrink(usable)
        }
    }

    /// Copies the log into the database and cuts the log off, if it would become too long.
    ///
    /// - Throws: ``CacheError`` with code `overBudget` if the transaction's log alone has no room, or if a view keeps
    ///   the log from being cut off.
    public func makeRoom(for load: WriteLoad) throws(CacheError) -> Bool {
        try writer.withLock { writer throws(CacheError) in
            let usable = try pool.writer(writer)
            writer = usable
            return try pool.budget.makeRoom(for: load, usable, pool.directory)
        }
    }

    /// The payload at which the database would be full, at its present density.
    public func payloadLimit(holding payload: Int) -> Int { pool.budget.payloadLimit(holding: payload) }

    /// The bytes that the files take; no record is read for it.
    public func bytesOnDisk() throws(CacheError) -> Int { try pool.directory.allocatedBytes() }
}

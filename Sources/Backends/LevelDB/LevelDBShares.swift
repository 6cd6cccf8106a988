/// The division of a budget's bytes between records, replaced ones, and compactions.
///
/// At the start of each transaction, the files take at most ``mark`` bytes. At most ``payload`` of these are records.
/// The rest is *garbage*: records that were replaced or removed since everything was compacted. A compaction merges new
/// tables into level 1, and then level 1, a table at a time, into the records of level 2. Two kinds of readers keep old
/// tables from being removed: a view that has read keys which follow each other, and a reader that is held up inside a
/// get. So the tables that one call writes may exist beside all older ones: the garbage once more for level 1, and the
/// records of level 2 beside one table.
struct LevelDBShares {
    /// The most bytes of all files.
    let budget: Int
    /// The most bytes of records.
    let payload: Int
    /// The most bytes of tables, once everything is compacted.
    let tables: Int
    /// The size of all files at which everything is compacted.
    let mark: Int
    /// The bytes of records that one call compacts.
    let step: Int
    /// The bytes of replaced tables that may be left when a compaction goes on, as blocks of the file system are
    /// counted whole.
    let slack: Int
    /// The size above which LevelDB's manifest or its log of events is begun again.
    let notes: Int

    init(_ budget: Int) {
        self.budget = budget
        let bytes = Double(budget)
        slack = budget / 50
        notes = max(budget / 200, 32 << 10)
        for share in [0.44, 0.435, 0.43, 0.425] {
            for garbage in stride(from: 0.19, through: 0.12, by: -0.01) {
                // The part of the records beside a table of level 1: a megabyte, and the rest of a block.
                let step = 1.1e6 / (bytes * garbage)
                let files = share * LevelDBShares.overhead + LevelDBShares.otherFiles / bytes
                guard step < 1, files * (1 + step) + 2 * garbage <= 0.94 else { continue }
                payload = Int(bytes * share)
                tables = Int(bytes * share * LevelDBShares.overhead)
                mark = Int(bytes * (files + garbage))
                self.step = Int(bytes * share * step)
                return
            }
        }
        // If level 1 is one table, it is beside all records.
        let files = 0.425 * LevelDBShares.overhead + LevelDBShares.otherFiles / bytes
        payload = Int(bytes * 0.425)
        tables = Int(bytes * 0.425 * LevelDBShares.overhead)
        mark = Int(bytes * (files + max((0.98 - 2 * files) / 2, 0.04)))
        step = .max
    }

    /// Bytes of a table for each byte of keys and values, as measured with records of 300 bytes.
    ///
    /// The rest are indices and filters.
    private static let overhead = 1.035
    /// The bytes of the manifest and of smaller files.
    private static let otherFiles = 24_000.0
}

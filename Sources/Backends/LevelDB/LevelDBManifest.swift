/// The log that LevelDB's manifest needs.
///
/// The manifest is a log of changes to the list of files. If it was cut off at the end of a record, LevelDB takes it
/// for an earlier list: it removes the tables that are not in it, and opens the rest. But every change names the oldest
/// log whose records are in no table yet; logs before that one are removed. That log is on the disk before a change
/// names it. So the log that the last change names is missing only if a later change was cut off, after which that log
/// was removed.
///
/// The format is that of LevelDB's `db/version_edit.cc`: numbers of seven bits to a byte, with the kind of each entry
/// first.
enum LevelDBManifest {
    /// The name of the oldest log that a store with the manifest `bytes` needs; `nil` if it needs none, or the manifest
    /// names none.
    static func oldestLog(_ bytes: [UInt8]) -> String? {
        var oldest: UInt64 = 0
        LevelDBLogTail(bytes).forEachRecord { record in
            if let number = logNumber(in: record) { oldest = number }
        }
        guard oldest > 0 else { return nil }
        let digits = String(oldest)
        return String(repeating: "0", count: max(0, 6 - digits.count)) + digits + ".log"
    }

    /// The number of the log that a change names; only the name of the order of keys may come before it.
    private static func logNumber(in record: [UInt8]) -> UInt64? {
        var rest = record[...]
        func number() -> UInt64? {
            var (value, shift) = (UInt64(0), UInt64(0))
            while let byte = rest.popFirst(), shift < 64 {
                value |= UInt64(byte & 0x7F) << shift
                if byte < 0x80 { return value }
                shift += 7
            }
            return nil
        }
        let (order, log): (UInt64, UInt64) = (1, 2)
        var kind = number()
        if kind == order, let count = number(), count <= rest.count {
            rest = rest.dropFirst(Int(count))
            kind = number()
        }
        return kind == log ? number() : nil
    }
}

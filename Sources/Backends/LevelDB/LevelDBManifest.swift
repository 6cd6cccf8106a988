/// What LevelDB's manifest says of its logs.
///
/// It is a log of changes to the list of files. To LevelDB, one that was cut off at the end of a record is the list of an earlier time: it
/// removes the tables that are not in it, and opens what is left. But every change says from which log on the records are in no table
/// yet, and logs before that one are removed. That log is on the disk before a change names it. So the last change that is there names a
/// log that is there, unless a later one is missing after which that log was removed.
///
/// The format is that of LevelDB's `db/version_edit.cc`: numbers of seven bits to a byte, the kind of each entry first.
enum LevelDBManifest {
    /// The name of the oldest log that a store with the manifest `bytes` needs; `nil` if it needs none, or the manifest does not say.
    static func oldestLog(_ bytes: [UInt8]) -> String? {
        var oldest: UInt64 = 0
        LevelDBLogTail(bytes).forEachRecord { record in
            if let number = logNumber(in: record) { oldest = number }
        }
        guard oldest > 0 else { return nil }
        let digits = String(oldest)
        return String(repeating: "0", count: max(0, 6 - digits.count)) + digits + ".log"
    }

    /// The number of a log in a change.
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
        func skip(numbers: Int, texts: Int) -> Bool {
            for _ in 0..<numbers where number() == nil { return false }
            for _ in 0..<texts {
                guard let count = number(), count <= rest.count else { return false }
                rest = rest.dropFirst(Int(count))
            }
            return true
        }
        while let kind = number() {
            let isRead =
                switch kind {
                // The name of the order of keys.
                case 1: skip(numbers: 0, texts: 1)
                case 2: false
                // The next file, the last commit, the log before.
                case 3, 4, 9: skip(numbers: 1, texts: 0)
                // How far a compaction came.
                case 5: skip(numbers: 1, texts: 1)
                // A file that went, and one that came.
                case 6: skip(numbers: 2, texts: 0)
                case 7: skip(numbers: 3, texts: 2)
                default: false
                }
            if kind == 2 { return number() }
            guard isRead else { return nil }
        }
        return nil
    }
}

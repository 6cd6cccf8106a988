import GroveCache
import GroveModel

/// What a store says of its size.
enum SizeRules {
    static let all = [payload, disk]

    static let payload = Rule(
        "STO-15",
        "The payload that `size()` says is within a third of the bytes of keys and values; the entries are exact.",
        because: "Budgets and an operator's figures are made of it.", requires: [.storedBytes],
        kills: ["doubles-payload", "halves-payload"]
    ) { trial in
        let store = try trial.site().openStore()
        var generator = trial.generator()
        try trial.expectEqual(try store.size().entries, 0, "the entries of a new store")
        var (entries, bytes) = (0, 0)
        for (round, count) in [2_000, 3_000].enumerated() {
            for batch in 0..<10 {
                try store.transact { (transaction) throws(CacheError) in
                    for index in 0..<(count / 10) {
                        let key = [1] + SizeRules.noise(12, &generator) + Array("\(round)/\(batch)/\(index)".utf8)
                        let value = SizeRules.noise(Int.random(in: 100...500, using: &generator), &generator)
                        try transaction.put(key, value)
                        entries += 1
                        bytes += key.count + value.count
                    }
                }
            }
            try store.synchronize()
            let size = try store.size()
            try trial.expectEqual(size.entries, entries, "the entries of a store of \(entries)")
            try trial.expect(
                size.payloadBytes * 3 >= bytes * 2 && size.payloadBytes * 3 <= bytes * 4,
                "the payload of \(entries) entries: expected \(bytes) bytes, or a third more or less, got \(size.payloadBytes)."
            )
        }
        for key in try store.keys().dropFirst(entries / 2) { try store.remove(key) }
        try trial.expectEqual(try store.size().entries, entries / 2, "the entries after half of them was removed")
    }

    static let disk = Rule(
        "STO-16", "The bytes on disk that `size()` says are those of the directory's files, and hold what was stored.",
        because: "A budget that counts nothing is none.", requires: [.storedBytes, .directory],
        kills: ["hides-its-files"]
    ) { trial in
        let site = try trial.site()
        let store = try site.openStore()
        var generator = trial.generator()
        var bytes = 0
        for _ in 0..<20 {
            try store.transact { (transaction) throws(CacheError) in
                for _ in 0..<100 {
                    let value = SizeRules.noise(600, &generator)
                    try transaction.put([1] + SizeRules.noise(16, &generator), value)
                    bytes += value.count
                }
            }
        }
        try store.synchronize()
        guard let directory = site.directory else { throw CheckFailure("The store has no directory.") }
        // An engine at work in the background may add and remove files between the two.
        var (said, seen) = (0, 0)
        for _ in 0..<20 {
            seen = try TemporaryDirectory.bytesOnDisk(directory)
            said = try store.size().bytesOnDisk
            if abs(said - seen) * 10 <= seen, said >= bytes { break }
            BlockingExecutor.pause(milliseconds: 50)
        }
        try trial.expect(
            said >= bytes, "the bytes on disk: expected the \(bytes) bytes of values at least, got \(said).")
        try trial.expect(
            abs(said - seen) * 10 <= seen,
            "the bytes on disk: expected the files' \(seen), or a tenth more or less, got \(said).")
    }

    /// Bytes that no engine can make smaller.
    private static func noise(_ count: Int, _ generator: inout SeededGenerator) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
    }
}

import GroveCache
import GroveModel

/// STO: what a bare ``NodeStore`` promises to the cache above it.
enum StoreRules {
    static let all = [
        stored, isolated, aborted, ordered, empty, ownWrites, limits, overwritten, removed, wiped, full,
    ]

    static let stored = Rule(
        "STO-01", "Every put of a committed transaction is stored, under its own key, whole.",
        because: "A lost put is a lost child; a neighbour's value is a lie.", requires: [.storedBytes],
        kills: ["drops-last-write", "neighbours-value", "silent-loss"]
    ) { trial in
        let store = try trial.site().openStore()
        var generator = trial.generator()
        let entries = (0..<300).map { index -> (key: [UInt8], value: [UInt8]) in
            let tail = (0..<Int.random(in: 0...40, using: &generator)).map { _ in
                UInt8.random(in: 0...255, using: &generator)
            }
            return (
                [1] + Array("\(index / 2)/".utf8) + (index < 100 ? [UInt8(index % 2)] : [2, UInt8(index % 2)] + tail),
                (0..<index).map { UInt8(truncatingIfNeeded: $0 &* index) }
            )
        }
        try store.transact { (transaction) throws(CacheError) in
            for entry in entries { try transaction.put(entry.key, entry.value) }
        }
        for (index, entry) in entries.enumerated() {
            try trial.expectEqual(
                try store.get(entry.key), entry.value, "the value of key \(index) of 300 in one batch")
        }
        try trial.expectEqual(try store.keys().count, 300, "the number of keys that a scan visits")
        try trial.expectEqual(try store.size().entries, 300, "the number of entries that the store counts")
    }

    static let isolated = Rule(
        "STO-02", "A view shows the state in which it was opened, whatever is committed later.",
        because: "A tree read while it is being replaced must not mix two versions.", requires: [.storedBytes],
        kills: ["live-views", "lags-one-commit"]
    ) { trial in
        let store = try trial.site().openStore()
        try store.put([1, 1], [1])
        try store.put([1, 2], [1])
        let view = try store.view()
        defer { view.end() }
        try trial.expectEqual(try view.get([1, 1]), [1], "a value in a view opened after its commit")
        try store.transact { (transaction) throws(CacheError) in
            try transaction.put([1, 1], [2])
            try transaction.remove([1, 2])
            try transaction.put([1, 3], [2])
        }
        try trial.expectEqual(try view.get([1, 1]), [1], "a value in a view opened before it was replaced")
        try trial.expectEqual(try view.get([1, 2]), [1], "a value in a view opened before it was removed")
        try trial.expectEqual(try view.get([1, 3]), nil, "a value in a view opened before it was stored")
        try trial.expectEqual(try view.entries([1]).map(\.value), [[1], [1]], "what a scan of that view visits")
        try trial.expectEqual(try store.get([1, 1]), [2], "a value in a view opened after it was replaced")
        try trial.expectEqual(try store.keys(), [[1, 1], [1, 3]], "the keys in a view opened after the commit")
    }

    static let aborted = Rule(
        "STO-03", "A transaction whose body throws stores nothing, and its error comes out.",
        because: "Half a tree must never be there.", requires: [.storedBytes], kills: ["abort-commits"]
    ) { trial in
        let store = try trial.site().openStore()
        try store.put([1], [1])
        try trial.expectError(.full, from: "a transaction whose body throws") {
            try store.transact { (transaction) throws(CacheError) in
                try transaction.put([1], [2])
                try transaction.put([2], [2])
                throw CacheError(.full, "The rule ends the transaction.")
            }
        }
        try trial.expectEqual(try store.get([1]), [1], "a value that an aborted transaction replaced")
        try trial.expectEqual(try store.get([2]), nil, "a value that an aborted transaction stored")
        try store.put([3], [3])
        try trial.expectEqual(try store.keys(), [[1], [3]], "the keys after a commit that followed the abort")
    }

    static let ordered = Rule(
        "STO-04",
        "A scan visits the keys with its prefix, all of them or those after a key, in the order of their bytes, until told to stop.",
        because: "Wiping a namespace and inspecting a store rely on it.", requires: [.storedBytes],
        kills: ["scan-out-of-order", "text-keys"]
    ) { trial in
        let store = try trial.site().openStore()
        var generator = trial.generator()
        var keys: [[UInt8]] = [
            [1], [1, 0], [1, 0, 0], [1, 0x7F], [1, 0x80], [1, 0xFF], [1, 0xFF, 0xFF], [2], [0xFF, 0xFF],
        ]
        keys.append([1] + Array("cafe\u{301}".utf8))
        keys.append([1] + Array("caf\u{E9}".utf8))
        keys.append([1] + [UInt8](repeating: 7, count: 3_000))
        for _ in 0..<200 {
            keys.append([1, UInt8.random(in: 0...255, using: &generator), UInt8.random(in: 0...255, using: &generator)])
        }
        let sorted = Set(keys).sorted { $0.lexicographicallyPrecedes($1) }
        try store.transact { (transaction) throws(CacheError) in
            for key in keys.shuffled(using: &generator) { try transaction.put(key, key) }
        }
        let view = try store.view()
        defer { view.end() }
        let found = try view.entries([1])
        try trial.expectEqual(found.map(\.key), sorted.filter { $0[0] == 1 }, "the keys of a scan of one prefix")
        try trial.expect(found.allSatisfy { $0.key == $0.value }, "a scan: expected each key with its own value.")
        try trial.expectEqual(try view.entries([]).map(\.key), sorted, "the keys of a scan of everything")
        try trial.expectEqual(try view.entries([3]).count, 0, "the keys of a scan of a prefix that nothing has")
        var visits = 0
        try unsafe borrowing([1]) { (prefix) throws(CacheError) in
            try unsafe view.scan(prefix: prefix) { (_, _) throws(CacheError) in
                visits += 1
                return visits < 5
            }
        }
        try trial.expectEqual(visits, 5, "the visits of a scan that was told to stop at the fifth")
        for start in [[], [0], [1], [1, 0x80], [1, 0xFF, 0xFF, 1], [2], [3]] + sorted {
            let rest = sorted.filter { $0[0] == 1 && start.lexicographicallyPrecedes($0) }
            let found = try view.entries([1], after: start).map(\.key)
            try trial.expectEqual(found, rest, "the keys of a scan of one prefix after \(start.prefix(5))")
        }
    }

    static let empty = Rule(
        "STO-05", "A value of no bytes is there, and is not absent.",
        because: "An empty value that becomes absent is a miss nobody can explain.", requires: [.storedBytes],
        kills: ["empty-is-absent"]
    ) { trial in
        let store = try trial.site().openStore()
        try store.put([1], [])
        try trial.expectEqual(try store.get([1]), [], "a stored value of no bytes")
        try trial.expectEqual(try store.get([2]), nil, "the value of a key that was never stored")
        try trial.expectEqual(try store.keys(), [[1]], "the keys of a store with one empty value")
    }

    static let ownWrites = Rule(
        "STO-06", "A transaction sees its own puts and removals, in look-ups and scans.",
        because: "One group of writes builds upon itself.", requires: [.storedBytes], kills: ["blind-transaction"]
    ) { trial in
        let store = try trial.site().openStore()
        try store.put([1], [1])
        try store.put([2], [1])
        var seen: [[UInt8]?] = []
        var scanned: [[UInt8]] = []
        try store.transact { (transaction) throws(CacheError) in
            try transaction.put([1], [9])
            try transaction.remove([2])
            try transaction.put([3], [9])
            seen = [try transaction.get([1]), try transaction.get([2]), try transaction.get([3])]
            try transaction.put([2], [8])
            try transaction.remove([3])
            seen += [try transaction.get([2]), try transaction.get([3])]
            scanned = try transaction.entries([]).map(\.key)
        }
        try trial.expectEqual(seen, [[9], nil, [9], [8], nil], "what a transaction reads of its own writes")
        try trial.expectEqual(scanned, [[1], [2]], "what a transaction scans of its own writes")
        try trial.expectEqual(try store.keys(), [[1], [2]], "the keys after the commit")
    }

    static let limits = Rule(
        "STO-08", "Keys of 1 to 8,192 bytes work, whatever the engine's own limit, and stay distinct.",
        because: "Identifiers are the application's business, not the engine's.", requires: [.storedBytes],
        kills: ["keys-cut-at-511", "nul-ends-key"]
    ) { trial in
        let store = try trial.site().openStore()
        let lengths = [1, 2, 255, 256, 510, 511, 512, 513, 1_023, 2_000, 4_096, 8_191, 8_192]
        try store.transact { (transaction) throws(CacheError) in
            for length in lengths {
                let key = [UInt8](repeating: 5, count: length)
                try transaction.put(key, Array("\(length)".utf8))
                try transaction.put(key.dropLast() + [0], Array("\(length)/0".utf8))
            }
        }
        for length in lengths {
            let key = [UInt8](repeating: 5, count: length)
            try trial.expectEqual(try store.get(key), Array("\(length)".utf8), "the value of a key of \(length) bytes")
            try trial.expectEqual(
                try store.get(key.dropLast() + [0]), Array("\(length)/0".utf8),
                "the value of a key of \(length) bytes that ends in NUL")
        }
        try trial.expectEqual(try store.keys().count, lengths.count * 2, "the number of keys")
    }

    static let overwritten = Rule(
        "STO-09", "A value replaces the one before it, whole, whether shorter or longer.",
        because: "A tail of the old value makes a record that nobody wrote.", requires: [.storedBytes],
        kills: ["old-tail-survives"]
    ) { trial in
        let store = try trial.site().openStore()
        for length in [10, 100_000, 3, 5_000, 0, 4_096, 1] {
            let value = [UInt8](repeating: UInt8(truncatingIfNeeded: length), count: length)
            try store.put([1, 2, 3], value)
            try trial.expectEqual(try store.get([1, 2, 3]), value, "a value of \(length) bytes in place of another")
        }
        try trial.expectEqual(try store.size().entries, 1, "the number of entries after seven writes of one key")
    }

    static let removed = Rule(
        "STO-10", "A removed key is absent; removing an absent one is no error.",
        because: "What is deleted must not come back.", requires: [.storedBytes], kills: ["remove-forgotten"]
    ) { trial in
        let store = try trial.site().openStore()
        let long = [UInt8](repeating: 6, count: 3_000)
        try store.put([1], [1])
        try store.put(long, [1])
        try store.remove([1])
        try store.remove(long)
        try store.remove([9])
        try trial.expectEqual(try store.get([1]), nil, "the value of a removed key")
        try trial.expectEqual(try store.get(long), nil, "the value of a removed key of 3,000 bytes")
        try trial.expectEqual(try store.keys(), [], "the keys of a store from which everything was removed")
        try store.put([1], [2])
        try trial.expectEqual(try store.get([1]), [2], "a value stored after its key was removed")
    }

    static let wiped = Rule(
        "STO-11", "After a wipe the store is empty and works.",
        because: "Wiping is what happens at log-out.", requires: [.storedBytes], kills: ["wipe-keeps-collections"]
    ) { trial in
        let store = try trial.site().openStore()
        try store.transact { (transaction) throws(CacheError) in
            for namespace in 0...5 { try transaction.put([UInt8(namespace), 1], [1]) }
            try transaction.put([UInt8](repeating: 6, count: 3_000), [1])
        }
        try store.wipe()
        try trial.expectEqual(try store.keys(), [], "the keys after a wipe")
        try trial.expectEqual(try store.size().entries, 0, "the number of entries after a wipe")
        try store.put([1], [2])
        try trial.expectEqual(try store.get([1]), [2], "a value stored after a wipe")
    }

    static let full = Rule(
        "STO-12",
        "A store that is full says so typed, at a put or at the commit, keeps nothing of it, and works when it is emptied.",
        because: "An engine's own limit is met in the middle of a tree, or after its last node.",
        requires: [.storedBytes, .bounded, .wipe], kills: ["abort-commits"]
    ) { trial in
        var (atPut, atCommit) = (0, 0)
        // Batches of many sizes meet the limit in many places.
        for size in [1, 3, 17, 60, 111] {
            let store = try trial.site().openSmallStore()
            var (round, refusals) = (0, 0)
            while refusals < 3 {
                var puts = 0
                do {
                    try store.transact { (transaction) throws(CacheError) in
                        for index in 0..<size {
                            let key = Array("\(round)/\(index)".utf8)
                            try transaction.put([1] + key, [UInt8](repeating: UInt8(index), count: 900 + index * 37))
                            puts += 1
                        }
                    }
                } catch let error as CacheError {
                    try trial.expectEqual(error.code, .full, "the error of batch \(round) of \(size), of a full store")
                    refusals += 1
                    if puts < size { atPut += 1 } else { atCommit += 1 }
                    try trial.expectEqual(
                        try store.view().entries([1] + Array("\(round)/".utf8)).count, 0, "the keys of a refused batch")
                }
                round += 1
                try trial.expect(round < 30_000, "the batches of \(size) until the store is full: expected an end.")
            }
            for number in stride(from: 0, to: round - 3, by: 7) {
                for index in [0, size - 1] {
                    let value = try store.get([1] + Array("\(number)/\(index)".utf8))
                    try trial.expectEqual(value?.count, 900 + index * 37, "the bytes of a value in a full store")
                }
            }
            try store.wipe()
            try store.put([1], [2])
            try trial.expectEqual(try store.get([1]), [2], "a value stored after a full store was wiped")
        }
        trial.note("\(atPut) refused at a put, \(atCommit) at the commit")
    }
}

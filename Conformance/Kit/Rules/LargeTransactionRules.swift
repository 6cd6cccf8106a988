import GroveCache
import GroveModel

/// Transactions of more puts than an engine may like to take at once.
enum LargeTransactionRules {
    static let all = [store, largeStore, beside, trees, largeTrees]

    static let store = Rule(
        "STO-13",
        "A transaction of 100 or 5,001 puts is there whole or not at all: to views beside it, and if it throws.",
        because: "An engine with a limit on batches invites a store to commit in pieces.", requires: [.storedBytes],
        kills: ["commits-every-30", "commits-every-5000"], timeLimit: .seconds(240)
    ) { trial in
        try inStore(100, valueBytes: 40, trial)
        try inStore(5_001, valueBytes: 400, trial)
    }

    static let largeStore = Rule(
        "STO-14", "The same of 40,000 puts and of several megabytes in few puts.",
        because: "The limits of engines lie at numbers of puts, at bytes, or at pages.", requires: [.storedBytes],
        kills: ["commits-every-5000"], timeLimit: .seconds(900)
    ) { trial in
        try inStore(40_000, valueBytes: 100, trial)
        try inStore(9, valueBytes: 1 << 20, trial)
    }

    private static func key(_ index: Int) -> [UInt8] {
        // In an order that is not that of the bytes.
        let number = UInt32(truncatingIfNeeded: index &* 2_654_435_761)
        return [1] + (0..<4).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) } + Array("\(index)".utf8)
    }

    private static func value(_ index: Int, _ version: UInt8, _ count: Int) -> [UInt8] {
        var value = [UInt8](repeating: version, count: count)
        for byte in 0..<min(4, count) { value[byte] = UInt8(truncatingIfNeeded: index >> (byte * 8)) &+ version }
        return value
    }

    /// Puts `count` entries in one transaction that throws, then in one that does not, and looks beside both.
    private static func inStore(_ count: Int, valueBytes: Int, _ trial: Trial) throws {
        let store = try trial.site().openStore()
        let (first, middle, last) = (0, count / 2, count - 1)
        let kept: [UInt8] = [9, 9]
        try store.transact { (transaction) throws(CacheError) in
            try transaction.put(kept, [1])
            for index in [first, middle, last] { try transaction.put(key(index), value(index, 1, valueBytes)) }
        }
        /// What a view of a thread of its own shows: entries, and the versions of three of them.
        @Sendable func look() throws -> [Int] {
            let view = try store.view()
            defer { view.end() }
            var shown = [try view.entries().count]
            for index in [first, middle, last] {
                let found = try view.get(key(index))
                shown.append((1...3).first { found == value(index, UInt8($0), valueBytes) } ?? 0)
            }
            return shown
        }
        let before = [4, 1, 1, 1]
        let what = "of a transaction of \(count) puts"
        func run(_ version: UInt8, throwing: Bool) throws -> [[Int]] {
            var beside: [[Int]] = []
            var failure: (any Error)?
            do {
                try store.transact { (transaction) throws(CacheError) in
                    for index in 0..<count {
                        try transaction.put(key(index), value(index, version, valueBytes))
                        guard index == middle || index == last else { continue }
                        do {
                            beside.append(try Threads.start { try look() }.wait(seconds: 60) ?? [])
                        } catch {
                            failure = error
                        }
                    }
                    if throwing { throw CacheError(.full, "The rule ends the transaction.") }
                }
            } catch {
                guard throwing, error.code == .full else { throw error }
            }
            if let failure { throw failure }
            return beside
        }
        let view = try store.view()
        for seen in try run(2, throwing: true) {
            try trial.expectEqual(seen, before, "the entries and versions in a view beside the body \(what)")
        }
        try trial.expectEqual(try look(), before, "the entries and versions after the abort \(what)")
        for seen in try run(3, throwing: false) {
            try trial.expectEqual(seen, before, "the entries and versions in a view beside the second body \(what)")
        }
        try trial.expectEqual(
            try view.entries().count, 4, "the entries in a view that was open before the commit \(what)")
        view.end()
        try trial.expectEqual(try look(), [count + 1, 3, 3, 3], "the entries and versions after the commit \(what)")
        let end = try store.view()
        defer { end.end() }
        for index in stride(from: 0, to: count, by: max(1, count / 500)) {
            try trial.expectEqual(
                try end.get(key(index)), value(index, 3, valueBytes), "the value of put \(index) \(what)")
        }
    }

    static let beside = Rule(
        "CNC-11", "A view that opens while a commit of 12,000 puts is under way shows all of it or nothing.",
        because: "Readers do not wait for writers, and must not see half of what they write.", requires: [.storedBytes],
        kills: ["shows-commits-in-parts", "commits-every-5000"]
    ) { trial in
        let store = try trial.site().openStore()
        let count = 12_000
        for version in UInt8(1)...3 {
            let writer = Threads.start { () -> Bool in
                try store.transact { (transaction) throws(CacheError) in
                    for index in 0..<count { try transaction.put(key(index), value(index, version, 60)) }
                }
                return true
            }
            var looks = 0
            while writer.calls == 0 || looks < 3 {
                let view = try store.view()
                let found = try [0, count / 3, count / 2, count - 1].map { index in
                    let bytes = try view.get(key(index))
                    return (version - 1...version).first { bytes == value(index, $0, 60) } ?? 0
                }
                view.end()
                try trial.expectEqual(
                    Set(found).count, 1, "the versions that one view shows of one commit (\(found))")
                looks += 1
            }
            _ = try writer.wait(seconds: 60)
        }
    }

    static let trees = Rule(
        "TXN-09",
        "A transaction of 100 or 5,000 models is one commit: none shows before its end, none stays if it throws.",
        because: "A sync that fails in its last page must not leave the first ones.", requires: [.typedCalls],
        kills: ["commits-every-30", "commits-every-5000"], timeLimit: .seconds(120)
    ) { trial in
        try inCache(100, trial)
        try inCache(5_000, trial)
    }

    static let largeTrees = Rule(
        "TXN-10", "The same of 40,000 models.", because: "It is what a first synchronization brings.",
        requires: [.typedCalls], kills: ["commits-every-5000"], timeLimit: .seconds(240)
    ) { try inCache(40_000, $0) }

    private static func inCache(_ count: Int, _ trial: Trial) throws {
        // What may be forgotten, or fail, at any moment is not counted.
        guard trial.backend.leniency == .none else { return try trial.expect(true, "") }
        let cache = try trial.cache()
        let places = [0, count / 2, count - 1]
        @Sendable func ages() throws -> [Int?] {
            try cache.view { view in
                try places.map { try view.read(ModelIdentifier("Person:\($0)"), as: Person.self).value?.age }
            }
        }
        let what = "of a transaction of \(count) models"
        struct Given: Error {}
        for (round, isThrown) in [(1, true), (2, false), (3, true)] {
            let before: [Int?] = round == 3 ? [2, 2, 2] : [nil, nil, nil]
            var beside: [Int?] = []
            do {
                try cache.transact { transaction in
                    for start in stride(from: 0, to: count, by: 500) {
                        let people = (start..<min(start + 500, count)).map { Person(id: "Person:\($0)", age: round) }
                        try transaction.write(contentsOf: people)
                    }
                    beside = try Threads.start { try ages() }.wait(seconds: 60) ?? []
                    if isThrown { throw Given() }
                }
            } catch is Given {}
            try trial.expectEqual(beside, before, "three ages read beside the body \(what)")
            try trial.expectEqual(
                try ages(), isThrown ? before : [2, 2, 2],
                "three ages after \(isThrown ? "the abort" : "the end") \(what)")
        }
    }
}

import GroveCache
import GroveModel
import TestSupport
import Testing

/// Views, transactions, and both at once.
extension StoreContract {
    static var transactionChecks: [Check] {
        [
            Check("A view shows the state in which it was opened, whatever is committed since") { try $0.isolation() },
            Check("A transaction sees its own writes and removals, scanning too") { try $0.ownWrites() },
            Check("A sweep visits every record once, whatever goes meanwhile, and goes on from any place") { contract in
                for seed in 1...6 { try contract.sweeps(seed: UInt64(seed)) }
            },
            Check("A transaction that throws leaves nothing behind") { try $0.aborts() },
            Check("Readers on many threads each see whole commits while a writer commits") {
                try await $0.concurrency()
            },
        ]
    }

    /// For the stores that refuse keys which no cache would give them.
    package static var badKeys: Check {
        Check("A key of no byte and one of 8,193 bytes are refused, and the transaction goes on") { contract in
            let store = try contract.open()
            try store.write { transaction throws(CacheError) in
                #expect(code { try transaction.put([], [1]) } == .emptyIdentifier)
                let long = [UInt8](repeating: 1, count: 8_193)
                #expect(code { try transaction.put(long, [1]) } == .tooLarge)
                #expect(try transaction.get(long) == nil)
                try transaction.put([1], [1])
            }
            #expect(try store.get([1]) == [1])
        }
    }

    /// Sweeps in runs of random lengths, in several transactions, in which records come and go.
    private func sweeps(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let store = try open()
        var there: Set<[UInt8]> = []
        try store.write { transaction throws(CacheError) in
            for number in 0..<400 {
                var key =
                    [UInt8("\(number % 7)".utf8.first ?? 0)] + Array("Item \(number % 5):\(number * 37 % 1_000)".utf8)
                if number % 50 == 0 { key += [UInt8](repeating: UInt8(number / 50), count: 600) }
                try transaction.put(key, [UInt8](repeating: 1, count: number % 90))
                there.insert(key)
            }
        }
        let before = there
        var seen: [[UInt8]: Int] = [:]
        var cursor: SweepCursor?
        var isDone = false
        while !isDone {
            try store.write { transaction throws(CacheError) in
                guard let transaction = transaction as? any SweepableTransaction else { return isDone = true }
                let limit = Int.random(in: 1...9, using: &random)
                let (keys, next) = try transaction.keys(after: cursor, limit: limit)
                #expect(keys.count <= limit + 3)
                for key in keys { seen[key, default: 0] += 1 }
                cursor = next
                isDone = next == nil
                // What was seen goes, and with it the record that the cursor stands on.
                if let key = keys.last, Bool.random(using: &random) {
                    try transaction.remove(key)
                    there.remove(key)
                    let (again, _) = try transaction.keys(after: next, limit: 5)
                    #expect(!again.contains(key))
                }
            }
        }
        guard !seen.isEmpty else { return }
        #expect(seen.values.allSatisfy { $0 == 1 })
        #expect(there.isSubset(of: Set(seen.keys)) && Set(seen.keys).isSubset(of: before))
        // From each record on, the rest is shown.
        try store.write { transaction throws(CacheError) in
            guard let transaction = transaction as? any SweepableTransaction else { return }
            let all = try transaction.keys(after: nil, limit: .max).keys
            #expect(Set(all) == there)
            for place in stride(from: 0, to: all.count, by: 41) where all[place].count < 400 {
                let rest = try transaction.keys(after: transaction.sweepCursor(at: all[place]), limit: .max).keys
                #expect(rest == Array(all[(place + 1)...]))
            }
            _ = try transaction.keys(after: SweepCursor([0xFF, 3]), limit: 3)
            _ = try transaction.keys(after: SweepCursor([]), limit: 3)
        }
    }

    private func isolation() throws {
        let store = try open()
        try store.write { transaction throws(CacheError) in
            for index in 0..<1_000 { try transaction.put("key \(index)", "old") }
        }
        let before = try store.view()
        let old = try before.dictionary()
        #expect(old.count == 1_000)
        for round in 0..<3 {
            try store.write { transaction throws(CacheError) in
                for index in stride(from: round, to: 1_000, by: 7) { try transaction.put("key \(index)", "new") }
                for index in stride(from: round, to: 1_000, by: 11) { try transaction.remove("key \(index)") }
                try transaction.put("key \(1_000 + round)", "new")
            }
        }
        #expect(try before.dictionary() == old)
        #expect(try before.get("key 0") == "old")
        #expect(try before.get("key 1000") == nil)
        before.end()
        before.end()
        try store.read { view throws(CacheError) in
            #expect(try view.get("key 7") == "new")
            #expect(try view.get("key 0") == nil)
            #expect(try view.get("key 1000") == "new")
        }
    }

    private func ownWrites() throws {
        let store = try open()
        let long = String(repeating: "i", count: 600)
        try store.write { transaction throws(CacheError) in
            for key in ["a", "c", "e", "g"] { try transaction.put(key, "0") }
        }
        let keys = ["b", "c", "e", "h", long].map { [UInt8]($0.utf8) }
        try store.write { transaction throws(CacheError) in
            #expect(try transaction.get("a") == "0")
            try transaction.put("a", "1")
            #expect(try transaction.get("a") == "1")
            try transaction.remove("a")
            #expect(try transaction.get("a") == nil)
            try transaction.put("b", "2")
            try transaction.remove("e")
            try transaction.put("e", "longer than before")
            try transaction.remove("g")
            try transaction.put("h", "3")
            try transaction.put(long, "4")
            #expect(try transaction.get(long) == "4")
            try transaction.remove("absent")
            #expect(try transaction.keys() == keys)
            #expect(try transaction.get("e") == "longer than before")
        }
        #expect(try store.keys() == keys)
        #expect(try store.size().entries == keys.count)
    }

    private func aborts() throws {
        let store = try open()
        try store.write { transaction throws(CacheError) in
            for index in 0..<300 { try transaction.put("key \(index)", "old") }
        }
        let before = try store.dictionary()
        let thrown = code {
            try store.write { transaction throws(CacheError) in
                for index in 0..<600 { try transaction.put("key \(index)", "new") }
                try transaction.put([UInt8](repeating: 7, count: 600), [3])
                for index in 0..<100 { try transaction.remove("key \(index)") }
                throw CacheError(.cancelled, "by the test")
            }
        }
        #expect(thrown == .cancelled)
        #expect(try store.dictionary() == before)
        #expect(try store.size().entries == 300)
    }

    private func concurrency() async throws {
        let store = try open()
        let keys = (0..<200).map { "key \($0)" }
        try store.write { transaction throws(CacheError) in for key in keys { try transaction.put(key, "0") } }
        try await withThrowingTaskGroup(of: Void.self) { group in
            let isDone = Flag()
            for _ in 0..<4 {
                group.addTask {
                    var last = 0
                    while !isDone.isSet {
                        let values = try store.read { view throws(CacheError) in
                            var values: Set<String?> = []
                            for key in keys { values.insert(try view.get(key)) }
                            return values
                        }
                        #expect(values.count == 1)
                        let now = values.first?.flatMap { Int($0) } ?? -1
                        #expect(now >= last)
                        last = now
                        await Task.yield()
                    }
                }
            }
            group.addTask {
                defer { isDone.set() }
                for round in 1...200 {
                    try store.write { transaction throws(CacheError) in
                        for key in keys { try transaction.put(key, "\(round)") }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try store.read { view throws(CacheError) in try view.get("key 7") } == "200")
    }
}

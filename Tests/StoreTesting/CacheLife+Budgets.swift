import Foundation
import GroveCache
import GroveModel
import TestSupport
import Testing

/// Caches within the least budget that their backend takes.
extension CacheLife {
    /// The promises that `Store` makes of them, as its profile says.
    static var budgetChecks: [Check] {
        guard Store.profile.isPersistent, Store.profile.isEvicting else { return [] }
        return [
            Check("Within the least budget every write of up to 64 KB is taken, and older records go for it") {
                for count in [20, 300, 1_000, 5_000, 20_000, 60_000] { try $0.leastBudget(notesOf: count) }
            },
            Check("Within the least budget trees and rewrites are taken as well") { try $0.leastBudgetOfTrees() },
            Check("A view that stays open neither empties the cache nor holds up writes, which fail and name it") {
                try $0.openView()
            },
            Check("Within the least budget a transaction keeps all that it wrote") {
                try $0.leastBudgetOfTransactions()
            },
            Check("Within the least budget long lists are edited, and what is left of them is right") {
                try $0.leastBudgetOfLists()
            },
            Check("A budget that is too small is refused, and nothing is made") { try $0.tooSmall() },
            Check("A store that is made anew within the least budget opens") { try $0.madeAnewWithinLeast() },
        ]
    }

    private var least: Int { Store.profile.leastBudgetBytes }

    private func bytesOnDisk(_ place: String) throws -> Int {
        try StoreFiles(place).allocatedBytes() + ((try? StoreFiles(place + "/grove-set-aside").allocatedBytes()) ?? 0)
    }

    private func leastBudget(notesOf count: Int) throws {
        let place = path + " \(count)"
        let cache = try Cache(directory: place, options: options, budget: CacheBudget(bytes: least))
        let text = String(repeating: "x", count: count)
        var first = 0
        while try cache.usage().evictions == 0 {
            let notes = (first..<first + max(min(40, 60_000 / count), 1)).map { Note($0, text) }
            try cache.write(contentsOf: notes)
            first += notes.count
        }
        for index in first..<first + 500 {
            try cache.write(Note(index, text))
            #expect(try bytesOnDisk(place) <= least, "write \(index) of \(count) bytes")
            // What is more than a tenth of what fits may itself be what goes.
            guard try count > 20_000 || cache.model(ModelIdentifier("Note:\(index)"), as: Note.self) != nil else {
                Issue.record("write \(index) of \(count) bytes is not there")
                return
            }
        }
        cache.close()
    }

    /// Writes on beside a view that stays open, until the store has no room.
    private func openView() throws {
        let budget = max(least * 2, 8 << 20)
        let cache = try Cache(directory: path, options: options, budget: CacheBudget(bytes: budget))
        let text = String(repeating: "x", count: 500)
        var first = 0
        while try cache.usage().evictions == 0 {
            try cache.write(contentsOf: (first..<first + 40).map { Note($0, text) })
            first += 40
        }
        let before = try cache.usage()
        let (isOpen, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let ended = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            _ = try? cache.read { _ in
                isOpen.signal()
                mayEnd.wait()
            }
            ended.signal()
        }
        isOpen.wait()
        var failure: CacheError?
        var slowest = Duration.zero
        for _ in 0..<2_000 where failure == nil {
            let begun = ContinuousClock.now
            do throws(CacheError) {
                try cache.write(contentsOf: (first..<first + 20).map { Note($0, text) })
                first += 20
            } catch {
                failure = error
            }
            slowest = max(slowest, ContinuousClock.now - begun)
        }
        let usage = try cache.usage()
        #expect(usage.entries ?? 0 > (before.entries ?? 0) * 3 / 4, "\(usage.entries ?? 0) of \(before.entries ?? 0)")
        #expect(try bytesOnDisk(path) <= budget)
        #expect(slowest < .seconds(5), "\(slowest)")
        if let failure {
            #expect(failure.code == .full && failure.message.contains("view has been open"), "\(failure)")
        }
        mayEnd.signal()
        ended.wait()
        // Room comes back with the view's end.
        for _ in 0..<20 {
            try cache.write(contentsOf: (first..<first + 20).map { Note($0, text) })
            first += 20
        }
        cache.close()
    }

    private func leastBudgetOfLists() throws {
        let cache = try Cache(directory: path, options: options, budget: CacheBudget(bytes: least))
        var random = SeededGenerator(seed: 7)
        var list: [Note] = []
        var (made, found, lost) = (0, 0, 0)
        func notes(_ count: Int) -> [Note] {
            made += count
            return (made - count..<made).map { Note($0, String(repeating: "x", count: $0 % 50)) }
        }
        for round in 0..<600 {
            let new = notes(round % 3 == 0 ? 100 : 1)
            let index = Int.random(in: 0...list.count, using: &random)
            do throws(CacheError) {
                if list.isEmpty {
                    try cache.writeCollection(new, as: "list")
                } else {
                    try cache.insert(new, at: index, inCollection: "list")
                }
                list.insert(contentsOf: new, at: index)
            } catch {
                guard error.code == .outOfRange else { throw error }
                lost += 1
                list = []
            }
            let page = index..<index + 20
            if let read = try cache.readCollection("list", of: Note.self, in: page).value?.elements {
                found += 1
                try #require(read == Array(list[page.clamped(to: 0..<list.count)]), "round \(round)")
            }
            // Others come between, until there is no room for the list.
            try cache.write(contentsOf: notes(round < 300 ? 1 : 100))
            #expect(try bytesOnDisk(path) <= least, "round \(round)")
        }
        #expect(found > 100, "\(found) pages, \(lost) lists lost")
        #expect(try cache.usage().evictions > 1_000)
        cache.close()
    }

    private func leastBudgetOfTrees() throws {
        let cache = try Cache(directory: path, options: options, budget: CacheBudget(bytes: least))
        var random = SeededGenerator(seed: 1)
        for round in 0..<300 {
            let first = Int.random(in: 0..<2_000, using: &random)
            let (size, count) = [(40, 300), (600, 60), (5_000, 10), (15_000, 2)][round % 4]
            // Some are there and lie anywhere, others are new.
            let notes = (0..<count).map { Note(round % 3 == 0 ? first + $0 * 7 : 2_000 + round * 300 + $0, "\(round)") }
                .map { Note($0.id, String(repeating: "\(round % 10)", count: size)) }
            try cache.write(contentsOf: notes)
            #expect(try bytesOnDisk(path) <= least, "round \(round)")
            let last = try #require(notes.last)
            #expect(try cache.model(ModelIdentifier("Note:\(last.id)"), as: Note.self) == last, "round \(round)")
        }
    }

    /// Transactions of several sizes: all that each wrote is there, and the files stay within the budget.
    private func leastBudgetOfTransactions() throws {
        let cache = try Cache(directory: path, options: options, budget: CacheBudget(bytes: least))
        var random = SeededGenerator(seed: 2)
        for round in 0..<200 {
            let (size, count) = [(40, 60), (600, 40), (2_000, 10), (40, 1)][round % 4]
            let first = Int.random(in: 0..<4_000, using: &random)
            func write() throws {
                try cache.write { tx in
                    for index in 0..<count {
                        try tx.write(Note(first + 7 * index, String(repeating: "\(round % 10)", count: size)))
                    }
                    try tx.delete(ModelIdentifier("Note:\(first)"))
                }
            }
            // An engine that is full all the same has more room at the next attempt.
            var attempts = 1
            while let code = code(write) {
                #expect(code == .full && attempts < 4, "round \(round), attempt \(attempts): \(code)")
                guard code == .full, attempts < 4 else { return }
                attempts += 1
            }
            #expect(try bytesOnDisk(path) <= least, "round \(round)")
            for index in 1..<max(count, 1) {
                let note = try cache.model(ModelIdentifier("Note:\(first + 7 * index)"), as: Note.self)
                #expect(note?.text.count == size, "round \(round), note \(index)")
            }
        }
        let tooMuch = code {
            try cache.write { tx in
                for index in 0..<2_000 { try tx.write(Note(index, String(repeating: "x", count: 1_000))) }
            }
        }
        #expect(tooMuch == .overBudget)
    }

    private func tooSmall() throws {
        let budgets = [
            CacheBudget(bytes: least - 1), CacheBudget(bytes: 0), CacheBudget(bytes: -1), CacheBudget(nodes: 0),
            CacheBudget(nodes: 10, expiresAfter: 0), CacheBudget(nodes: 10, expiresAfter: .nan),
        ]
        for budget in budgets {
            #expect(code { _ = try Cache(directory: path, options: options, budget: budget) } == .unsupported)
            #expect(!FileManager.default.fileExists(atPath: path))
        }
    }

    private func madeAnewWithinLeast() throws {
        let budget = CacheBudget(bytes: least)
        let cache = try Cache(directory: path, options: options, budget: budget)
        for index in 0..<60 { try cache.write(Note(index, String(repeating: "x", count: 1_000))) }
        cache.close()
        for name in try FileManager.default.contentsOfDirectory(atPath: path)
        where !["lock.mdb", "LOCK"].contains(name) {
            try Data(repeating: 0x5A, count: 5_000).write(to: URL(fileURLWithPath: path + "/" + name))
        }
        let again = try Cache(directory: path, options: options, budget: budget)
        #expect(try again.model("Note:1", as: Note.self) == nil)
        try again.write(Note(1, "after"))
        #expect(try bytesOnDisk(path) <= least)
    }
}

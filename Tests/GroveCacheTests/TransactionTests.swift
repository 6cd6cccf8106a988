import Dispatch
import Foundation
import GroveCache
import GroveCoding
import GroveMemory
import GroveModel
import Synchronization
import Testing
import TestSupport

@Suite("Transactions")
struct TransactionTests {
    private let ann = Person(id: "1", name: "Ann", age: 1)
    private let bob = Person(id: "2", name: "Bob", age: 2)

    private struct Stop: Error {}

    /// Runs `body` on another thread, and waits for it.
    private func elsewhere(_ body: @escaping @Sendable () throws -> Void) {
        let done = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            #expect(throws: Never.self) { try body() }
            done.signal()
        }
        done.wait()
    }

    private func message(_ text: String) -> Message { Message(id: "1", text: text, sender: ann) }

    @Test("A transaction sees its own writes, and nobody else does before its commit")
    func ownWrites() throws {
        let cache = try MemoryCache()
        try cache.write(bob)
        let result = try cache.write { tx -> Int in
            try tx.write(message("Hello"))
            try tx.writeCollection([ann, bob], as: "people")
            try expectEqual(tx.model("Message:1", as: Message.self), message("Hello"))
            try expectEqual(tx.collection("people", of: Person.self), [ann, bob])
            try tx.delete("Person:2")
            try expectEqual(tx.collection("people", of: Person.self), [ann])
            try expectEqual(tx.read("Person:2", as: Person.self), .miss(CacheMiss(.deleted, "Person:2")))
            elsewhere {
                try expectEqual(cache.model("Message:1", as: Message.self), nil)
                try expectEqual(cache.model("Person:2", as: Person.self), bob)
            }
            return 7
        }
        #expect(result == 7)
        #expect(try cache.model("Message:1", as: Message.self) == message("Hello"))
        #expect(try cache.collection("people", of: Person.self) == [ann])
    }

    @Test("What throws leaves nothing, and the throw comes out as it was")
    func throwing() throws {
        let cache = try MemoryCache()
        try cache.write(ann)
        #expect(throws: Stop.self) {
            try cache.write { tx in
                try tx.write(Person(id: "1", name: "Anna", age: 9))
                try tx.delete("Person:1")
                try tx.writeCollection([bob], as: "people")
                throw Stop()
            }
        }
        #expect(try cache.model("Person:1", as: Person.self) == ann)
        #expect(try cache.model("Person:2", as: Person.self) == nil)
        #expect(try cache.collection("people", of: Person.self) == nil)
        try cache.write(bob)
        #expect(try cache.model("Person:2", as: Person.self) == bob)
    }

    @Test("A call that cannot be encoded may be caught, and the transaction goes on")
    func caught() throws {
        let cache = try MemoryCache()
        try cache.write { tx in
            try tx.write(ann)
            let tooLong = Person(id: String(repeating: "x", count: 9_000), name: "", age: 0)
            #expect(throws: CacheError.self) { try tx.write(tooLong) }
            try tx.write(bob)
        }
        #expect(try cache.models(of: ["Person:1", "Person:2"]) == [ann, bob])
    }

    @Test("Where a call fails while it stores, nothing is committed, whatever the body does next")
    func engineFails() throws {
        let disk = try SharedStore.Disk()
        let cache = try disk.open()
        disk.faults.withLock { $0.refusedKeys = [SharedStore.Disk.key("Person:2")] }
        #expect(throws: CacheError.self) {
            try cache.write { tx in
                try tx.write(ann)
                _ = try? tx.write(bob)
            }
        }
        disk.faults.withLock { $0.refusedKeys = [] }
        #expect(try cache.model("Person:1", as: Person.self) == nil)
    }

    @Test("Everything queued before has committed, and the body runs once")
    func afterQueue() throws {
        let cache = try MemoryCache()
        cache.setModel(ann, forKey: "Person:1", context: nil)
        var runs = 0
        try cache.write { tx in
            runs += 1
            try expectEqual(tx.model("Person:1", as: Person.self), ann)
            cache.setModel(bob, forKey: "Person:2", context: nil)
            try expectEqual(tx.model("Person:2", as: Person.self), nil)
        }
        #expect(runs == 1)
        #expect(try cache.model("Person:2", as: Person.self) == bob)
    }

    @Test("Inside a transaction or a view every other call to the cache throws `reentrant`")
    func reentrant() async throws {
        let cache = try MemoryCache()
        @Sendable func expectRefused(_ body: () throws -> Void) {
            do {
                try body()
                Issue.record("The call was not refused.")
            } catch {
                #expect((error as? CacheError)?.code == .reentrant)
            }
        }
        @Sendable func tryAll() {
            expectRefused { _ = try cache.model("Person:1", as: Person.self) }
            expectRefused { try cache.write(ann) }
            expectRefused { try cache.flush() }
            expectRefused { try cache.wipe() }
            expectRefused { try cache.suspend() }
            expectRefused { _ = try cache.size() }
            expectRefused { try cache.write { _ in } }
            expectRefused { try cache.read { _ in } }
            expectRefused { try cache.retain("Person:1") }
        }
        func synchronously() throws {
            try cache.write { tx in
                try tx.write(ann)
                tryAll()
            }
            try cache.read { _ in tryAll() }
        }
        try synchronously()
        try await cache.write { _ in tryAll() }
        try await cache.read { _ in tryAll() }
        #expect(try cache.model("Person:1", as: Person.self) == ann)
    }

    @Test("Observers and streams get one change set, of what is so in the end")
    func changes() async throws {
        let cache = try MemoryCache()
        try await cache.write(contentsOf: [ann, bob])
        var changes = cache.changes().makeAsyncIterator()
        try await cache.write { tx in
            try tx.write(Person(id: "1", name: "Anna", age: 1))
            try tx.delete("Person:1")
            try tx.delete("Person:2")
            try tx.write(Person(id: "2", name: "Rob", age: 2))
            try tx.write(Person(id: "3", name: "Cid", age: 3))
            try tx.evict("Person:3")
            try tx.writeCollection([bob], as: "people")
        }
        try await cache.write(Person(id: "4", name: "Dan", age: 4))
        let set = try #require(await changes.next())
        #expect(set.deletedModelIds == ["Person:1"])
        #expect(set.changedModelIds == ["Person:2"])
        #expect(set.evictedModelIds == ["Person:3"])
        #expect(set.changedCollectionKeys == ["people"])
        #expect(await changes.next()?.changedModelIds == ["Person:4"])
    }

    @Test("A transaction that only reads commits nothing")
    func onlyReads() throws {
        let disk = try SharedStore.Disk()
        let cache = try disk.open()
        try cache.write(ann)
        let before = cache.statistics.recordsPut
        #expect(try cache.write { tx in try tx.model("Person:1", as: Person.self) } == ann)
        #expect(cache.statistics.recordsPut == before)
    }

    @Test("A key whose queued call failed is a miss to the transaction, never the old value")
    func failedBefore() throws {
        let disk = try SharedStore.Disk()
        let cache = try disk.open()
        try cache.write(ann)
        disk.faults.withLock {
            $0.refusedKeys = [SharedStore.Disk.key("Person:1")]
            $0.keptKeys = [SharedStore.Disk.key("Person:1")]
        }
        cache.setModel(Person(id: "1", name: "Anna", age: 9), forKey: "Person:1", context: nil)
        try? cache.flush()
        // While the store cannot forget the old value, no transaction sees it, and others go on.
        let seen = try cache.write { tx in
            try tx.write(bob)
            return try tx.model("Person:1", as: Person.self)
        }
        #expect(seen == nil)
        #expect(try cache.model("Person:2", as: Person.self) == bob)
        disk.faults.withLock {
            $0.refusedKeys = []
            $0.keptKeys = []
        }
        // What the transaction writes under the key makes it good.
        let again = try cache.write { tx in
            expectEqual(try tx.model("Person:1", as: Person.self), nil)
            try tx.write(ann)
            return try tx.model("Person:1", as: Person.self)
        }
        #expect(again == ann)
        #expect(try cache.model("Person:1", as: Person.self) == ann)
    }

    @Test("A durable call inside makes the whole transaction durable")
    func durable() throws {
        let disk = try SharedStore.Disk()
        let cache = try disk.open()
        try cache.write { tx in try tx.write(ann) }
        #expect(disk.faults.withLock { $0.synchronizations } == 0)
        try cache.write { tx in
            try tx.write(bob, durability: .durable)
            try tx.delete("Person:1")
        }
        #expect(disk.faults.withLock { $0.synchronizations } == 1)
        try cache.write(durability: .durable) { tx in try tx.write(ann) }
        #expect(disk.faults.withLock { $0.synchronizations } == 2)
    }

    @Test("A task that is cancelled before the body begins runs none of it")
    func cancelled() async throws {
        let cache = try MemoryCache()
        let runs = Mutex(0)
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            try await cache.write { _ in runs.withLock { $0 += 1 } }
        }
        task.cancel()
        await #expect(throws: CacheError.self) { try await task.value }
        #expect(runs.withLock { $0 } == 0)
    }

    @Test("Within a budget a transaction loses nothing that it wrote, and one that is given up costs no new count")
    func budget() throws {
        let disk = try SharedStore.Disk()
        let cache = try disk.open(CacheBudget(nodes: 50))
        for number in 0..<100 { try cache.write(Person(id: "\(number)", name: "n", age: number)) }
        try cache.write { tx in
            for number in 200..<240 { try tx.write(Person(id: "\(number)", name: "n", age: number)) }
        }
        for number in 200..<240 { #expect(try cache.model("Person:\(number)", as: Person.self) != nil) }
        #expect(try cache.usage().entries ?? 99 <= 54)
        #expect(throws: Stop.self) {
            try cache.write { tx in
                for number in 300..<340 { try tx.write(Person(id: "\(number)", name: "n", age: number)) }
                throw Stop()
            }
        }
        for number in 200..<240 { #expect(try cache.model("Person:\(number)", as: Person.self) != nil) }
        #expect(throws: CacheError.self) {
            try cache.write { tx in
                for number in 400..<460 { try tx.write(Person(id: "\(number)", name: "n", age: number)) }
            }
        }
        try cache.write(ann)
        #expect(try cache.usage().entries ?? 99 <= 54)
    }

    @Test("Within a budget a transaction keeps what it found unchanged, too")
    func confirmed() throws {
        let disk = try SharedStore.Disk()
        let cache = try disk.open(CacheBudget(nodes: 40))
        for round in 0..<30 {
            try cache.write(contentsOf: (0..<40).map { Person(id: "\(round) \($0)", name: "n", age: 0) })
            try cache.write(ann)
            try cache.write(contentsOf: (40..<70).map { Person(id: "\(round) \($0)", name: "n", age: 0) })
            let held = try cache.model("Person:1", as: Person.self) != nil
            try cache.write { tx in
                try tx.write(message("\(round)"))
                for number in 0..<25 { try tx.write(Person(id: "new \(round) \(number)", name: "n", age: 0)) }
            }
            #expect(
                try cache.model("Message:1", as: Message.self) == message("\(round)"), "round \(round), held \(held)")
        }
    }

    @Test("A cache that is called inside another's view is still refused inside its own")
    func nestedCaches() throws {
        let (first, second) = (try MemoryCache(), try MemoryCache())
        try first.write(ann)
        var code: CacheError.Code?
        try first.read { outer in
            let people = try outer.models(Person.self)
            try second.write { tx in
                expectEqual(people.map(\.age), [1])
                try tx.write(bob)
                do {
                    try second.write(ann)
                } catch {
                    code = (error as? CacheError)?.code
                }
            }
        }
        #expect(code == .reentrant)
        #expect(try second.model("Person:2", as: Person.self) == bob)
    }

    @Test("Counts of several threads are added up, each read and written in one transaction")
    func counter() async throws {
        let cache = try MemoryCache()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<50 {
                        try? await cache.write { tx in
                            let age = try tx.model("Person:c", as: Person.self)?.age ?? 0
                            try tx.write(Person(id: "c", name: "count", age: age + 1))
                        }
                    }
                }
            }
        }
        #expect(try cache.model("Person:c", as: Person.self)?.age == 200)
    }

    @Test("A view shows one moment, whatever is committed meanwhile")
    func view() throws {
        let cache = try MemoryCache()
        try cache.write(contentsOf: [ann, bob])
        cache.setModel(message("Queued"), forKey: "Message:1", context: nil)
        try cache.read { view in
            try expectEqual(view.model("Message:1", as: Message.self)?.text, "Queued")
            elsewhere {
                try cache.write(
                    contentsOf: [Person(id: "1", name: "Anna", age: 9), Person(id: "2", name: "Rob", age: 9)])
            }
            try expectEqual(view.model("Person:1", as: Person.self), ann)
            try expectEqual(view.model("Person:2", as: Person.self), bob)
            try expectEqual(view.read("Person:3", as: Person.self).miss?.reason, .absent)
            try expectEqual(view.model("Message:1", as: Message.self)?.sender, ann)
        }
        #expect(try cache.model("Person:1", as: Person.self)?.age == 9)
    }

    @Test("A tree too deep for the caller's stack reads in a view and in a transaction, and so does the next")
    func deep() throws {
        let cache = try MemoryCache()
        // Eight branches that are each deeper than the stack's share: the read begins again on a large one.
        var forks = (0..<8).map { branch in
            (0..<60).reduce(Fork("\(branch) 0")) { Fork("\(branch) \($1 + 1)", $0) }
        }
        while forks.count > 1 {
            forks = stride(from: 0, to: forks.count, by: 2).map {
                Fork("\(forks.count) \($0)", forks[$0], forks[$0 + 1])
            }
        }
        let root = try #require(forks[0].modelIdentifier)
        try cache.write(forks[0])
        try cache.write(ann)
        try cache.read { view in
            try expectEqual(view.model(root, as: Fork.self) != nil, true)
            try expectEqual(view.model("Person:1", as: Person.self), ann)
            try expectEqual(view.model(root, as: Fork.self) != nil, true)
        }
        try cache.write { tx in
            try expectEqual(tx.model(root, as: Fork.self) != nil, true)
            try expectEqual(tx.model("Person:1", as: Person.self), ann)
        }
    }

    @Test("Edits of a long list in a transaction are of the list that it sees, and are given up with it")
    func edits() throws {
        let cache = try MemoryCache()
        var list = (0..<1_000).map { Person(id: "\($0)", name: "n", age: $0) }
        try cache.writeCollection(list, as: "all")
        let new = [ann, bob]
        try cache.write { tx in
            try tx.append(new, toCollection: "all")
            expectEqual(try tx.count(ofCollection: "all"), 1_002)
            try tx.removeElements(in: 0..<500, ofCollection: "all")
            try tx.insert(new, at: 1, inCollection: "all")
            expectEqual(try tx.readCollection("all", of: Person.self, in: 1..<3).value?.elements, new)
        }
        list += new
        list.removeFirst(500)
        list.insert(contentsOf: new, at: 1)
        // The two are in the list already, and were written again.
        let expected = list.map { person in new.first { $0.id == person.id } ?? person }
        #expect(try cache.collection("all", of: Person.self) == expected)
        #expect(throws: CacheError.self) {
            try cache.write { tx in
                try tx.removeElements(in: 0..<100, ofCollection: "all")
                try tx.insert(new, at: 5_000, inCollection: "all")
            }
        }
        #expect(try cache.collection("all", of: Person.self) == expected)
    }

    @Test("Ages count for the one read of a view that asks for them")
    func ages() throws {
        let clock = Mutex(Date(timeIntervalSince1970: 1_000))
        let cache = try NormalizedCache<MemoryStore>(
            directory: nil, options: MemoryOptions(), now: { clock.withLock { $0 } })
        try cache.write(ann, confirmed: true)
        clock.withLock { $0 += 100 }
        try cache.read { view in
            try expectEqual(view.read("Person:1", as: Person.self, maxAge: 10).miss?.reason, .expired)
            try expectEqual(view.model("Person:1", as: Person.self), ann)
            try expectEqual(view.model("Person:1", as: Person.self, maxAge: 200), ann)
        }
    }
}

extension NormalizedCache {
    fileprivate func models(of identifiers: [ModelIdentifier]) throws -> [Person] {
        try read { view in
            var found: [Person] = []
            for identifier in identifiers {
                if let model = try view.model(identifier, as: Person.self) { found.append(model) }
            }
            return found
        }
    }
}

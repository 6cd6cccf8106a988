import Foundation
import GroveCache
import GroveInspect
import GroveMemory
import GroveModel
import Synchronization
import Testing
import TestSupport

@Suite("Chunks of collections")
struct CollectionChunkTests {
    private func people(_ range: Range<Int>) -> [Person] {
        range.map { Person(id: "\($0)", name: "number \($0)", age: $0) }
    }

    private func miss<M>(_ read: CacheRead<M>) -> CacheMiss? {
        if case .miss(let miss) = read { miss } else { nil }
    }

    @Test("An edit writes the chunks that it touches and the head, and nothing else of the list")
    func cost() throws {
        let cache = try MemoryCache()
        try cache.writeCollection(people(0..<10_000), as: "list")
        #expect(try cache.chunkKeys().count == 79)
        func puts(_ body: () throws -> Void) rethrows -> Int {
            let before = cache.statistics.recordsPut
            try body()
            return cache.statistics.recordsPut - before
        }
        let one = people(20_000..<20_001)
        #expect(try puts { try cache.append(one, toCollection: "list") } <= 3)
        #expect(try puts { try cache.insert(one, at: 5_000, inCollection: "list") } <= 4)
        #expect(try puts { try cache.removeElements(in: 7_000..<7_001, ofCollection: "list") } <= 2)
        #expect(try puts { try cache.removeElements(in: 100..<9_000, ofCollection: "list") } <= 3)
        #expect(try puts { try cache.moveElement(from: 3, to: 900, inCollection: "list") } <= 5)
        #expect(try cache.chunkKeys().count < 12)
    }

    @Test("Elements are found by their identifiers, one or many, wherever they are", arguments: 0..<6 as Range<UInt64>)
    func names(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let cache = try MemoryCache()
        // Short names and long ones, of which some are within others, and some are there twice.
        var names = (0..<1_000).map { seed % 2 == 0 ? "\($0)" : "a rather long name, as a UUID is, number \($0)" }
        names += names[100..<130]
        names.shuffle(using: &random)
        try cache.writeCollection(names.map { Person(id: $0, name: "", age: 0) }, as: "list")
        for count in [1, 2, 7, 9, 40] {
            let wanted = (0..<count).map { _ in names[Int.random(in: 0..<names.count, using: &random)] }
            for name in wanted {
                let found = try cache.index(of: ModelIdentifier("Person:\(name)"), inCollection: "list")
                #expect(found == names.firstIndex(of: name))
            }
            let new = (0..<count).map { "new \(count).\($0)" }
            try cache.upsert((wanted + new).map { Person(id: $0, name: "", age: count) }, inCollection: "list")
            names += new
            let gone = ModelIdentifier("Person:\(wanted[0])")
            try cache.remove(gone, fromCollection: "list")
            names.removeAll { $0 == wanted[0] }
            #expect(try cache.contains(gone, inCollection: "list") == false)
            #expect(try cache.collection("list", of: Person.self)?.map(\.id) == names)
            #expect(try cache.contains("Person:1\(names[0])", inCollection: "list") == names.contains("1\(names[0])"))
        }
    }

    @Test("An element that may be in a part that was lost is neither there nor not there")
    func lostNames() throws {
        let disk = try SharedStore.Disk()
        let cache = try disk.open()
        try cache.writeCollection(people(0..<1_000), as: "list")
        let keys = try #require(try cache.head("list")).chunkKeys
        try disk.base.write { (transaction) throws(CacheError) in
            try unsafe keys[1].withUnsafeBytesTyped { (key) throws(CacheError) in try unsafe transaction.remove(key) }
        }
        for count in [1, 20] {
            let error = #expect(throws: CacheError.self) {
                try cache.upsert(people(5_000..<5_000 + count), inCollection: "list")
            }
            #expect(error?.code == .outOfRange)
        }
    }

    @Test("A list that has become short is in one record again")
    func short() throws {
        let cache = try MemoryCache()
        try cache.writeCollection(people(0..<1_000), as: "list")
        try cache.removeElements(in: 10..<980, ofCollection: "list")
        #expect(try cache.chunkKeys() == [])
        #expect(try cache.collection("list", of: Person.self) == people(0..<10) + people(980..<1_000))
        try cache.append(people(0..<200), toCollection: "list")
        #expect(try cache.chunkKeys().count == 2)
        try cache.writeCollection(people(0..<1), as: "list")
        #expect(try cache.chunkKeys() == [])
    }

    @Test("The neighbours of chunks that go as a whole become one where they have few elements")
    func joined() throws {
        let cache = try MemoryCache()
        var list = people(0..<1_000)
        try cache.writeCollection(list, as: "list")
        func remove(_ range: Range<Int>) throws {
            list.removeSubrange(range)
            try cache.removeElements(in: range, ofCollection: "list")
        }
        func counts() throws -> [Int] { try #require(try cache.head("list")).chunks.map(\.count) }
        let before = try counts()
        try remove(before[0] + before[1] + 20..<before[0] + before[1] + before[2])
        try remove(20..<before[0])
        #expect(try counts() == [20, before[1], 20] + before[3...])
        try remove(20..<20 + before[1])
        #expect(try counts() == [40] + before[3...])
        #expect(try cache.chunkKeys().count == before.count - 2)
        #expect(try cache.collection("list", of: Person.self) == list)
        // The first chunks and the last have a neighbour on one side.
        try remove(0..<40)
        #expect(try counts() == Array(before[3...]))
        try remove(list.count - before[before.count - 1]..<list.count)
        #expect(try counts() == Array(before[3..<before.count - 1]))
        #expect(try cache.collection("list", of: Person.self) == list)
    }

    @Test("A lost or damaged chunk is a miss of its pages, and of no others")
    func lost() throws {
        let disk = try SharedStore.Disk()
        let cache = try disk.open()
        try cache.writeCollection(people(0..<500), as: "list")
        let keys = try #require(try cache.head("list")).chunkKeys
        for isDamaged in [false, true] {
            try disk.base.write { (transaction) throws(CacheError) in
                try unsafe keys[1].withUnsafeBytesTyped { (key) throws(CacheError) in
                    guard isDamaged else { return try unsafe transaction.remove(key) }
                    // No version begins so.
                    try unsafe [0].withUnsafeBytesTyped { (value) throws(CacheError) in
                        try unsafe transaction.put(key, value)
                    }
                }
            }
            let reason: CacheMiss.Reason = isDamaged ? .corrupted : .gap
            for range in [nil, 100..<140] {
                #expect(
                    miss(try cache.readCollection("list", of: Person.self, in: range)) == CacheMiss(reason, "list"))
                let rest = try cache.readCollection("list", of: Person.self, in: range, missing: .skip).value
                let end = range?.upperBound ?? 256
                #expect(rest?.gaps == [128..<end])
                #expect(
                    rest?.elements == (range.map { people($0.lowerBound..<128) } ?? people(0..<128) + people(256..<500))
                )
            }
            #expect(try cache.readCollection("list", of: Person.self, in: 0..<128).value?.elements == people(0..<128))
            #expect(
                try cache.readCollection("list", of: Person.self, in: 256..<900).value?.elements == people(256..<500))
            #expect(try cache.count(ofCollection: "list") == 500)
        }
        // Edits go on where the lost part is not theirs, and a new list makes it good.
        let error = #expect(throws: CacheError.self) { try cache.removeElements(in: 130..<131, ofCollection: "list") }
        #expect(error?.code == .outOfRange)
        #expect(error?.identifier == "list")
        try cache.append(people(500..<501), toCollection: "list")
        #expect(try cache.readCollection("list", of: Person.self, in: 400..<900).value?.elements == people(400..<501))
        try cache.removeElements(in: 128..<256, ofCollection: "list")
        #expect(try cache.collection("list", of: Person.self) == people(0..<128) + people(256..<501))
        try cache.writeCollection(people(0..<500), as: "list")
        #expect(try cache.collection("list", of: Person.self) == people(0..<500))
    }

    @Test("A chunk of another list is not taken for one of this")
    func strangers() throws {
        let disk = try SharedStore.Disk()
        let cache = try disk.open()
        try cache.writeCollection(people(0..<200), as: "one")
        try cache.writeCollection(people(200..<400), as: "two")
        let (one, two) = (try #require(try cache.head("one")), try #require(try cache.head("two")))
        #expect(one.list != two.list)
        try disk.base.write { (transaction) throws(CacheError) in
            try unsafe two.chunkKeys[0].withUnsafeBytesTyped { (other) throws(CacheError) in
                guard let stored = unsafe try transaction.get(other).map({ unsafe Array($0) }) else { return }
                try unsafe one.chunkKeys[0].withUnsafeBytesTyped { (key) throws(CacheError) in
                    try unsafe stored.withUnsafeBytesTyped { (value) throws(CacheError) in
                        try unsafe transaction.put(key, value)
                    }
                }
            }
        }
        #expect(miss(try cache.readCollection("one", of: Person.self)) == CacheMiss(.corrupted, "one"))
        // The same list set again is another one: what is left of the first cannot be taken for it.
        try cache.writeCollection(people(0..<201), as: "one")
        #expect(try cache.head("one")?.list != one.list)
    }

    @Test("An edit leaves the age of the list as it is; the same list again renews it")
    func ages() throws {
        let time = Mutex(1_000.0)
        let cache = try MemoryCache(
            directory: nil, options: MemoryOptions(),
            now: { Date(timeIntervalSince1970: time.withLock { $0 }) })
        for size in [3, 300] {
            time.withLock { $0 = 1_000 }
            try cache.writeCollection(people(0..<size), as: "list", confirmed: true)
            time.withLock { $0 = 2_000 }
            try cache.write(contentsOf: people(0..<size + 1), confirmed: true)
            try cache.append(people(size..<size + 1), toCollection: "list")
            #expect(miss(try cache.readCollection("list", of: Person.self, in: 0..<1, maxAge: 500))?.reason == .expired)
            #expect(
                try cache.readCollection("list", of: Person.self, in: 0..<1, maxAge: 1_500).value?.elements
                    == people(0..<1))
            try cache.writeCollection(people(0..<size + 1), as: "list", confirmed: true)
            #expect(try cache.collection("list", of: Person.self, maxAge: 500) == people(0..<size + 1))
        }
    }

    @Test("A pin holds head, chunks and elements, also those that come by edits")
    func pins() throws {
        let cache = try MemoryCache(directory: nil, options: MemoryOptions(), budget: CacheBudget(nodes: 1_000))
        try cache.retain(collection: "list")
        try cache.writeCollection(people(0..<300), as: "list")
        func flood() throws {
            for number in 0..<2_000 {
                try cache.write(Person(id: "flood-\(number)", name: "", age: 0))
                for _ in 0..<4 { _ = try cache.model(ModelIdentifier("Person:flood-\(number)"), as: Person.self) }
            }
        }
        try flood()
        #expect(try cache.collection("list", of: Person.self) == people(0..<300))
        try cache.insert(people(300..<350), at: 300, inCollection: "list")
        try cache.moveElement(from: 0, to: 200, inCollection: "list")
        try cache.moveElement(from: 200, to: 0, inCollection: "list")
        try flood()
        #expect(try cache.collection("list", of: Person.self) == people(0..<350))
        #expect(try cache.usage().pinnedEntries == 351 + cache.chunkKeys().count)
        try cache.removeElements(in: 100..<350, ofCollection: "list")
        try flood()
        #expect(try cache.collection("list", of: Person.self) == people(0..<100))
        try cache.release(collection: "list")
        for _ in 0..<2 { try flood() }
        #expect(try cache.storedRecord(.collection, "list") == nil)
        #expect(try cache.chunkKeys() == [])
    }

    @Test(
        "What a budget leaves of a list is right or a miss, and no chunk stays without its head",
        arguments: [1, 2] as [UInt64])
    func budget(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var model = ListModel()
        let cache = try MemoryCache(directory: nil, options: MemoryOptions(), budget: CacheBudget(bytes: 40_000))
        try cache.writeCollection([Person](), as: "list")
        var (hits, rewritten) = (0, 0)
        for step in 0..<400 {
            let former = model
            let edit = model.edit(step / 40 % 2 == 0, using: &generator)
            do throws(CacheError) {
                try edit.make(in: cache)
            } catch {
                guard error.code == .outOfRange || error.code == .overBudget else { throw error }
                rewritten += 1
                model = former
                if rewritten % 2 == 0 || model.entries.count > 400 {
                    let people = model.bring(20, using: &generator)
                    try cache.writeCollection(people, as: "list")
                    model.replace(0..<model.entries.count, with: people)
                }
            }
            if step % 7 == 0 {
                let person = "\(Int.random(in: 0..<600, using: &generator))"
                try cache.delete(ModelIdentifier("Person:\(person)"))
                model.delete(person)
            }
            let page = model.range(30, using: &generator)
            if let people = try cache.readCollection("list", of: Person.self, in: page).value?.elements {
                hits += 1
                try #require(people == model.page(page), "seed \(seed), \(step)")
            }
        }
        #expect(hits > 40 && rewritten > 0, "\(hits) hits, \(rewritten) lists lost")
        let usage = try cache.usage()
        #expect(usage.evictions > 100)
        // Whatever is left of lists that were given up is the next to go.
        for number in 0..<3_000 { try cache.write(Person(id: "flood-\(number)", name: "", age: 0)) }
        #expect(try cache.chunkKeys().isSubset(of: Set(cache.head("list")?.chunkKeys ?? [])))
    }

    @Test("What a cache with a budget holds of lists is what it counts")
    func recount() throws {
        var generator = SeededGenerator(seed: 9)
        var model = ListModel()
        let cache = try MemoryCache(directory: nil, options: MemoryOptions(), budget: CacheBudget(bytes: 1 << 20))
        try cache.writeCollection([Person](), as: "list")
        for step in 0..<60 {
            try model.edit(step < 40, using: &generator).make(in: cache)
            let (usage, stored) = (try cache.usage(), try cache.size())
            try #require(usage.entries == stored.entries && usage.payloadBytes == stored.payloadBytes)
        }
        try cache.wipe()
        #expect(try cache.chunkKeys() == [])
    }
}

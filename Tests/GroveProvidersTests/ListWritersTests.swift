import Dispatch
import Foundation
import Grove
import GroveCache
import GroveLMDB
import GroveLevelDB
import GroveMemory
import GroveSQLite
import Synchronization
import TestSupport
import Testing

/// Writers of one list who do not wait for each other.
@MainActor
@Suite("Writers of one list", .serialized)
struct ListWritersTests {
    typealias People = CollectionDataProvider<Person>

    private func people(_ ids: [String]) -> [Person] { ids.map { Person(id: $0) } }

    /// Expects that the cache and all `lists` have `ids`, at rest.
    private func expect(
        _ ids: [String], _ scene: any FollowingScene, _ lists: [People], _ location: SourceLocation = #_sourceLocation
    ) async throws {
        try await scene.settle()
        #expect(scene.people().map(\.id) == ids, sourceLocation: location)
        for list in lists { #expect(list.data.map(\.id) == ids, sourceLocation: location) }
    }

    @Test(
        "A provider's first save after a load is behind what a call has put in since",
        arguments: FollowedBackend.allCases)
    func firstSave(backend: FollowedBackend) async throws {
        try await backend.open { scene, _ in
            try scene.begin()
            let list = People(dataModelManager: scene.manager)
            _ = try await list.fetchDataFromCache(withCacheKey: "people")
            try scene.append(people(["socket"]))
            list.append(people(["mine"]))
            try await expect(["1", "2", "socket", "mine"], scene, [list])
        }
    }

    @Test(
        "An edit of a list that the cache does not have, made before a wipe, is not stored after it",
        arguments: FollowedBackend.allCases)
    func wipedEdit(backend: FollowedBackend) async throws {
        try await backend.open { scene, _ in
            try scene.begin()
            let list = People(dataModelManager: scene.manager)
            _ = try await list.fetchDataFromCache(withCacheKey: "people")
            try scene.remove(list: "people")
            list.append(people(["mine"]))
            try await scene.anyCache.wipe()
            try await scene.settle()
            try await expect([], scene, [list])
            #expect(try scene.anyCache.knownCount(ofCollection: "people") == nil)
        }
    }

    @Test(
        "What was deleted, and comes back with an answer of the same names, is shown by others",
        arguments: FollowedBackend.allCases)
    func comesBack(backend: FollowedBackend) async throws {
        try await backend.open { scene, _ in
            try scene.begin()
            let lists = [scene.manager, scene.other].map { People(dataModelManager: $0) }
            for list in lists { _ = try await list.fetchDataFromCache(withCacheKey: "people") }
            try scene.delete("2")
            try await expect(["1"], scene, lists)
            let answer = people(["1", "2"])
            _ = try await lists[0].load(withCacheKey: "people", reload: true) { answer }
            try await expect(["1", "2"], scene, lists)
        }
    }

    @Test(
        "What was in memory only is stored with the next edit, and with what others have put in",
        arguments: FollowedBackend.allCases)
    func memoryOnly(backend: FollowedBackend) async throws {
        try await backend.open { scene, _ in
            try scene.begin()
            let list = People(dataModelManager: scene.manager)
            _ = try await list.fetchDataFromCache(withCacheKey: "people")
            list.append(people(["a"]), shouldCache: false)
            list.move("Person:2", to: .first, shouldCache: false)
            try scene.append(people(["socket"]))
            list.append(people(["mine"]))
            #expect(list.data.map(\.id) == ["2", "1", "a", "mine"])
            try await expect(["2", "1", "socket", "a", "mine"], scene, [list])
            // Nor is an older version stored of what was changed since.
            list.append([Person(id: "b", name: "old")], shouldCache: false)
            try scene.put([Person(id: "b", name: "new")])
            list.append(people(["c"]))
            try await expect(["2", "1", "socket", "a", "mine", "b", "c"], scene, [list])
            #expect(try scene.person("b")?.name == "new")
        }
    }

    @Test(
        "An edit that was made while the list was read is put into it, and not the list stored as it was read",
        arguments: FollowedBackend.allCases)
    func whileLoading(backend: FollowedBackend) async throws {
        try await backend.open { scene, _ in
            try scene.begin()
            try await scene.settle()
            let list = People(dataModelManager: scene.manager)
            // The read ends while the main actor is busy.
            scene.waitForRead {
                list.fetchDataFromCache(withCacheKey: "people") { _, _ in }
                list.append(people(["mine"]))
                list.insert(people(["head"]), at: 0)
            }
            try scene.append(people(["socket"]))
            try await scene.settle()
            #expect(scene.people().first?.id == "head" && scene.people().count == 5)
            try await expect(["head", "1", "2", "socket", "mine"], scene, [list])
        }
    }

    /// Notes what a list shows whenever it is told of a change.
    private final class Notes: CollectionDataProviderDelegate {
        var shown: [[String]] = []

        func collectionDataProviderHasUpdatedData<T>(
            _ dataProvider: CollectionDataProvider<T>, collectionChanges: CollectionChange, context: (any Sendable)?
        ) { shown.append(dataProvider.data.map { ($0 as? Person)?.id ?? "" }) }
    }

    @Test(
        "If a read of all of a list comes too late for an edit, what others do next is not applied to the list before it",
        arguments: FollowedBackend.allCases)
    func lateRead(backend: FollowedBackend) async throws {
        try await backend.open { scene, _ in
            let list = People(dataModelManager: scene.manager)
            list.setData(people(["1", "2", "3", "4", "5"]), cacheKey: "people")
            try await scene.settle()
            let notes = Notes()
            list.delegate = notes
            try scene.rewrite(people(["1", "5", "2", "3", "4"]))
            scene.waitForFollowers()
            list.append(people(["mine"]))
            try scene.edit(.insert, "new", beside: "3", inTransaction: false)
            scene.waitForFollowers()
            let then = ["1", "5", "2", "new", "3", "4", "mine"]
            try await expect(then, scene, [list])
            #expect(notes.shown == [then])
        }
    }

    @Test(
        "Of reads that are shown at once, as the main actor was busy, the last counts",
        arguments: FollowedBackend.allCases)
    func readsAtOnce(backend: FollowedBackend) async throws {
        try await backend.open { scene, _ in
            try scene.begin()
            let list = People(dataModelManager: scene.manager)
            _ = try await list.fetchDataFromCache(withCacheKey: "people")
            try await scene.settle()
            let versions = Versions()
            list.delegate = versions
            try scene.append([Person(id: "7", name: "1")])
            scene.waitForFollowers()
            try scene.append([Person(id: "7", name: "2")])
            scene.waitForFollowers()
            try scene.rewrite(people(["1", "2"]) + [Person(id: "7", name: "2"), Person(id: "7", name: "2")])
            scene.waitForFollowers()
            try await expect(["1", "2", "7", "7"], scene, [list])
            #expect(list.data.suffix(2).map(\.name) == ["2", "2"])
            #expect(!versions.goesBack, "\(versions.shown)")
        }
    }

    @Test("What a manager upserts, and another has put in, is shown once, also before it is stored")
    func upsertsAtOnce() async throws {
        try await FollowedBackend.memory.open { scene, _ in
            try scene.begin()
            let list = People(dataModelManager: scene.manager)
            _ = try await list.fetchDataFromCache(withCacheKey: "people")
            try await scene.settle()
            let notes = Notes()
            list.delegate = notes
            try scene.rewrite(people(["7", "1", "2"]))
            // Nothing is stored until the list was read again.
            let (begun, gate, cache) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), scene.anyCache)
            Thread.detachNewThread {
                try? cache.write { tx in
                    begun.signal()
                    gate.wait()
                }
            }
            begun.wait()
            list.upsert(people(["7"]))
            await waitUntil { list.data.first?.id == "7" }
            gate.signal()
            try await expect(["7", "1", "2"], scene, [list])
            #expect(notes.shown.allSatisfy { Set($0).count == $0.count }, "\(notes.shown)")
        }
    }

    @Test(
        "What a list lacks, and is deleted before the main actor learns that, is waited for",
        arguments: FollowedBackend.allCases)
    func deletedBeforeLacked(backend: FollowedBackend) async throws {
        try await backend.open { scene, _ in
            try scene.rewrite(people(["1"]))
            let list = People(dataModelManager: scene.manager)
            _ = try await list.fetchDataFromCache(withCacheKey: "people")
            try await scene.settle()
            try scene.rewrite(people(["1", "2", "3"]), forgetting: "2")
            scene.waitForFollowers()
            try scene.delete("2")
            scene.waitForFollowers()
            try await expect(["1", "3"], scene, [list])
        }
    }

    @Test(
        "What another deletes and writes again while a list is read is not in it, as it is not in the cache's list",
        arguments: FollowedBackend.allCases, [false, true])
    func rewrittenWhileRead(backend: FollowedBackend, isLoad: Bool) async throws {
        try await backend.open { scene, _ in
            let list = People(dataModelManager: scene.manager)
            if !isLoad { _ = try? await list.fetchDataFromCache(withCacheKey: "people") as [Person]? }
            try await scene.settle()
            // It is read, and not shown before the main actor has time.
            try scene.rewrite(people(["1", "2"]))
            scene.waitForFollowers()
            if isLoad { scene.waitForRead { list.fetchDataFromCache(withCacheKey: "people") { _, _ in } } }
            try scene.delete("2")
            try scene.put([Person(id: "2", name: "new")])
            scene.waitForFollowers()
            try await expect(["1"], scene, [list])
        }
    }

    /// Notes what a list shows of its last element whenever it is told of a change.
    private final class Versions: CollectionDataProviderDelegate {
        var shown: [String] = []
        var goesBack: Bool { shown != shown.sorted() }

        func collectionDataProviderHasUpdatedData<T>(
            _ dataProvider: CollectionDataProvider<T>, collectionChanges: CollectionChange, context: (any Sendable)?
        ) { shown.append((dataProvider.data.last as? Person)?.name ?? "") }
    }

    @Test(
        "If the cache is suspended before a list is read again, what is stored of it next has the answer that was told with that",
        arguments: FollowedBackend.allCases)
    func suspendedRead(backend: FollowedBackend) async throws {
        try await backend.open { scene, _ in
            let lists = [scene.manager, scene.other].map { People(dataModelManager: $0) }
            let (gates, gate) = AsyncStream.makeStream(of: Void.self)
            let load = Task {
                try await lists[0].load(withCacheKey: "people", reload: true) {
                    for await _ in gates { break }
                    return [Person(id: "1"), Person(id: "2")]
                }
            }
            try await scene.settle()
            lists[1].fetchDataFromCache(withCacheKey: "people") { _, _ in }
            // It is in the list before the answer, and not shown while that is waited for: what becomes of the answer
            // is not known.
            lists[1].append(people(["theirs"]))
            try await scene.settle()
            gate.yield()
            _ = try await load.value
            await scene.manager.flush()
            try scene.put(people(["other"]))
            scene.waitForFollowers()
            try scene.suspend()
            for _ in 0..<4 {
                await scene.manager.flush()
                scene.waitForFollowers()
            }
            lists[0].append(people(["later"]))
            let shown = lists[0].data.map(\.id)
            await scene.manager.flush()
            try scene.resume()
            // What was refused is told once.
            try? await scene.settle()
            for _ in 0..<2 { try await scene.settle() }
            #expect(shown.filter { $0 != "theirs" } == ["1", "2", "later"])
            try await expect(shown, scene, lists)
        }
    }

    @Test("Rows that came into an empty list stay if the cache lost the list", arguments: FollowedBackend.allCases)
    func firstRows(backend: FollowedBackend) async throws {
        try await backend.open { scene, _ in
            let list = People(dataModelManager: scene.manager)
            list.fetchDataFromCache(withCacheKey: "people") { _, _ in }
            list.append(people(["mine"]))
            try await scene.settle()
            try scene.remove(list: "people")
            try await scene.settle()
            #expect(list.data.map(\.id) == ["mine"])
        }
    }

    @Test("An edit of a list that the cache cannot read all of leaves the rest of it there")
    func unreadable() async throws {
        for backend in FollowedBackend.allCases {
            try await backend.open { scene, _ in
                try scene.begin()
                try scene.evict("1")
                try await scene.settle()
                let list = People(dataModelManager: scene.manager)
                list.fetchDataFromCache(withCacheKey: "people") { _, _ in }
                list.append(people(["mine"]))
                try await scene.settle()
                #expect(scene.people().map(\.id) == ["2", "mine"])
                try scene.put(people(["1"]))
                try await expect(["1", "2", "mine"], scene, [list])
            }
        }
    }

    @Test("Of a list of which a part was lost the holder's rows come back, and what others have put in stays")
    func lostPart() async throws {
        for backend in FollowedBackend.allCases {
            try await backend.open(withPeer: backend.hasPeer) { scene, peer in
                let list = People(dataModelManager: scene.manager)
                let ids = (0..<300).map { "\($0)" }
                list.setData(people(ids), cacheKey: "people")
                try await scene.settle()
                try scene.lose(part: 1)
                if let peer {
                    #expect(try peer.ask("append", "socket") == "done")
                } else {
                    try scene.append(people(["socket"]))
                }
                try await scene.settle()
                list.append(people(["mine"]))
                try await scene.settle()
                #expect(list.data.map(\.id) == ids + ["socket", "mine"])
                // Who was told of the other's row has not read the list again, and does not know that it lacks a part.
                if peer != nil { #expect(scene.people().map(\.id) == ids + ["socket", "mine"]) }
                // An edit of what was lost itself.
                try scene.lose(part: 1)
                list.remove("Person:200")
                list.insert(people(["beside"]), at: .after("Person:201"))
                var left = ids.filter { $0 != "200" }
                left.insert("beside", at: 201)
                try await expect(left + ["socket", "mine"], scene, [list])
            }
        }
    }

    @Test(
        "Appends by a call, another manager and a provider in one turn are all there, on every screen",
        arguments: FollowedBackend.allCases)
    func appends(backend: FollowedBackend) async throws {
        try await backend.open { scene, _ in
            let lists = [scene.manager, scene.other].map { People(dataModelManager: $0) }
            lists[0].setData(people(["1"]), cacheKey: "people")
            try await scene.settle()
            _ = try await lists[1].fetchDataFromCache(withCacheKey: "people")
            try scene.append(people(["socket"]))
            lists[0].append(people(["mine"]))
            try await expect(["1", "socket", "mine"], scene, lists)
            lists[1].append(people(["theirs"]))
            lists[0].append(people(["last"]))
            try await expect(["1", "socket", "mine", "theirs", "last"], scene, lists)
        }
    }

    @Test(
        "Another's removal stays, and what did not change is the same row", arguments: FollowedBackend.allCases)
    func removals(backend: FollowedBackend) async throws {
        try await backend.open { scene, _ in
            let list = People(dataModelManager: scene.manager)
            list.setData(people((0..<200).map { "\($0)" }), cacheKey: "people")
            try await scene.settle()
            let rows = Dictionary(uniqueKeysWithValues: list.rows.map { ($0.model.id, $0.id) })
            // Before the screen hears of it.
            try scene.edit(.removeFirst, "10", beside: "11", inTransaction: false)
            try scene.edit(.remove, "10", beside: "11", inTransaction: false)
            list.update(Person(id: "10", name: "late"), at: 10)
            list.update(Person(id: "0", name: "late"), at: 0)
            list.append(people(["mine"]))
            try await expect((1..<200).filter { $0 != 10 }.map { "\($0)" } + ["mine"], scene, [list])
            #expect(list.rows.allSatisfy { $0.model.id == "mine" || rows[$0.model.id] == $0.id })
        }
    }

    @Test(
        "Of elements that are equal, an edit is of the one that is nearest to where its editor saw it",
        arguments: FollowedBackend.allCases)
    func occurrences(backend: FollowedBackend) async throws {
        for between in [10, 300] {
            try await backend.open { scene, _ in
                let others = [1, 2].map { number in (0..<between).map { "\(number).\($0)" } }
                let list = People(dataModelManager: scene.manager)
                list.setData(people(["a"] + others[0] + ["a"] + others[1] + ["a"]), cacheKey: "people")
                try await scene.settle()
                let rows = list.rows.filter { $0.model.id == "a" }.map(\.id)
                // Before the screen hears of it.
                try scene.insert(people(["socket"]), at: 0)
                #expect(list.remove(row: rows[1]))
                list.insert(people(["first", "second"]), before: rows[2])
                #expect(list.move(row: rows[0], before: rows[2]))
                try await expect(["socket"] + others[0] + others[1] + ["first", "second", "a", "a"], scene, [list])
                #expect(list.rows.suffix(2).map(\.id) == [rows[0], rows[2]])
            }
        }
    }

    @Test("Static edits beside a call are of what they name", arguments: FollowedBackend.allCases)
    func staticEdits(backend: FollowedBackend) async throws {
        try await backend.open { scene, _ in
            let list = People(dataModelManager: scene.manager)
            list.setData(people(["1", "2", "3", "4"]), cacheKey: "people")
            try await scene.settle()
            // The callers of the static edits have not been told of this element.
            try scene.insert(people(["call"]), at: 0)
            func place(_ id: String) -> @MainActor @Sendable ([Person]) -> Int {
                { data in data.firstIndex { $0.id == id } ?? -1 }
            }
            for manager in [scene.manager, scene.other] {
                let name = manager === scene.manager ? "a" : "b"
                try await People.insert(
                    people([name]), at: place("3"), cacheKey: "people", dataModelManager: manager)
                try await People.update(
                    Person(id: "2", name: name), at: place("2"), cacheKey: "people", dataModelManager: manager)
                try await People.removeAtIndex(
                    place(name == "a" ? "1" : "4"), cacheKey: "people", dataModelManager: manager)
                try scene.append(people(["after \(name)"]))
            }
            try await scene.settle()
            let ids = scene.people().map(\.id)
            #expect(ids.filter { !["a", "b"].contains($0) } == ["call", "2", "3", "after a", "after b"])
            #expect(Set(ids.dropFirst(2).prefix(2)) == ["a", "b"] && ids.count == 7)
            #expect(try scene.person("2")?.name == "b")
            try await expect(ids, scene, [list])
        }
    }

    @Test("Forty appends of each of two managers are eighty, each one's in order", arguments: FollowedBackend.allCases)
    func managers(backend: FollowedBackend) async throws {
        try await backend.open { scene, _ in
            try scene.begin()
            var lists: [People] = []
            for manager in [scene.manager, scene.other] {
                let list = People(dataModelManager: manager)
                _ = try await list.fetchDataFromCache(withCacheKey: "people")
                lists.append(list)
            }
            for number in 0..<40 {
                lists[0].append(people(["a\(number)"]))
                lists[1].append(people(["b\(number)"]))
                if number % 7 == 0 { await Task.yield() }
            }
            try await scene.settle()
            let ids = scene.people().map(\.id)
            #expect(ids.count == 82)
            for name in ["a", "b"] { #expect(ids.filter { $0.hasPrefix(name) } == (0..<40).map { "\(name)\($0)" }) }
            try await expect(ids, scene, lists)
        }
    }

    @Test("And so are those of two processes", arguments: FollowedBackend.shared)
    func processes(backend: FollowedBackend) async throws {
        for history in [0, 100] {
            try await backend.open(history: history, withPeer: true) { scene, peer in
                try scene.begin()
                let list = People(dataModelManager: scene.manager)
                _ = try await list.fetchDataFromCache(withCacheKey: "people")
                _ = try peer?.ask("list")
                for number in 0..<40 {
                    list.append(people(["a\(number)"]))
                    #expect(try peer?.ask("edit", "b\(number)") == "done")
                }
                try await scene.settle()
                let ids = scene.people().map(\.id)
                #expect(ids.count == 82)
                for name in ["a", "b"] {
                    #expect(ids.filter { $0.hasPrefix(name) } == (0..<40).map { "\(name)\($0)" })
                }
                try await expect(ids, scene, [list])
            }
        }
    }

    @Test(
        "A list that was refused is saved without what was deleted before that, and is shown so",
        arguments: FollowedBackend.allCases)
    func refusedBesideDeletion(backend: FollowedBackend) async throws {
        try await backend.open { scene, _ in
            let list = People(dataModelManager: scene.manager)
            list.setData(people(["0"]), cacheKey: "people")
            try await scene.settle()
            try scene.suspend()
            list.setData(people(["1", "2"]), cacheKey: "people")
            try scene.resume()
            try scene.delete("2")
            try scene.put([Person(id: "2", name: "again")])
            // What was refused is told once.
            for _ in 0..<3 { try? await scene.settle() }
            try await expect(["1"], scene, [list])
        }
    }

    @Test(
        "What was set while the cache was suspended is saved though another process has deleted a part of it meanwhile",
        arguments: FollowedBackend.shared)
    func refusedBesideProcess(backend: FollowedBackend) async throws {
        try await backend.open(history: 100, withPeer: true) { scene, peer in
            let list = People(dataModelManager: scene.manager)
            list.setData(people(["0"]), cacheKey: "people")
            try await scene.settle()
            try scene.suspend()
            list.setData(people(["1", "2"]), cacheKey: "people")
            for words in [["put", "2"], ["remove", "2"], ["put", "2", "again"]] {
                #expect(try peer?.ask(words[0], words[1], words.count > 2 ? words[2] : "") == "done")
            }
            try scene.resume()
            for _ in 0..<3 { try? await scene.settle() }
            try await expect(["1", "2"], scene, [list])
        }
    }

    @Test("A static edit, a page and a call in one turn are all there", arguments: FollowedBackend.allCases)
    func pages(backend: FollowedBackend) async throws {
        try await backend.open { scene, _ in
            try scene.begin()
            let list = People(dataModelManager: scene.manager)
            _ = try await list.fetchDataFromCache(withCacheKey: "people")
            let (holds, hold) = AsyncStream.makeStream(of: Void.self)
            let page = Task {
                try await list.loadMore { _ in
                    for await _ in holds { break }
                    return [Person(id: "p1"), Person(id: "2"), Person(id: "p2")]
                }
            }
            try await scene.settle()
            // Another manager's, of whom this one hears late.
            People.append(people(["static"]), cacheKey: "people", dataModelManager: scene.other, completion: nil)
            try scene.insert(people(["call"]), at: 0)
            hold.yield()
            let count = try await page.value
            try await scene.settle()
            let ids = scene.people().map(\.id)
            // A page that comes behind another end than it was asked for is dropped.
            let rest = count == nil ? ["static"] : ["static", "p1", "p2"]
            #expect(ids.first == "call" && ids.dropFirst().prefix(2) == ["1", "2"])
            #expect(Set(ids.dropFirst(3)) == Set(rest) && ids.count == 3 + rest.count)
            try await expect(ids, scene, [list])
        }
    }

    @Test("No call that writes waits for the reading of a list", .timeLimit(.minutes(1)))
    func longReads() async throws {
        try await longReads(try MemoryCache())
        let directory = try TemporaryDirectory()
        try await longReads(try SQLiteCache(directory: directory.path + "/sqlite"))
        try await longReads(try LMDBCache(directory: directory.path + "/lmdb"))
        try await longReads(try LevelDBCache(directory: directory.path + "/leveldb"))
    }

    private func longReads<Store: NodeStore>(_ cache: NormalizedCache<Store>) async throws {
        let scene = Scene(cache)
        let list = CollectionDataProvider<SlowPerson>(dataModelManager: scene.manager)
        list.setData([SlowPerson(id: "0")], cacheKey: "slow")
        try await scene.settle()
        let gate = ReadGate()
        SlowPerson.gate.withLock { $0 = gate }
        try await cache.writeCollection((1..<4).map { SlowPerson(id: "\($0)") }, as: "slow")
        await gate.arrival()
        // The list is being read, and its first element is not there yet.
        try await cache.write(Person(id: "5"))
        _ = try await cache.append([SlowPerson(id: "6")], toCollection: "slow")
        list.append([SlowPerson(id: "7")])
        try await cache.flush()
        #expect(try cache.count(ofCollection: "slow") == 5)
        SlowPerson.gate.withLock { $0 = nil }
        gate.open()
        try await scene.settle()
        #expect(list.data.map(\.id) == ["1", "2", "3", "6", "7"])
    }
}

/// A person of whom the first that is read is read until a gate opens.
private struct SlowPerson: CacheableModel, Equatable {
    var id: String

    var modelIdentifier: ModelIdentifier? { "Slow:\(id)" }

    static let gate = Mutex<ReadGate?>(nil)
    static let fields = FieldTable("id")

    func encodeFields(to node: inout NodeEncoder) throws(CacheError) { try node.encode(id, at: 0) }

    static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> SlowPerson {
        gate.withLock(\.self)?.pass()
        let id = try node.scan(String.self, at: 0)
        return SlowPerson(id: try node.finish(id))
    }
}

/// Holds a thread up until it is opened.
private final class ReadGate: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    private let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)

    func pass() {
        arrived.yield()
        semaphore.wait()
        semaphore.signal()
    }

    func arrival() async { for await _ in arrivals { break } }

    func open() { semaphore.signal() }
}

@testable import GroveCache
import Dispatch
import Grove
import GroveLMDB
import GroveSQLite
import TestSupport
import Testing

/// What another process committed is shown here.
@MainActor
@Suite("A manager follows other processes", .serialized)
struct FollowingOthersTests {
    enum Backend: String, CaseIterable { case lmdb, sqlite }

    private static nonisolated let other = PeerProcess("GROVE_FOLLOWED_PEER", filter: "FollowingOthersTests/peer")

    /// What the peer does.
    private enum Job: String { case rename, delete, edit, evict, wipe }

    /// Lets another process do something, and looks for it.
    private struct Peer {
        let run: @MainActor (Job, Bool) async throws -> Void

        @MainActor
        func callAsFunction(_ job: Job, whileSuspended: Bool = false) async throws {
            try await run(job, whileSuspended)
        }
    }

    private let ann = Person(id: "1", name: "Ann")
    private let bob = Person(id: "2", name: "Bob")
    private let anna = Person(id: "1", name: "Anna")

    @Test(
        "The peer does what it is told", .enabled(if: other.job != nil, "other tests start it in a process of its own"))
    func peer() throws {
        guard let words = Self.other.job, let job = Job(rawValue: words[1]), let backend = Backend(rawValue: words[2])
        else { return }
        switch backend {
        case .lmdb: try work(job, try LMDBCache(directory: words[0]))
        case .sqlite: try work(job, try SQLiteCache(directory: words[0]))
        }
    }

    private func work<Store: NodeStore>(_ job: Job, _ cache: NormalizedCache<Store>) throws {
        switch job {
        case .rename:
            try cache.write { tx in
                try tx.write(anna)
                try tx.write(Message(id: "9", text: "new", sender: anna))
            }
        case .delete: try cache.delete("Person:1")
        case .edit: try cache.insert([Person(id: "3", name: "Cid")], at: 0, inCollection: "people")
        case .evict: try cache.evict("Person:1")
        case .wipe: try cache.wipe()
        }
        cache.close()
    }

    private func onEach(
        _ backend: Backend, _ body: (any FollowingScene, Peer) async throws -> Void
    ) async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/cache"
        func run<Store: NodeStore>(_ cache: NormalizedCache<Store>) async throws {
            let scene = Scene(cache)
            let peer = Peer { job, isSuspended in
                try await scene.settle()
                if isSuspended { try scene.suspendNow() }
                let passed = try Self.other.run([path, job.rawValue, backend.rawValue])
                try #require(passed)
                if isSuspended { try scene.resumeNow() } else { cache.noticeCommitsOfOtherProcesses() }
                cache.core.drainNow()
                try await scene.settle()
            }
            try await body(scene, peer)
        }
        switch backend {
        case .lmdb: try await run(try LMDBCache(directory: path))
        case .sqlite: try await run(try SQLiteCache(directory: path))
        }
    }

    @Test(
        "What it writes reaches a model, a tree, a list, who waits for it, who comes later, and a stream",
        .enabled(if: PeerProcess.canStart, "SKIPPED: tests start no process of their own on this system"),
        arguments: Backend.allCases)
    func writes(backend: Backend) async throws {
        try await onEach(backend) { scene, run in
            let manager = scene.manager
            let (held, waits) = (
                DataProvider<Message>(dataModelManager: manager), DataProvider<Message>(dataModelManager: manager)
            )
            let list = CollectionDataProvider<Person>(dataModelManager: manager)
            held.setData(Message(id: "1", text: "hello", sender: ann))
            list.setData([ann, bob], cacheKey: "people")
            waits.modelIdentifier = "Message:9"
            let stream: AsyncStream<ModelEvent<Person>> = manager.consistencyManager.changes(of: "Person:1")
            try await run(.rename)
            #expect(held.data == Message(id: "1", text: "hello", sender: anna))
            #expect(list.data == [anna, bob])
            #expect(waits.data == Message(id: "9", text: "new", sender: anna))
            let later = DataProvider<Person>(dataModelManager: manager)
            #expect(try await later.fetchDataFromCache(withCacheKey: "Person:1") == anna)
            var events = stream.makeAsyncIterator()
            while let event = await events.next() { if event.model == anna { break } }
        }
    }

    @Test(
        "What it deletes is gone, what it inserts is there, what it evicts stays, and an own write goes on",
        .enabled(if: PeerProcess.canStart, "SKIPPED: tests start no process of their own on this system"),
        arguments: Backend.allCases)
    func others(backend: Backend) async throws {
        try await onEach(backend) { scene, run in
            let manager = scene.manager
            let held = DataProvider<Message>(dataModelManager: manager)
            let list = CollectionDataProvider<Person>(dataModelManager: manager)
            held.setData(Message(id: "1", text: "hello", sender: ann))
            list.setData([ann, bob], cacheKey: "people")
            try await run(.edit)
            #expect(list.data.map(\.name) == ["Cid", "Ann", "Bob"])
            try await run(.evict)
            #expect(list.data.map(\.name) == ["Cid", "Ann", "Bob"])
            #expect(held.data?.sender == ann)
            held.setData(Message(id: "1", text: "mine", sender: ann))
            try await run(.delete)
            #expect(held.data == nil)
            #expect(list.data.map(\.name) == ["Cid", "Bob"])
            list.append([anna])
            try await scene.settle()
            #expect(scene.stored("people").map(\.name) == ["Cid", "Bob", "Anna"])
        }
    }

    @Test(
        "After a wipe by another process, and after a suspension, what others write is shown too",
        .enabled(if: PeerProcess.canStart, "SKIPPED: tests start no process of their own on this system"),
        arguments: Backend.allCases)
    func wipes(backend: Backend) async throws {
        try await onEach(backend) { scene, run in
            let held = DataProvider<Person>(dataModelManager: scene.manager)
            for number in 0..<20 { held.setData(Person(id: "1", name: "\(number)")) }
            try await run(.rename)
            #expect(held.data == anna)
            try await run(.wipe)
            // What another process emptied stays on screen until something is there again.
            #expect(held.data == anna)
            try await run(.rename)
            held.setData(ann)
            try await run(.rename)
            #expect(held.data == anna)
            held.setData(ann)
            try await run(.rename, whileSuspended: true)
            #expect(held.data == anna)
        }
    }

    @Test(
        "A read notices by itself, and so does a write; what did not change is not told",
        .enabled(if: PeerProcess.canStart, "SKIPPED: tests start no process of their own on this system"))
    func noticing() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/cache"
        let cache = try SQLiteCache(directory: path)
        let seen = Seen()
        let stream = cache.changes()
        let reader = Task { for await changes in stream { await seen.add(changes) } }
        func settle() async {
            cache.core.drainNow()
            await withCheckedContinuation { done in cache.core.audience.events.async { done.resume() } }
            for _ in 0..<50 { await Task.yield() }
        }
        func commit(_ person: Person) throws { try cache.write(person) }
        func read() throws -> Person? { try cache.model("Person:1", as: Person.self) }
        try commit(ann)
        #expect(try read() == ann)
        cache.noticeCommitsOfOtherProcesses()
        await settle()
        #expect(await seen.everything == 0)
        #expect(try Self.other.run([path, "rename", "sqlite"]))
        #expect(try read() == anna)
        await settle()
        for _ in 0..<100_000 where await seen.everything < 1 { await Task.yield() }
        #expect(try Self.other.run([path, "edit", "sqlite"]) == false)
        #expect(try Self.other.run([path, "delete", "sqlite"]))
        try commit(bob)
        await settle()
        for _ in 0..<100_000 where await seen.everything < 2 { await Task.yield() }
        cache.noticeCommitsOfOtherProcesses()
        try commit(ann)
        await settle()
        #expect(await seen.everything == 2)
        cache.close()
        await reader.value
    }

    /// How many change sets said that anything may have changed.
    private actor Seen {
        var everything = 0
        func add(_ changes: ChangeSet) { if changes.changesEverything { everything += 1 } }
    }
}

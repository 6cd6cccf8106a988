import GroveMemory
import GroveModel
import GroveProviders
import GroveShared
import GroveSharedRules
import Synchronization
import Testing

@Suite("A manager over a near cache")
@MainActor
struct NearCacheDelegateTests {
    private let trial: SharedTrial
    private let manager: DataModelManager
    private let failures = Failures()

    init() throws {
        trial = try SharedTrial(MemoryWorld())
        manager = DataModelManager(
            cacheDelegate: NearCacheDelegate(trial.near) { [failures] in failures.add($0, $1) }, cacheTimeout: 600)
    }

    private func read(_ id: String) async throws -> String? {
        try await withCheckedThrowingContinuation { continuation in
            manager.modelFromCache("Note:\(id)") { (note: Note?, error) in
                if let error {
                    continuation.resume(throwing: error)
                } else {
                    continuation.resume(returning: note?.text)
                }
            }
        }
    }

    @Test("What it is told lies in the database, in the order of calls, and not near")
    func writes() async throws {
        let world = trial.world
        let allCalled = Atomic(false)
        world.gated.gate { message throws(SharedError) in
            // The first is slow: it ends after all were called.
            guard message == .request(.write) else { return }
            while !allCalled.load(ordering: .relaxed) { await Task.yield() }
        }
        for number in 1...50 { manager.updateModel(Note("x", "\(number)")) }
        allCalled.store(true, ordering: .relaxed)
        #expect(try await read("x") == "50")
        let far = try await trial.world.far.fetch(["Note:x"], after: nil)
        #expect((far.models["Note:x"] as? Note)?.text == "50")
        #expect(far.word.position.number == FeedNumber(50))
    }

    @Test("It reads its own write within patience, also if another's commit was read before")
    func ownWrites() async throws {
        try await trial.put("x", "1")
        #expect(try await read("x") == "1")
        manager.updateModel(Note("x", "2"))
        #expect(try await read("x") == "2")
        try await trial.put("x", "3")
        #expect(try await read("x") == "2")
        trial.pass(.seconds(2))
        #expect(try await read("x") == "3")
    }

    @Test("What it deletes is gone in the database")
    func deletes() async throws {
        try await trial.put("x", "1")
        manager.deleteModel(Note("x", "1"))
        #expect(try await read("x") == nil)
        #expect(try await trial.world.far.fetch(["Note:x"], after: nil).models.isEmpty)
    }

    @Test("A write that fails is told of, and is not read")
    func failure() async throws {
        try await trial.put("x", "1")
        trial.world.gated.gate { message throws(SharedError) in
            if message == .request(.write) { throw SharedError(.unreachable, "cut") }
        }
        manager.updateModel(Note("x", "2"))
        await manager.flush()
        // A read would show what was posted; the cache itself is asked.
        let text = await withCheckedContinuation { continuation in
            manager.cacheDelegate.modelForKey("Note:x", context: nil) { (note: Note?, _) in
                continuation.resume(returning: note?.text)
            }
        }
        #expect(text == "1")
        #expect(failures.all.map(\.0) == ["Note:x"])
        #expect((failures.all.first?.1 as? SharedError)?.code == .unreachable)
    }

    @Test("A wipe empties this machine's store, and the database keeps what it has")
    func wipe() async throws {
        try await trial.put("x", "1")
        #expect(try await read("x") == "1")
        try await manager.wipe()
        #expect(try trial.store.model("Note:x", as: Note.self) == nil)
        #expect(try await read("x") == "1")
    }

    @Test("A list is an error, as a near cache keeps none")
    func lists() async throws {
        let error = await withCheckedContinuation { continuation in
            manager.cacheDelegate.collectionForKey("inbox", context: nil) { (_: [Note]?, error) in
                continuation.resume(returning: error)
            }
        }
        #expect((error as? CacheError)?.code == .unsupported)
    }
}

private final class Failures: Sendable {
    private let state = Mutex<[(ModelIdentifier?, any Error)]>([])

    var all: [(ModelIdentifier?, any Error)] { state.withLock { $0 } }

    func add(_ identifier: ModelIdentifier?, _ error: any Error) { state.withLock { $0.append((identifier, error)) } }
}

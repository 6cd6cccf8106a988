import Grove
import GroveCache
@testable import GroveConsistency
import GroveMemory
import Testing

/// What is kept while a request is under way: identifiers and places, and only as long.
@MainActor
@Suite("Requests that are under way")
struct OpenRequestTests {
    /// A model that says whether anybody has it.
    private final class Photo: SimpleModel, Equatable {
        let id: String
        init(_ id: String) { self.id = id }
        var modelIdentifier: ModelIdentifier? { ModelIdentifier("Photo:\(id)") }
        static func == (one: Photo, other: Photo) -> Bool { one.id == other.id }
    }

    struct NoNetwork: Error {}

    let manager: DataModelManager
    let provider: DataProvider<Person>
    let server = Server<Person?>()
    let ann = Person(id: "1", name: "Ann")

    init() throws {
        manager = DataModelManager(cacheDelegate: try MemoryCache())
        provider = DataProvider(dataModelManager: manager)
    }

    /// Whether a request is open, and how many identifiers are kept for it.
    private func kept() async -> (isOpen: Bool, count: Int) {
        await manager.flush()
        return await withCheckedContinuation { continuation in
            manager.consistencyManager.engine.enqueue { engine in
                continuation.resume(returning: (engine.recent.requests.isOpen, engine.recent.requests.count))
            }
        }
    }

    private func expectOpen(_ location: SourceLocation = #_sourceLocation) async {
        manager.updateModel(Person(id: "2", name: "changed"), updateCache: false)
        let kept = await kept()
        #expect(kept.isOpen && kept.count > 0, sourceLocation: location)
    }

    /// The place ends with the last task that has it.
    private func expectEnd(_ location: SourceLocation = #_sourceLocation) async {
        var last = await kept()
        for _ in 0..<1_000 where last.isOpen { last = await kept() }
        #expect(!last.isOpen && last.count == 0, sourceLocation: location)
    }

    @Test("An answer, a failure, a cancellation and the end of a place end them, and nothing is kept")
    func ends() async throws {
        for end in 0..<3 {
            let load = Task { [server] in
                try await provider.load(withCacheKey: "Person:1", reload: true) { try await server.ask() }
            }
            await server.receives(end + 1)
            await expectOpen()
            switch end {
            case 0: await server.answer(end, ann)
            case 1: server.answer(end, .failure(NoNetwork()))
            default: load.cancel()
            }
            _ = await load.result
            await expectEnd()
        }
        do {
            let asked = manager.place()
            await expectOpen()
            try manager.updateModel(ann, asOf: asked)
        }
        await expectEnd()
        #expect(provider.data == ann)
    }

    @Test("A model that changes while a request hangs is not kept for it")
    func models() async throws {
        let load = Task { [server] in
            try await provider.load(withCacheKey: "Person:1") { try await server.ask() }
        }
        await server.receives(1)
        weak var weakPhoto: Photo?
        do {
            let photo = Photo("1")
            weakPhoto = photo
            let holder = DataProvider<Photo>(dataModelManager: manager)
            holder.setData(photo, updateCache: false)
            manager.updateModel(Photo("2"), updateCache: false)
            await manager.flush()
            #expect(weakPhoto != nil)
        }
        for _ in 0..<1_000 where weakPhoto != nil { await manager.flush() }
        #expect(weakPhoto == nil)
        #expect(await kept().count > 0)
        await server.answer(0, ann)
        _ = try await load.value
    }
}

import Grove
import GroveMemory
import GroveTesting
import Synchronization
import Testing

@MainActor
@Suite("A timeline, by identifiers and by indices")
struct TimelineTests {
    /// A server of notes, whose answers wait as long as the test says.
    private final class Server: NoteServer {
        let last = Mutex(100)
        let wait: @Sendable () async throws -> Void

        init(wait: @escaping @Sendable () async throws -> Void = {}) { self.wait = wait }

        func newest() async throws -> [Note] {
            let last = last.withLock(\.self)
            try await wait()
            return (last - 4...last).reversed().map { Note(id: $0, text: "\($0)") }
        }

        func older(than id: Int?) async throws -> [Note] {
            let id = id ?? last.withLock(\.self) + 1
            return (max(id - 5, 1)..<id).reversed().map { Note(id: $0, text: "\($0)") }
        }
    }

    @Test("Both show the same")
    func same() async throws {
        let server = Server()
        let caches = try (0..<2).map { _ in try MemoryCache() }
        let managers = caches.map { DataModelManager(cacheDelegate: $0) }
        let timeline = Timeline(managers[0], caches[0], server)
        let other = TimelineByIndex(managers[1], caches[1], server)
        func same(_ ids: [Int], _ location: SourceLocation = #_sourceLocation) {
            #expect(timeline.notes.data.map(\.id) == ids, sourceLocation: location)
            #expect(other.notes.data == timeline.notes.data, sourceLocation: location)
        }
        for number in 0..<2 {
            if number == 1 { server.last.withLock { $0 = 102 } }
            try await timeline.refresh()
            try await other.refresh()
            try await timeline.older()
            try await other.older()
        }
        same(Array((86...102).reversed()))
        for note in [Note(id: 103, text: "new"), Note(id: 101, text: "again")] {
            try await timeline.received(note, asOf: managers[0].place())
            try await other.received(note, asOf: managers[1].place())
        }
        for manager in managers { await manager.flush() }
        #expect(timeline.notes.data.contains { $0.text == "again" })
        timeline.edited(Note(id: 95, text: "edited"))
        other.edited(Note(id: 95, text: "edited"))
        timeline.retracted(102)
        other.retracted(102)
        timeline.pin(88)
        other.pin(88)
        timeline.answer(Note(id: 900, text: "answer"), to: 100)
        other.answer(Note(id: 900, text: "answer"), to: 100)
        same([88, 103, 101, 900, 100] + (89...99).reversed() + [87, 86])
    }

    @Test("What a socket was asked for before the user logged out is not taken")
    func loggedOut() async throws {
        let cache = try MemoryCache()
        let manager = DataModelManager(cacheDelegate: cache)
        let timeline = Timeline(manager, cache, Server())
        try await timeline.refresh()
        let asked = manager.place()
        try await manager.wipe()
        await #expect(throws: CacheError.self) {
            try await timeline.received(Note(id: 103, text: "former"), asOf: asked)
        }
        #expect(timeline.notes.count == 0)
    }

    @Test("What a socket brings late undoes no edit, removes no row and brings none back")
    func latePush() async throws {
        let caches = try (0..<2).map { _ in try MemoryCache() }
        let managers = caches.map { DataModelManager(cacheDelegate: $0) }
        let timeline = Timeline(managers[0], caches[0], Server())
        let other = TimelineByIndex(managers[1], caches[1], Server())
        try await timeline.refresh()
        try await other.refresh()
        let asked = managers.map { $0.place() }
        timeline.edited(Note(id: 99, text: "edited"))
        other.edited(Note(id: 99, text: "edited"))
        for manager in managers { manager.deleteModel(Note(id: 98, text: "")) }
        for id in 98...101 {
            try await timeline.received(Note(id: id, text: "pushed"), asOf: asked[0])
            try await other.received(Note(id: id, text: "pushed"), asOf: asked[1])
        }
        for manager in managers { await manager.flush() }
        for notes in [timeline.notes, other.notes] {
            #expect(notes.data.map(\.id) == [101, 100, 99, 97, 96])
            #expect(notes.data.map(\.text) == ["pushed", "pushed", "edited", "97", "96"])
        }
    }

    @Test("A page that comes while the first one is refreshed stays, by identifiers")
    func pages() async throws {
        let network = ScriptedNetwork<String, Void>()
        let isHeld = Mutex(false)
        let server = Server { if isHeld.withLock(\.self) { try await network.send("newest") } }
        let cache = try MemoryCache()
        let timeline = Timeline(DataModelManager(cacheDelegate: cache), cache, server)
        try await timeline.refresh()
        isHeld.withLock { $0 = true }
        let refresh = Task { try await timeline.refresh() }
        let request = try await network.next()
        try await timeline.older()
        #expect(timeline.notes.count == 10)
        request.answer(())
        try await refresh.value
        #expect(timeline.notes.data.map(\.id) == Array((91...100).reversed()))
    }
}

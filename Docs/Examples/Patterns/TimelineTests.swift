import Grove
import GroveMemory
import Synchronization
import Testing

@MainActor
@Suite("A timeline, by identifiers and by indices")
struct TimelineTests {
    /// A server with so many notes; an answer waits as long as the test says.
    private final class Server: NoteServer {
        let last = Mutex(100)
        let wait: @Sendable () async -> Void

        init(wait: @escaping @Sendable () async -> Void = {}) { self.wait = wait }

        func newest() async throws -> [Note] {
            let last = last.withLock(\.self)
            await wait()
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
        let managers = try (0..<2).map { _ in DataModelManager(cacheDelegate: try MemoryCache()) }
        let timeline = Timeline(managers[0], server)
        let other = TimelineByIndex(managers[1], server)
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
            try timeline.received(note, asOf: managers[0].place())
            try other.received(note, asOf: managers[1].place())
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
        let manager = DataModelManager(cacheDelegate: try MemoryCache())
        let timeline = Timeline(manager, Server())
        try await timeline.refresh()
        let asked = manager.place()
        try await manager.wipe()
        #expect(throws: CacheError.self) { try timeline.received(Note(id: 103, text: "former"), asOf: asked) }
        #expect(timeline.notes.count == 0)
    }

    @Test("A page that comes while the first one is refreshed stays, by identifiers")
    func pages() async throws {
        let (gates, gate) = AsyncStream.makeStream(of: Void.self)
        let isHeld = Mutex(false)
        let (asks, asked) = AsyncStream.makeStream(of: Void.self)
        let server = Server {
            guard isHeld.withLock(\.self) else { return }
            asked.yield()
            for await _ in gates { return }
        }
        let timeline = Timeline(DataModelManager(cacheDelegate: try MemoryCache()), server)
        try await timeline.refresh()
        isHeld.withLock { $0 = true }
        let refresh = Task { try await timeline.refresh() }
        var waiting = asks.makeAsyncIterator()
        await waiting.next()
        try await timeline.older()
        #expect(timeline.notes.count == 10)
        gate.yield()
        try await refresh.value
        #expect(timeline.notes.data.map(\.id) == Array((91...100).reversed()))
    }
}

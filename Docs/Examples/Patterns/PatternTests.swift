import Foundation
import Grove
import GroveLMDB
import GroveMemory
import GroveTesting
import Observation
import Synchronization
import Testing

@MainActor
@Suite("Patterns, examples")
struct PatternTests {
    @Test(
        "Sections and their owner talk by events; a section that goes is not retained, and misses nothing before that")
    func messageBus() async throws {
        let bus = DataModelManager(cacheDelegate: try MemoryCache())
        let gallery = GalleryController(bus: bus, sections: 3)
        gallery.sections[0].select("cat")
        gallery.sections[2].select("dog")
        await bus.flush()
        #expect(gallery.opened == ["0/cat", "2/dog"])
        #expect(gallery.lastSource?.fileID.hasSuffix("MessageBus.swift") == true)
        // A background task posts too; its events arrive in their order.
        await Task.detached { for number in 0..<100 { bus.post(PhotoSelected(photo: "\(number)", section: 1)) } }.value
        await bus.flush()
        #expect(gallery.opened.dropFirst(2) == (0..<100).map { "1/\($0)" }[...])
        gallery.close()
        await bus.flush()
        #expect(gallery.sections.allSatisfy { $0.selected == nil })
        let isLastGone = { [weak last = gallery.sections.last] in last == nil }
        gallery.removeLastSection()
        #expect(isLastGone())
        gallery.sections[0].select("owl")
        gallery.close()
        await bus.flush()
        #expect(gallery.opened.last == "0/owl" && gallery.sections[0].selected == nil)
    }

    @Test("Views of sales figures come and go: none is retained, none misses one, a late one is given the current one")
    func salesFigures() async throws {
        let manager = DataModelManager(cacheDelegate: try MemoryCache())
        let (days, day) = AsyncStream.makeStream(of: Void.self)
        let (asks, asked) = AsyncStream.makeStream(of: Int.self)
        let count = Mutex(0)
        struct Busy: Error {}
        let middleware = SalesMiddleware(
            manager: manager,
            fetch: {
                let day = count.withLock { count in
                    count += 1
                    return count
                }
                // The third request fails; the next is still made.
                if day == 3 { throw Busy() }
                return SalesFigure(day: day, total: day * 100)
            },
            wait: {
                asked.yield(count.withLock { $0 })
                for await _ in days { return }
                throw CancellationError()
            })
        var polled = asks.makeAsyncIterator()
        let first = SalesView(manager)
        var second: SalesView? = SalesView(manager)
        let isSecondGone = { [weak second] in second == nil }
        let polling = Task { await middleware.run() }
        #expect(await polled.next() == 1)
        await manager.flush()
        #expect(second?.shown.map(\.day) == [1])
        second = nil
        #expect(isSecondGone())
        for number in 2...4 {
            day.yield()
            #expect(await polled.next() == number)
        }
        let late = SalesView(manager)
        await manager.flush()
        #expect(late.shown == [SalesFigure(day: 4, total: 400)])
        day.yield()
        #expect(await polled.next() == 5)
        await manager.flush()
        #expect(first.shown.map(\.day) == [1, 2, 4, 5] && late.shown.map(\.day) == [4, 5])
        polling.cancel()
        await polling.value
        #expect(count.withLock { $0 } == 5)
    }

    @Test("A figure that was asked for before a log-out is told to nobody")
    func figureAfterLogOut() async throws {
        let manager = DataModelManager(cacheDelegate: try MemoryCache())
        let network = ScriptedNetwork<String, SalesFigure>()
        let middleware = SalesMiddleware(
            manager: manager, fetch: { try await network.send("figure") }, wait: { throw CancellationError() })
        let view = SalesView(manager)
        let polling = Task { await middleware.run() }
        let request = try await network.next()
        try await manager.wipe()
        request.answer(SalesFigure(day: 1, total: 100))
        await polling.value
        await manager.flush()
        #expect(view.shown.isEmpty)
    }

    @Test("Two screens update each other, and show yesterday's data at once when started again")
    func twoScreens() async throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        defer { try? FileManager.default.removeItem(atPath: directory) }
        do {
            let cache = try LMDBCache(directory: directory)
            let manager = DataModelManager(cacheDelegate: cache)
            let (letter, contacts) = (LetterScreen("34", manager, Online()), ContactsScreen(manager, Online()))
            #expect(letter.line == "…")
            await letter.open()
            await contacts.open()
            #expect(letter.line == "Ann: Hello" && contacts.contacts.data.map(\.name) == ["Ann", "Bob"])
            contacts.cameOnline("1")
            await manager.flush()
            #expect(letter.line == "Ann (online): Hello")
            letter.rename("Anna")
            await manager.flush()
            #expect(contacts.contacts.data.map(\.name) == ["Anna", "Bob"])
            try await cache.flush()
            cache.close()
        }
        let cache = try LMDBCache(directory: directory)
        defer { cache.close() }
        let manager = DataModelManager(cacheDelegate: cache)
        let network = Slow()
        let (letter, contacts) = (LetterScreen("34", manager, network), ContactsScreen(manager, network))
        let opening = Task {
            await letter.open()
            await contacts.open()
        }
        // The network does not answer: the screen shows the cache.
        while letter.letter.data == nil { await manager.flush() }
        #expect(letter.line == "Anna (online): Hello")
        try await network.letters.next().fail(Offline())
        while contacts.contacts.count == 0 { await manager.flush() }
        #expect(contacts.contacts.data.map(\.name) == ["Anna", "Bob"])
        try await network.lists.next().fail(Offline())
        await opening.value
        if case .failed(let error) = letter.letter.state {
            #expect(error is Offline)
        } else {
            Issue.record("not failed")
        }
        #expect(letter.line == "Anna (online): Hello")
    }

    @Test("A chat reads from a socket and hands batches to the screen, which never waits, and stores them")
    func chat() async throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        defer { try? FileManager.default.removeItem(atPath: directory) }
        do {
            let cache = try LMDBCache(directory: directory)
            let manager = DataModelManager(cacheDelegate: cache)
            let screen = ChatScreen(manager, cache)
            let server = try Server()
            let reading = Task.detached { try await ChatNetwork(port: server.port).run(screen) }
            // The server sends when the main actor says so. If the main actor waited for the socket, this test would
            // hang.
            server.send((0..<3).map { "\($0)|Ann|grün \($0)\n" }.joined())
            while screen.messages.count < 3 { await manager.flush() }
            let half = Array("3|Bob|früher\n".utf8)
            server.send(half[..<8])
            for _ in 0..<10 { await manager.flush() }
            #expect(screen.messages.count == 3)
            server.send(half[8...])
            server.send("nonsense\n4|Bob|last\n".utf8)
            server.end()
            try await reading.value
            await manager.flush()
            #expect(screen.messages.data.map(\.id) == Array(0...4))
            #expect(screen.messages.data.map(\.text) == ["grün 0", "grün 1", "grün 2", "früher", "last"])
            #expect(screen.batches.reduce(0, +) == 5 && screen.batches.count < 5)
            await manager.flush()
            try await cache.flush()
            cache.close()
        }
        let cache = try LMDBCache(directory: directory)
        defer { cache.close() }
        let manager = DataModelManager(cacheDelegate: cache)
        let screen = ChatScreen(manager, cache)
        while screen.messages.count == 0 { await manager.flush() }
        #expect(screen.messages.data.map(\.text).last == "last")
        // If the user leaves the chat, the reading ends, even if the server sends nothing.
        let server = try Server()
        let reading = Task.detached { try await ChatNetwork(port: server.port).run(screen) }
        server.send("5|Ann|more\n".utf8)
        while screen.messages.count < 6 { await manager.flush() }
        reading.cancel()
        try await reading.value
        // A message that comes after the user has logged out ends the reading too, and is not stored.
        let next = try Server()
        let last = Task.detached { try await ChatNetwork(port: next.port).run(screen) }
        next.send("6|Ann|before\n".utf8)
        while screen.messages.count < 7 { await manager.flush() }
        try await manager.wipe()
        next.send("7|Ann|after\n".utf8)
        await #expect(throws: CacheError.self) { try await last.value }
        #expect(screen.messages.count == 0)
    }

    @Test("What a chat is pushed undoes nothing that was done since, and what the chat has already stays where it is")
    func latePush() async throws {
        let cache = try MemoryCache()
        let manager = DataModelManager(cacheDelegate: cache)
        let screen = ChatScreen(manager, cache)
        func batch(_ ids: ClosedRange<Int>) -> [ChatMessage] {
            ids.map { ChatMessage(id: $0, author: "Ann", text: "\($0)") }
        }
        try await screen.receive(batch(1...3), asOf: cache.place())
        await manager.flush()
        let asked = cache.place()
        screen.messages.update(ChatMessage(id: 1, author: "Ann", text: "edited"))
        manager.deleteModel(batch(2...2)[0])
        try await screen.receive(batch(1...5), asOf: asked)
        await manager.flush()
        #expect(screen.messages.data.map(\.text) == ["edited", "3", "4", "5"])
        #expect(try cache.collection("chat", of: ChatMessage.self) == screen.messages.data)
    }

    @Test("What a socket brought before a log-out is not taken after it, however late its bytes are looked at")
    func bytesOfBefore() async throws {
        let cache = try MemoryCache()
        let manager = DataModelManager(cacheDelegate: cache)
        let screen = ChatScreen(manager, cache)
        let server = try Server()
        let reading = Task.detached { try await ChatNetwork(port: server.port).run(screen) }
        // The user logs out in the turn in which the first message is shown. No task has read the later ones yet.
        withObservationTracking {
            _ = screen.messages.count
        } onChange: {
            try? cache.wipe()
        }
        server.send("1|Ann|before\n".utf8)
        while screen.batches.isEmpty { await manager.flush() }
        server.send("2|Ann|a former user's\n".utf8)
        server.end()
        await #expect(throws: CacheError.self) { try await reading.value }
        await manager.flush()
        #expect(try cache.collection("chat", of: ChatMessage.self) == nil)
    }
}

/// The chat's server on the loopback, which sends the test's lines in their order.
private final class Server: Sendable {
    let port: UInt16
    private let queue = DispatchQueue(label: "server")
    private let client = Mutex<Socket?>(nil)

    init() throws {
        let (listening, port) = try Socket.listening()
        self.port = port
        queue.async { [self] in client.withLock { $0 = try? listening.accepted() } }
    }

    func send(_ bytes: some Collection<UInt8> & Sendable) {
        queue.async { [self] in client.withLock { $0 }?.write(bytes) }
    }

    func send(_ text: String) { send(Array(text.utf8)) }

    func end() { queue.async { [self] in client.withLock { $0 }?.shutDown() } }
}

private struct Offline: Error {}

private struct Online: Mail {
    func letter(_ id: String) async throws -> Letter? {
        Letter(id: id, text: "Hello", sender: Contact(id: "1", name: "Ann"))
    }
    func contacts() async throws -> [Contact] { [Contact(id: "1", name: "Ann"), Contact(id: "2", name: "Bob")] }
}

/// A network that answers when the test says so.
private struct Slow: Mail {
    let letters = ScriptedNetwork<String, Letter?>()
    let lists = ScriptedNetwork<String, [Contact]>()

    func letter(_ id: String) async throws -> Letter? { try await letters.send(id) }
    func contacts() async throws -> [Contact] { try await lists.send("contacts") }
}

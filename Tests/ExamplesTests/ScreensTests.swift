import Grove
import GroveSQLite
import Synchronization
import TestSupport
import Testing

@MainActor
@Suite("Docs/Guides/Screens.md")
struct ScreensTests {
    /// Seven messages in pages of three, until it is offline.
    private final class Server: MessageServer {
        struct Offline: Error {}

        let asked = Mutex<[String]>([])
        let isOffline = Mutex(false)

        static let all = (1...7).map {
            Message(id: "\($0)", text: "text \($0)", sender: Person(id: "1", name: "Ann", isOnline: false))
        }

        func message(_ id: String) async throws -> Message? {
            try answer(id)
            return Self.all.first { $0.id == id }
        }

        func messages(after id: String?) async throws -> [Message] {
            try answer("after \(id ?? "")")
            return Array(Self.all.drop { id != nil && $0.id <= id ?? "" }.prefix(3))
        }

        private func answer(_ question: String) throws {
            asked.withLock { $0.append(question) }
            if isOffline.withLock({ $0 }) { throw Offline() }
        }
    }

    @Test("What the server pushes goes into the list and out of it, and not after a wipe")
    func pushes() throws {
        let directory = try TemporaryDirectory()
        let cache = try SQLiteCache(directory: directory.path + "/cache")
        defer { cache.close() }
        let asked = cache.place()
        try add(Server.all[0], to: cache, asOf: asked)
        #expect(try cache.collection("inbox", of: Message.self) == nil)
        try cache.writeCollection([Server.all[0]], as: "inbox")
        try add(Server.all[1], to: cache, asOf: cache.place())
        #expect(try cache.collection("inbox", of: Message.self)?.map(\.id) == ["1", "2"])
        try remove("Message:1", from: cache, asOf: cache.place())
        #expect(try cache.collection("inbox", of: Message.self, missing: .skip)?.map(\.id) == ["2"])
        try cache.wipe()
        #expect(throws: CacheError.self) { try add(Server.all[2], to: cache, asOf: asked) }
        #expect(throws: CacheError.self) { try remove("Message:2", from: cache, asOf: asked) }
        #expect(try cache.model("Message:3", as: Message.self) == nil)
    }

    @Test("A list comes in pages, says where it stands, and is there at once, offline, when it is opened again")
    func inbox() async throws {
        let directory = try TemporaryDirectory()
        let server = Server()
        do {
            let cache = try SQLiteCache(directory: directory.path)
            let inbox = InboxModel(DataModelManager(cacheDelegate: cache), server)
            #expect(inbox.notice == "Loading…")
            await inbox.refresh()
            #expect(inbox.notice == nil && inbox.messages.rows.map(\.model.id) == ["1", "2", "3"])
            await inbox.appeared(inbox.messages.rows[0])
            for _ in 0..<5 {
                if let last = inbox.messages.rows.last { await inbox.appeared(last) }
            }
            #expect(inbox.messages.data == Server.all)
            #expect(server.asked.withLock { $0 } == ["after ", "after 3", "after 6", "after 7"])
            await inbox.messages.dataModelManager.flush()
            try await cache.flush()
            cache.close()
        }
        server.isOffline.withLock { $0 = true }
        let cache = try SQLiteCache(directory: directory.path)
        defer { cache.close() }
        let inbox = InboxModel(DataModelManager(cacheDelegate: cache), server)
        await inbox.refresh(maxAge: 3_600)
        #expect(inbox.messages.data == Server.all)
        #expect(server.asked.withLock { $0.count } == 4, "the cache's are young enough")
        inbox.messages.setData([], cacheKey: "inbox")
        #expect(inbox.notice == "No messages")
    }

    @Test("A message that a list shows is there before the first frame, and changes in both are one")
    func message() async throws {
        let began = ContinuousClock.now
        let cache = try SQLiteCache(directory: try TemporaryDirectory().path)
        defer { cache.close() }
        let manager = DataModelManager(cacheDelegate: cache)
        let server = Server()
        let inbox = InboxModel(manager, server)
        await inbox.refresh()
        let screen = MessageModel("2", manager, server)
        #expect(screen.message.data == Server.all[1])
        var drawn: [String] = []
        follow { drawn.append(screen.message.data?.text ?? "none") }
        #expect(drawn == ["text 2"])
        try await cache.write(Message(id: "2", text: "changed", sender: Server.all[1].sender))
        while drawn.last != "changed" { await manager.flush() }
        #expect(inbox.messages[1].text == "changed" && inbox.messages.rows[1].model.text == "changed")
        await screen.appear()
        let asked = server.asked.withLock { $0 }
        // The screen's answers are young enough for a minute, which may pass on a busy machine.
        guard began.duration(to: .now) < .seconds(60) else { return }
        #expect(asked == ["after "], "what was written a moment ago is young enough")
    }
}

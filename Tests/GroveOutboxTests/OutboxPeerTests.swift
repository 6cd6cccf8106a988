import Foundation
import Grove
import GroveCache
import GroveOutbox
import TestSupport
import Testing

/// Another process that has an outbox over the store of a test, and does what the test tells it.
@MainActor
@Suite("Two processes with an outbox over one store")
struct OutboxPeerTests {
    nonisolated static let other = PeerProcess("GROVE_OUTBOX_PEER", filter: "OutboxPeerTests/peer")

    @Test(
        "The peer does what it is told", .enabled(if: other.job != nil, "other tests start it in a process of its own"))
    func peer() async throws {
        guard let job = Self.other.job, let backend = DiskBackend(rawValue: job[0]) else { return }
        let peer = OutboxPeer(backend, job[1], FakeClock(path: job[2]))
        for await words in PeerConversation.questions() {
            PeerConversation.answer(try await peer.answer(words))
        }
    }

    private nonisolated static let posts = [Post(id: 1), Post(id: 2)]

    /// A store with two posts, its clock, this process's outbox, and the other process, whose first request has arrived
    /// at the server.
    private struct Pair {
        let directory: TemporaryDirectory
        let scene: DiskScene
        let peer: PeerConversation
        var truth = Truth(posts)
        let late: Truth.Outcome
        let key: String

        @MainActor
        init(_ backend: DiskBackend) async throws {
            directory = try TemporaryDirectory()
            let (path, time) = (directory.path + "/cache", directory.path + "/time")
            scene = try DiskScene(backend, path, clock: FakeClock(path: time), keys: "here")
            try await scene.write(posts, posts)
            peer = try OutboxPeerTests.other.start(["\(backend)", path, time])
            try peer.ask("open")
            try peer.ask("submit", "write", "-7")
            try peer.ask("submit", "like", "1")
            let words = try peer.ask("next").split(separator: " ").map(String.init)
            key = words[1]
            late = truth.carryOut(words[0], key)
        }

        /// Answers the next request of this process.
        @MainActor
        mutating func serve() async throws -> String {
            let request = try await scene.server.next()
            request.reply(.success(truth.carryOut(request.name, request.attempt.key).answer))
            return request.name
        }

        /// Looks at the store after everything was confirmed.
        @MainActor
        func check(asked: [String: Int]) throws {
            #expect(try scene.kept().isEmpty)
            #expect(try scene.list() == truth.list)
            #expect(truth.list == [1, 2, 1_002])
            for id in truth.list { #expect(try scene.post(id) == truth.posts[id]) }
            #expect(truth.posts[1]?.likes == 1 && truth.asked == asked)
        }
    }

    @Test(
        "If the process that sends is killed, another one goes on when the lease is over, with the same keys",
        .enabled(if: PeerProcess.canStart, "SKIPPED: tests start no process of their own on this system"),
        arguments: DiskBackend.shared)
    func killed(backend: DiskBackend) async throws {
        var pair = try await Pair(backend)
        pair.peer.signal(SIGKILL)
        #expect(try !pair.peer.end())
        pair.scene.outbox.resume()
        try await pair.scene.outbox.submit(Edit(post: "Post:2", text: "here"))
        await pair.scene.outbox.flush()
        #expect(pair.scene.server.seen.isEmpty)
        #expect(pair.scene.outbox.pending.map(\.id) == ["there2", "there3", "here2"])
        pair.scene.clock.advance(61)
        #expect(try await pair.serve() == "write:-7")
        #expect(try await pair.serve() == "like:1")
        #expect(try await pair.serve() == "edit:Post:2:here")
        await pair.scene.outbox.flush()
        try pair.check(asked: ["there2": 2, "there3": 1, "here2": 1])
        pair.scene.close()
    }

    @Test(
        "If the process that sends is stopped, another one goes on; what the first does later changes nothing",
        .enabled(if: PeerProcess.canStart, "SKIPPED: tests start no process of their own on this system"),
        arguments: DiskBackend.shared)
    func stopped(backend: DiskBackend) async throws {
        var pair = try await Pair(backend)
        pair.peer.signal(SIGSTOP)
        pair.scene.outbox.resume()
        await pair.scene.outbox.flush()
        #expect(pair.scene.server.seen.isEmpty)
        pair.scene.clock.advance(61)
        #expect(try await pair.serve() == "write:-7")
        #expect(try await pair.serve() == "like:1")
        await pair.scene.outbox.flush()
        pair.peer.signal(SIGCONT)
        // The answer of before it was stopped.
        try pair.peer.ask(["reply"] + pair.late.words)
        #expect(try pair.peer.ask("pending").isEmpty)
        try pair.check(asked: ["there2": 2, "there3": 1])
        // It goes on as ever.
        try pair.peer.ask("submit", "like", "2")
        let words = try pair.peer.ask("next").split(separator: " ").map(String.init)
        #expect(words[0] == "like:2")
        try pair.peer.ask(["reply"] + pair.truth.carryOut(words[0], words[1]).words)
        #expect(try pair.peer.ask("pending").isEmpty)
        try pair.check(asked: ["there2": 2, "there3": 1, words[1]: 1])
        #expect(try pair.peer.end())
        pair.scene.close()
    }

    @Test(
        "While one process sends the other waits, and goes on when the first has nothing more to send",
        .enabled(if: PeerProcess.canStart, "SKIPPED: tests start no process of their own on this system"),
        arguments: DiskBackend.shared)
    func takesTurns(backend: DiskBackend) async throws {
        var pair = try await Pair(backend)
        try await pair.scene.outbox.submit(Edit(post: "Post:2", text: "here"))
        await pair.scene.outbox.flush()
        #expect(pair.scene.server.seen.isEmpty)
        try pair.peer.ask(["reply"] + pair.late.words)
        let words = try pair.peer.ask("next").split(separator: " ").map(String.init)
        #expect(words[0] == "like:1")
        // It sends nothing after this, and gives the lease back.
        try pair.peer.ask("suspend")
        try pair.peer.ask(["reply"] + pair.truth.carryOut(words[0], words[1]).words)
        pair.scene.outbox.resume()
        #expect(try await pair.serve() == "edit:Post:2:here")
        await pair.scene.outbox.flush()
        try pair.check(asked: ["there2": 1, "there3": 1, "here2": 1])
        #expect(try pair.peer.end())
        pair.scene.close()
    }

    @Test(
        "All processes have one clock", .enabled(if: PeerProcess.canStart, "SKIPPED: no process can be started here"))
    func clock() throws {
        let now = OutboxOptions().now
        let directory = try TemporaryDirectory()
        let peer = try Self.other.start(["lmdb", directory.path, directory.path + "/time"])
        let before = now()
        let there = try #require(Double(try peer.ask("now")))
        #expect(before <= there && there <= now())
        #expect(try peer.end())
    }
}

/// In the other process: an outbox, and the requests that have arrived at its server.
@MainActor
final class OutboxPeer {
    private let (backend, path, clock): (DiskBackend, String, FakeClock)
    private var scene: DiskScene?
    private var requests: [FakeServer.Request] = []

    init(_ backend: DiskBackend, _ path: String, _ clock: FakeClock) {
        (self.backend, self.path, self.clock) = (backend, path, clock)
    }

    /// Does what `words` say.
    func answer(_ words: [String]) async throws -> String {
        switch words[0] {
        case "now": return "\(OutboxOptions().now())"
        case "open":
            scene = try DiskScene(backend, path, clock: clock, keys: "there")
            return "done"
        default: break
        }
        guard let scene else { return "closed" }
        switch words[0] {
        case "submit":
            let id = Int(words[2]) ?? 0
            switch words[1] {
            case "like": return try await scene.outbox.submit(Like(post: id)).id
            case "edit":
                return try await scene.outbox.submit(Edit(post: Post.modelIdentifier(for: id), text: words[3])).id
            default: return try await scene.outbox.submit(Write(local: id, text: "w\(id)")).id
            }
        case "next":
            let request = try await scene.server.next()
            requests.append(request)
            return "\(request.name) \(request.attempt.key)"
        case "reply":
            let request = requests.removeFirst()
            request.reply(.success(Truth.Outcome(Array(words.dropFirst())).answer))
            // Until it is confirmed; the next one may be under way.
            await waitUntil { !scene.outbox.pending.contains { $0.id == request.attempt.key } }
        case "suspend": scene.outbox.suspend()
        case "pending":
            scene.outbox.resume()
            await scene.outbox.flush()
            return scene.outbox.pending.map(\.id).joined(separator: " ")
        case "close": scene.close()
        default: break
        }
        return "done"
    }
}

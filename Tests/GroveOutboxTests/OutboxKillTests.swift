import Foundation
import GroveCache
import GroveConformance
import GroveOutbox
import Testing
import TestSupport

/// A process that is killed instead of one of its calls that write, while it submits, sends and confirms.
@MainActor
@Suite("An outbox whose process is killed", .serialized)
struct OutboxKillTests {
    nonisolated private static let canKill = PeerProcess.canStart && FaultLibrary.isPossible

    @Test(
        "What was awaited is there afterwards, and nothing is confirmed twice: at some calls",
        .enabled(if: canKill, "SKIPPED: no process can be killed at a call here"), arguments: DiskBackend.allCases)
    func some(backend: DiskBackend) async throws {
        let sweep = try OutboxKillSweep(backend)
        let calls = try await sweep.count()
        #expect(calls > 8)
        for call in [calls / 4, calls / 2, calls * 3 / 4] { try await sweep.kill(at: call) }
    }

    @Test(
        "The same at each call that writes", .enabled(if: canKill, "SKIPPED: no process can be killed at a call here"),
        arguments: DiskBackend.allCases)
    func slowEach(backend: DiskBackend) async throws {
        let sweep = try OutboxKillSweep(backend)
        let calls = try await sweep.count()
        var kills = 0
        for call in 1...calls {
            if try await sweep.kill(at: call) { kills += 1 }
        }
        print("\(backend): \(kills) kills at \(calls) calls")
        #expect(kills > calls / 2)
    }
}

/// One script over and over, each time killed at another call.
@MainActor
private struct OutboxKillSweep {
    private nonisolated static let posts = [Post(id: 1), Post(id: 2)]
    private static let script = [
        ["open"], ["submit", "write", "-7"], ["submit", "like", "1"], ["next"], ["reply"], ["next"], ["reply"],
        ["submit", "edit", "2", "e"], ["close"],
    ]

    private let backend: DiskBackend
    private let library: FaultLibrary
    private let directory: TestSupport.TemporaryDirectory
    private var time: String { directory.path + "/time" }

    init(_ backend: DiskBackend) throws {
        // A peer that is gone must not end this process.
        _ = signal(SIGPIPE, SIG_IGN)
        self.backend = backend
        library = try FaultLibrary()
        directory = try TestSupport.TemporaryDirectory()
        _ = FakeClock(path: time)
    }

    /// What a run was told before its end.
    private struct Run {
        var truth = Truth(posts)
        /// The keys of what was awaited, and of what was confirmed, before the process was gone.
        var stored: [String] = []
        var confirmed: [String] = []
        var wasKilled = false
    }

    /// How many calls write.
    func count() async throws -> Int {
        let log = try library.makeLog()
        let path = try await makeStore("count")
        let run = try run(path, library.environment(.none, log: log))
        #expect(!run.wasKilled)
        try await check(path, run, "no kill")
        return FaultLibrary.counts(log).calls
    }

    /// Kills the process at the call of that number, and looks at what is left; returns whether it was killed.
    @discardableResult
    func kill(at call: Int) async throws -> Bool {
        let path = try await makeStore("call \(call)")
        let run = try run(path, library.environment(.kill(at: call), log: try library.makeLog()))
        try await check(path, run, "\(backend), killed at call \(call)")
        try? FileManager.default.removeItem(atPath: path)
        return run.wasKilled
    }

    private func makeStore(_ name: String) async throws -> String {
        let path = directory.path + "/" + name
        let scene = try DiskScene(backend, path, clock: FakeClock(), keys: "first")
        try await scene.write(Self.posts, Self.posts)
        scene.close()
        return path
    }

    private func run(_ path: String, _ environment: [String: String]) throws -> Run {
        var run = Run()
        let peer = try OutboxPeerTests.other.start(["\(backend)", path, time], environment: environment)
        var request = ["", ""]
        do {
            for words in Self.script {
                switch words[0] {
                case "submit": run.stored.append(try peer.ask(words))
                case "next": request = try peer.ask(words).split(separator: " ").map(String.init)
                case "reply":
                    try peer.ask(words + run.truth.carryOut(request[0], request[1]).words)
                    run.confirmed.append(request[1])
                default: try peer.ask(words)
                }
            }
        } catch { run.wasKilled = true }
        if try !peer.end() { run.wasKilled = true }
        return run
    }

    /// Opens what is left: all that was awaited is there or confirmed, and never both; the rest is sent, and is
    /// confirmed once.
    private func check(_ path: String, _ run: Run, _ what: String) async throws {
        var truth = run.truth
        let scene = try DiskScene(backend, path, clock: FakeClock(path: time), keys: "here")
        let kept = try scene.kept()
        let list = try scene.list()
        // Keys are numbered: 1 is the outbox itself.
        let isConfirmed = [
            "there2": list.contains(1_002), "there3": try scene.post(1)?.likes == 1,
            "there4": try scene.post(2)?.text == "e",
        ]
        for (key, isConfirmed) in isConfirmed {
            #expect(!kept.contains(key) || !isConfirmed, "\(what): \(key) is confirmed and pending")
            if run.stored.contains(key) {
                #expect(kept.contains(key) || isConfirmed, "\(what): \(key) was awaited and is lost")
            }
            if run.confirmed.contains(key) { #expect(isConfirmed, "\(what): \(key) is not confirmed any more") }
        }
        #expect(scene.outbox.pending.map(\.id) == kept.sorted(), "\(what)")
        scene.outbox.resume()
        // The lease of the process that is gone.
        scene.clock.advance(61)
        while !scene.outbox.pending.isEmpty {
            let request = try await scene.server.next()
            let key = request.attempt.key
            request.reply(.success(truth.carryOut(request.name, key).answer))
            await waitUntil { !scene.outbox.pending.contains { $0.id == key } }
        }
        await scene.outbox.flush()
        #expect(try scene.kept().isEmpty, "\(what)")
        #expect(try scene.list() == truth.list, "\(what)")
        for id in truth.list { #expect(try scene.post(id) == truth.posts[id], "\(what)") }
        #expect(Set(truth.asked.keys).isSuperset(of: run.stored), "\(what)")
        scene.close()
    }
}

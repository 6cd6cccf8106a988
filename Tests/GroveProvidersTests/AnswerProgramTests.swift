import Foundation
import Grove
import GroveCache
import GroveLMDB
import GroveMemory
import GroveSQLite
import TestSupport
import Testing

/// After any calls of any source, no edit is undone by an older answer, nothing of before a wipe is seen, and screens
/// show what the cache has.
@MainActor
@Suite("Random programs over all sources", .serialized)
struct AnswerProgramTests {
    /// Empties the cache by one of five doors.
    private func wipe<Store: NodeStore>(_ scene: Scene<Store>, _ door: Int) async throws {
        switch door {
        case 0: try await scene.cache.wipe()
        case 1: try await scene.manager.wipe()
        case 2: try await scene.other.wipe()
        case 3:
            _ = try await scene.cache.write { tx in try tx.delete(allOf: Person.self) }
            _ = try await scene.cache.write { tx in try tx.delete(allOf: Message.self) }
        default: try await scene.cache.wipe()
        }
    }

    private func run(_ seeds: Range<UInt64>, editsLists: Bool = false, editsParts: Bool = false) async throws {
        for seed in seeds {
            let scene = Scene(try MemoryCache())
            try await AnswerProgram(scene, seed, editsLists: editsLists, editsParts: editsParts) {
                try await self.wipe(scene, $0)
            }.run()
        }
    }

    private func runBesidePeer(
        _ seeds: Range<UInt64>, on backend: FollowedBackend, editsLists: Bool = false
    ) async throws {
        for seed in seeds {
            try await backend.open(history: seed % 2 == 0 ? 100 : 0, withPeer: true) { scene, peer in
                try await AnswerProgram(scene, seed, beside: peer, editsLists: editsLists) { door in
                    if door % 2 == 0 { try await scene.manager.wipe() } else { try await scene.other.wipe() }
                }.run()
            }
        }
    }

    /// Over files, which are replaced too.
    private func runOverFiles(_ seeds: Range<UInt64>) async throws {
        try await runOverFiles(seeds) { try SQLiteCache(directory: $0) }
        try await runOverFiles(seeds) { try LMDBCache(directory: $0) }
    }

    private func runOverFiles<Store: NodeStore>(
        _ seeds: Range<UInt64>, open: (String) throws -> NormalizedCache<Store>
    ) async throws {
        for seed in seeds {
            let directory = try TemporaryDirectory()
            let path = directory.path + "/cache"
            let scene = Scene(try open(path))
            try await AnswerProgram(scene, seed, replacesFiles: true) { door in
                guard door >= 3 else { return try await self.wipe(scene, door) }
                try scene.suspend()
                try FileManager.default.removeItem(atPath: path)
                try scene.resume()
            }.run()
        }
    }

    @Test("No edit is undone by an older answer, and nothing of before a wipe comes back")
    func programs() async throws { try await run(0..<30) }

    @Test("The same, of more seeds", arguments: stride(from: 30 as UInt64, to: 1_000, by: 97).map { $0..<$0 + 97 })
    func slowPrograms(seeds: Range<UInt64>) async throws { try await run(seeds) }

    @Test("The same beside edits of the list")
    func lists() async throws { try await run(0..<30, editsLists: true) }

    @Test(
        "The same beside edits of the list, of more seeds",
        arguments: stride(from: 30 as UInt64, to: 1_000, by: 97).map { $0..<$0 + 97 })
    func slowLists(seeds: Range<UInt64>) async throws { try await run(seeds, editsLists: true) }

    @Test("The same beside edits of the list, and of a part of a message")
    func parts() async throws { try await run(0..<30, editsLists: true, editsParts: true) }

    @Test(
        "The same beside edits of the list, and of a part of a message, of more seeds",
        arguments: stride(from: 30 as UInt64, to: 1_000, by: 97).map { $0..<$0 + 97 })
    func slowParts(seeds: Range<UInt64>) async throws { try await run(seeds, editsLists: true, editsParts: true) }

    @Test("The same over files, which are replaced too")
    func files() async throws { try await runOverFiles(0..<8) }

    @Test(
        "The same over files, of more seeds", arguments: stride(from: 8 as UInt64, to: 200, by: 48).map { $0..<$0 + 48 }
    )
    func slowFiles(seeds: Range<UInt64>) async throws { try await runOverFiles(seeds) }

    @Test("The same beside another process", arguments: FollowedBackend.shared)
    func twoProcesses(backend: FollowedBackend) async throws { try await runBesidePeer(0..<3, on: backend) }

    @Test("The same beside another process, of more seeds", arguments: FollowedBackend.shared)
    func slowTwoProcesses(backend: FollowedBackend) async throws { try await runBesidePeer(3..<200, on: backend) }

    @Test("The same beside another process that edits the list too", arguments: FollowedBackend.shared)
    func listsOfTwoProcesses(backend: FollowedBackend) async throws {
        try await runBesidePeer(0..<4, on: backend, editsLists: true)
    }

    @Test(
        "The same beside another process that edits the list too, of more seeds", arguments: FollowedBackend.shared,
        stride(from: 4 as UInt64, to: 200, by: 49).map { $0..<$0 + 49 })
    func slowListsOfTwoProcesses(backend: FollowedBackend, seeds: Range<UInt64>) async throws {
        try await runBesidePeer(seeds, on: backend, editsLists: true)
    }

    /// What `GROVE_ANSWER="lists 580 20"` asks for: a kind of programme, a seed, and how often.
    private nonisolated static let asked = ProcessInfo.processInfo.environment["GROVE_ANSWER"].map {
        $0.split(separator: " ").map(String.init)
    }

    @Test("One seed again and again", .enabled(if: asked?.count == 3, "GROVE_ANSWER says which seed"))
    func slowAsked() async throws {
        guard let asked = Self.asked, let seed = UInt64(asked[1]), let count = Int(asked[2]) else { return }
        for _ in 0..<count {
            switch asked[0] {
            case "memory": try await run(seed..<seed + 1)
            case "lists": try await run(seed..<seed + 1, editsLists: true)
            case "parts": try await run(seed..<seed + 1, editsLists: true, editsParts: true)
            case "files": try await runOverFiles(seed..<seed + 1)
            default:
                for backend in FollowedBackend.shared {
                    try await runBesidePeer(seed..<seed + 1, on: backend, editsLists: asked[0] == "peerlists")
                }
            }
        }
    }
}

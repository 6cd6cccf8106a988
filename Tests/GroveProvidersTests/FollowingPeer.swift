import Grove
import GroveCache
import GroveLMDB
import GroveLevelDB
import GroveMemory
import GroveSQLite
import TestSupport
import Testing

/// A backend that managers follow.
enum FollowedBackend: String, CaseIterable {
    case memory, lmdb, sqlite, levelDB

    /// Those that processes can share, where tests can start processes.
    static let shared = allCases.filter(\.hasPeer)

    /// Whether another process can be beside it.
    var hasPeer: Bool { PeerProcess.canStart && (self == .lmdb || self == .sqlite) }

    /// Opens an empty cache in a directory of its own, and the process beside it where there is to be one.
    @MainActor
    func open(
        within budget: CacheBudget = .unlimited, history: Int = 0, withPeer: Bool = false,
        _ body: @MainActor (any FollowingScene, PeerConversation?) async throws -> Void
    ) async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/cache"
        let scene = try scene(path, within: budget, history: history)
        let peer = withPeer ? try peer(path, history: history) : nil
        try await body(scene, peer)
        if let peer { #expect(try peer.end()) }
    }

    /// A process beside a cache that is open in `path`.
    func peer(_ path: String, history: Int = 0) throws -> PeerConversation {
        let peer = try FollowingPeerTests.other.start(["\(self)", path, "\(history)"])
        try #require(try peer.ask("open") == "done")
        return peer
    }

    @MainActor
    func scene(
        _ path: String, within budget: CacheBudget = .unlimited, history: Int
    ) throws -> any FollowingScene {
        switch self {
        case .memory: Scene(try MemoryCache(budget: budget, history: history))
        case .lmdb: Scene(try LMDBCache(directory: path, budget: budget, history: history))
        case .sqlite: Scene(try SQLiteCache(directory: path, budget: budget, history: history))
        case .levelDB: Scene(try LevelDBCache(directory: path, budget: budget, history: history))
        }
    }
}

/// Another process, which shares the cache of a test and does what the test tells it.
@MainActor
@Suite("A process beside managers that follow")
struct FollowingPeerTests {
    fileprivate static nonisolated let other = PeerProcess("GROVE_FOLLOWED_PEER", filter: "FollowingPeerTests/peer")

    @Test(
        "The peer does what it is told", .enabled(if: other.job != nil, "other tests start it in a process of its own"))
    func peer() async throws {
        guard let job = Self.other.job, let backend = FollowedBackend(rawValue: job[0]) else { return }
        let scene = try backend.scene(job[1], history: Int(job[2]) ?? 0)
        let screens = PeerScreens(scene)
        while let words = PeerConversation.question() {
            PeerConversation.answer(try await answer(words, scene, screens))
        }
    }

    private func answer(_ words: [String], _ scene: any FollowingScene, _ screens: PeerScreens) async throws -> String {
        if let verb = FollowedVerb(rawValue: words[0]) {
            try await scene.change(verb, by: .typedCall, nil)
            return "done"
        }
        return try await screens.answer(words)
    }
}

import Foundation
import Grove
import GroveCache
import GroveLMDB
import GroveSQLite
import Testing
import TestSupport

/// A way by which everything goes.
enum LogOutDoor: Equatable {
    case manager, cache, otherManager, otherHandle, allOfType, files
    case otherProcess(FollowedBackend)

    static let all: [LogOutDoor] =
        [.manager, .cache, .otherManager, .otherHandle, .allOfType, .files]
        + FollowedBackend.shared.map { .otherProcess($0) }

    /// Whether another process empties the cache.
    var isOtherProcess: Bool {
        if case .otherProcess = self { true } else { false }
    }

    /// Files that go are no log-out: what is shown stays.
    var leavesWhatIsShown: Bool { self == .files }
}

/// A cache with two managers, out of which one door leads.
@MainActor
struct LogOutScene {
    let door: LogOutDoor
    let cache: any Cache
    let manager: DataModelManager
    private let other: DataModelManager
    private let path: String
    private let peer: PeerConversation?
    /// How many reads have found something.
    let hits: () -> Int
    /// Returns when who follows the cache has been told of what was committed.
    private let told: () async -> Void

    private init(_ door: LogOutDoor, _ path: String) throws {
        func opened<Store>(_ cache: NormalizedCache<Store>) -> (any Cache, () -> Int, () async -> Void) {
            (
                cache, { cache.statistics.hits },
                {
                    _ = try? await cache.flush()
                    await withCheckedContinuation { continuation in
                        cache.followed { _ in }.afterTelling { continuation.resume() }
                    }
                }
            )
        }
        (self.door, self.path) = (door, path)
        (cache, hits, told) =
            door == .otherProcess(.lmdb)
            ? opened(try LMDBCache(directory: path)) : opened(try SQLiteCache(directory: path))
        (manager, other) = (DataModelManager(cacheDelegate: cache), DataModelManager(cacheDelegate: cache))
        if case .otherProcess(let backend) = door { peer = try backend.peer(path) } else { peer = nil }
    }

    /// Runs `body` for each door, over a cache of its own.
    static func forEachDoor(_ body: @MainActor (LogOutScene) async throws -> Void) async throws {
        for door in LogOutDoor.all { try await withDoor(door, body) }
    }

    /// Runs `body` for one door.
    static func withDoor(_ door: LogOutDoor, _ body: @MainActor (LogOutScene) async throws -> Void) async throws {
        let directory = try TemporaryDirectory()
        let scene = try LogOutScene(door, directory.path + "/cache")
        try await body(scene)
        scene.cache.close()
        _ = try scene.peer?.end()
    }

    /// Leaves by the door, without a turn of the main actor before it has begun.
    ///
    /// - Parameters:
    ///   - reads: how many reads are to have found something by then.
    ///   - isNoticed: whether the commits of other processes are looked for; the next call of the cache does so too.
    func leave(after reads: Int = 0, isNoticed: Bool = true) async throws {
        wait(for: reads)
        switch door {
        case .manager: try await manager.wipe()
        case .otherManager: try await other.wipe()
        default: try leaveAtOnce(isNoticed)
        }
    }

    private func wait(for reads: Int) { while hits() < reads { sched_yield() } }

    private func leaveAtOnce(_ isNoticed: Bool) throws {
        switch door {
        case .manager, .otherManager: break
        case .cache: try cache.wipe()
        case .otherHandle: try SQLiteCache(directory: path).wipe()
        case .allOfType:
            try cache.delete(allOf: Person.self)
            try cache.delete(allOf: Message.self)
        case .files:
            try cache.suspend()
            try FileManager.default.removeItem(atPath: path)
            try cache.resume()
        case .otherProcess:
            _ = try peer?.ask("wipe")
            if isNoticed { cache.noticeCommitsOfOtherProcesses() }
        }
    }

    /// Expects that `body` throws `cancelled`.
    func expectEnd(
        _ location: SourceLocation = #_sourceLocation, _ body: @MainActor () async throws -> some Any
    ) async {
        let error = await #expect(throws: CacheError.self, "\(door)", sourceLocation: location) { _ = try await body() }
        #expect(error?.code == .cancelled, "\(door)", sourceLocation: location)
    }

    /// Returns when everything has come to rest.
    func rest() async throws {
        for _ in 0..<4 {
            cache.noticeCommitsOfOtherProcesses()
            await manager.flush()
            await other.flush()
            try? await cache.flush()
            await told()
        }
    }

    /// What the cache has of a person, a message or the list of people.
    func person(_ id: String) throws -> Person? { try cache.model(ModelIdentifier("Person:\(id)"), as: Person.self) }
    func message(_ id: String) throws -> Message? {
        try cache.model(ModelIdentifier("Message:\(id)"), as: Message.self)
    }
    func people(_ key: String = "people") throws -> [Person] { try cache.collection(key, of: Person.self) ?? [] }
}

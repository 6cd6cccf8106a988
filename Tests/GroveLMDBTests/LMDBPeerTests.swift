import Foundation
import GroveCache
import GroveLMDB
import GroveModel
import StoreTesting
import Testing
import TestSupport

/// A peer that makes the file larger than this process's map.
@Suite("What LMDB's peers leave behind")
struct LMDBPeerTests {
    private static let other = PeerProcess("GROVE_LMDB_PEER", filter: "LMDBPeerTests/peer")

    @Test(
        "The peer does what it is told", .enabled(if: other.job != nil, "other tests start it in a process of its own"))
    func peer() throws {
        if let job = Self.other.job, job.count == 1 { return try rest(in: job[0]) }
        guard let job = Self.other.job, let first = UInt8(job[1]), let end = UInt8(job[2]) else { return }
        let store = try LMDBStore(directory: job[0], options: LMDBOptions(mapSize: 64 << 20))
        for key in first..<end { try store.put([key], [UInt8](repeating: key, count: 1 << 20)) }
        store.close()
    }

    private static let few = LMDBOptions(mapSize: 1 << 20, maxReaders: 16)

    /// Opens eight views at once, ends them, and does nothing more until it may go.
    private func rest(in directory: String) throws {
        let store = try LMDBStore(directory: directory, options: Self.few)
        while PeerConversation.question() != nil {
            for view in try (0..<8).map({ _ in try store.view() }) { view.end() }
            PeerConversation.answer("rests")
        }
        store.close()
    }

    @Test(
        "Processes that read once, with many threads, and rest leave slots to those that come later",
        .enabled(if: PeerProcess.canStart, "SKIPPED: tests start no process of their own on this system"))
    func restingPeers() throws {
        let directory = try TemporaryDirectory()
        let peers = try (0..<4).map { _ in try Self.other.start([directory.path]) }
        for peer in peers { try peer.ask("read") }
        let store = try directory.open(Self.few)
        try store.put([1], [1])
        #expect(try store.get([1]) == [1])
        // Those that were there first go on, too.
        for peer in peers { try peer.ask("read") }
        let views = try (0..<4).map { _ in try store.view() }
        for view in views { view.end() }
        for peer in peers { #expect(try peer.end()) }
    }

    @Test("A store whose slots are all taken says by whom")
    func noSlot() throws {
        let directory = try TemporaryDirectory()
        let store = try directory.open(LMDBOptions(mapSize: 1 << 20, maxReaders: 4))
        var views = try (0..<4).map { _ in try store.view() }
        #expect {
            _ = try store.view()
        } throws: {
            ($0 as? CacheError)?.code == .locked && "\($0)".contains("lock.mdb")
        }
        for view in views { view.end() }
        views = []
        _ = try store.get([1])
    }

    /// Runs ``peer()``, which writes a megabyte under each of `keys`.
    private func run(_ keys: Range<UInt8>, in directory: TemporaryDirectory) throws -> Bool {
        try Self.other.run([directory.path, "\(keys.lowerBound)", "\(keys.upperBound)"])
    }

    @Test(
        "A map that a peer outgrew is taken over once the views that are open have ended",
        .enabled(if: PeerProcess.canStart, "SKIPPED: tests start no process of their own on this system"))
    func outgrownMap() async throws {
        let directory = try TemporaryDirectory()
        let store = try directory.open(LMDBOptions(mapSize: 1 << 20))
        try store.put([1], [1])
        let open = try store.view()
        #expect(try store.get([1]) == [1])
        try #require(try run(2..<8, in: directory))
        // The view keeps the map where it is: what needs a larger one waits, and then says why it cannot.
        #expect(code { _ = try store.view() } == .locked)
        #expect(code { try store.put([9], [9]) } == .locked)
        #expect(try open.get([1]) == [1])
        async let late = Task.detached { try store.get([7])?.count }.value
        #expect(try open.get([2]) == nil)
        open.end()
        #expect(try await late == 1 << 20)
        try store.put([9], [9])
        #expect(try store.keys().count == 8)
    }

    @Test(
        "Views at rest do not keep a map from growing, and a write takes it over too",
        .enabled(if: PeerProcess.canStart, "SKIPPED: tests start no process of their own on this system"))
    func restingViews() throws {
        let directory = try TemporaryDirectory()
        let store = try directory.open(LMDBOptions(mapSize: 1 << 20))
        try store.put([1], [1])
        for view in try (0..<4).map({ _ in try store.view() }) { view.end() }
        try #require(try run(2..<5, in: directory))
        try store.put([9], [9])
        #expect(try store.get([4])?.count == 1 << 20)
        #expect(try store.get([9]) == [9])
        for view in try (0..<4).map({ _ in try store.view() }) { view.end() }
        // As far as the peer's map goes, this process may write now too.
        for key in 20..<40 as Range<UInt8> { try store.put([key], [UInt8](repeating: key, count: 1 << 20)) }
        #expect(try store.keys().count == 25)
    }
}

import Foundation
import GroveCache
import GroveModel
import StoreTesting
import TestSupport
import Testing

@testable import GroveLMDB

/// A peer that makes the file larger than this process's map.
@Suite("What LMDB's peers leave behind")
struct LMDBPeerTests {
    private static let variable = "GROVE_LMDB_PEER"

    /// What the peer is told: the directory, and the keys of the megabytes that it writes.
    private static var job: (directory: String, keys: Range<UInt8>)? {
        guard let words = ProcessInfo.processInfo.environment[variable]?.split(separator: "|"), words.count == 3,
            let first = UInt8(words[1]), let end = UInt8(words[2])
        else { return nil }
        return (String(words[0]), first..<end)
    }

    @Test("The peer does what it is told", .enabled(if: job != nil, "other tests start it in a process of its own"))
    func peer() throws {
        guard let job = Self.job else { return }
        let store = try LMDBStore(directory: job.directory, options: LMDBOptions(mapSize: 64 << 20))
        for key in job.keys { try store.put([key], [UInt8](repeating: key, count: 1 << 20)) }
        store.close()
    }

    /// Runs ``peer()`` in a process of its own.
    ///
    /// - Returns: whether it came to its end.
    private func run(_ keys: Range<UInt8>, in directory: TemporaryDirectory) throws -> Bool {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
        process.arguments = ["--testing-library", "swift-testing", "--filter", "LMDBPeerTests/peer"]
        process.environment = ProcessInfo.processInfo.environment.merging(
            [Self.variable: "\(directory.path)|\(keys.lowerBound)|\(keys.upperBound)"]) { $1 }
        // Its lines would pass for those of the run that starts it.
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return process.terminationReason == .exit && process.terminationStatus == 0
    }

    private static let canStart = FileManager.default.isExecutableFile(atPath: "/proc/self/exe")

    @Test(
        "A map that a peer outgrew is taken over once the views that are open have ended",
        .enabled(if: canStart, "SKIPPED: tests start no process of their own on this system"))
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
        .enabled(if: canStart, "SKIPPED: tests start no process of their own on this system"))
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

import Foundation
import Testing
import TestSupport
@testable import TwoPanes

@MainActor
@Suite("The two panes, an example")
struct TwoPanesTests {
    /// The frames that show while `lines` are typed.
    private func frames(
        _ lines: [String], _ backend: String, _ folder: String, isOffline: Bool = false
    ) async throws -> [String] {
        let typed = AsyncStream { stream in
            for line in lines { stream.yield(line) }
            stream.finish()
        }
        var frames: [String] = []
        try await TwoPanes.play(typed, backend, folder, isOffline: isOffline) { frames.append($0) }
        return frames
    }

    @Test("A new name shows in both panes, and what is typed wrongly changes nothing")
    func panes() async throws {
        let directory = try TemporaryDirectory()
        let shown = try await frames(["name 1 Anna", "like", "like x", "name 9 None"], "memory", directory.path)
        #expect(shown[0].contains("1 Ann: The first lantern") && shown[0].contains("│ 1 Ann "))
        // Of the two frames of a line, the second is the one in which everything is shown.
        #expect(shown[2].contains("1 Anna: The first lantern") && shown[2].contains("│ 1 Anna "))
        #expect(shown[2].contains("3 Anna: Tea?"))
        #expect(Set(shown[2...]) == [shown[2]])
    }

    @Test(
        "A like that was made offline is there after a restart, and is sent then",
        arguments: ["sqlite", "lmdb", "leveldb"])
    func restart(backend: String) async throws {
        let directory = try TemporaryDirectory()
        let first = try await frames([], backend, directory.path)
        #expect(first[0].contains("♡ 2  ") && first[0].contains("as the server has it"))
        let offline = try await frames(["like 2"], backend, directory.path, isOffline: true)
        #expect(offline[0].contains("2 Ben: Rain again") && offline[0].contains("no network: this is what is stored"))
        #expect(offline[1].contains("♥ 3 …") && offline[1].contains("1 to send"))
        let later = try await frames([], backend, directory.path)
        #expect(later[0].contains("♥ 3  ") && !later[0].contains("to send"))
    }
}

import Foundation
import GroveConformance
import Testing

/// Copies of directories in which an engine is at work.
@Suite struct TemporaryDirectoryTests {
    private func inDirectories(_ body: (String, String) throws -> Void) throws {
        let (from, to) = (try TemporaryDirectory.make(), try TemporaryDirectory.make())
        defer {
            TemporaryDirectory.remove(from)
            TemporaryDirectory.remove(to)
        }
        for name in ["a", "b", "c", "LOCK"] { try TemporaryDirectory.writeFile("\(from)/\(name)", Array(name.utf8)) }
        try body(from, to)
    }

    @Test("A file that goes while its neighbours are copied is in no copy, and neither is a lock")
    func going() throws {
        try inDirectories { from, to in
            try TemporaryDirectory.copy(from, to) { _ in try? FileManager.default.removeItem(atPath: from + "/b") }
            #expect(try TemporaryDirectory.names(in: to) == ["a", "c"])
        }
    }

    @Test("Files that come or change while others are copied are copied as they were at one moment")
    func coming() throws {
        try inDirectories { from, to in
            try TemporaryDirectory.copy(from, to) { name in
                guard name == "b" else { return }
                try TemporaryDirectory.writeFile(from + "/a", Array("later".utf8))
                try TemporaryDirectory.writeFile(from + "/d", Array("later".utf8))
            }
            #expect(try TemporaryDirectory.names(in: to) == ["a", "b", "c", "d"])
            #expect(FileManager.default.contents(atPath: to + "/a") == Data("later".utf8))
        }
    }

    @Test("Files that never rest are an error")
    func restless() throws {
        try inDirectories { from, to in
            var round = 0
            #expect(throws: CheckFailure.self) {
                try TemporaryDirectory.copy(from, to) { _ in
                    round += 1
                    try TemporaryDirectory.writeFile(from + "/a", Array("\(round)".utf8))
                }
            }
        }
    }
}

import Foundation
import GroveCache
import GroveHarnesses
import GroveModel
import Testing

@testable import GroveConformance

/// A store whose processes end soon after they open it.
@Suite struct EndedProcessTests {
    private static let people = (0..<2_000).map { (number: Int) in
        Person(id: "Person:\(number)", name: String(repeating: "name \(number) ", count: 20), age: number)
    }

    private func makeStore(_ name: String) throws -> (Trial, any CacheSite, directory: String, WorkerCommand) {
        let worker = try #require(Workers.command(name))
        let trial = Trial("TEST", on: try #require(Harnesses.backend(name, worker: worker)), seed: 1)
        let site = try trial.site()
        let cache = try site.open()
        try cache.write(contentsOf: Self.people)
        cache.close()
        site.closeAll()
        return (trial, site, try #require(site.directory), worker)
    }

    /// Writes into every leaf of LMDB's file that each value is a long one of 2 GB, behind the end of the file.
    private func damage(_ directory: String) throws {
        let file = URL(fileURLWithPath: directory + "/data.mdb")
        var bytes = [UInt8](try Data(contentsOf: file))
        func number(_ place: Int) -> Int { Int(bytes[place]) | Int(bytes[place + 1]) << 8 }
        for page in stride(from: 8_192, to: bytes.count, by: 4_096) where number(page + 10) == 2 {
            for place in stride(from: page + 16, to: page + number(page + 12), by: 2) {
                let entry = page + number(place)
                bytes.replaceSubrange(entry..<entry + 4, with: [0xF0, 0xFF, 0xFF, 0x3F])
            }
        }
        try Data(bytes).write(to: file)
    }

    private func see(_ worker: WorkerCommand, _ directory: String) throws -> (lines: [String], ending: ChildProcess.Ending) {
        let child = try ChildProcess(worker, ["see", directory, "Person:1000"])
        return (child.lines(within: .seconds(60)).lines, child.wait())
    }

    @Test(
        "A damaged page that ends two processes in a row is set aside before the third one comes to it",
        .timeLimit(.minutes(2)))
    func endedTwice() throws {
        let (trial, site, directory, worker) = try makeStore("lmdb")
        defer { trial.finish() }
        try damage(directory)
        for _ in 0..<2 {
            let (lines, ending) = try see(worker, directory)
            guard case .signalled = ending else {
                Issue.record("\(lines) \(ending)")
                return
            }
        }
        let (lines, ending) = try see(worker, directory)
        #expect(lines == ["age\tnone"] && ending == .exited(0))
        #expect(FileManager.default.fileExists(atPath: directory + "/grove-set-aside/data.mdb"))
        let cache = try site.open()
        try cache.write(Person(id: "Person:1", age: 1))
        #expect(try cache.read("Person:1", as: Person.self).value?.age == 1)
    }
}

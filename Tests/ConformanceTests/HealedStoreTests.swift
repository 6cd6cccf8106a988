import Foundation
import GroveCache
import GroveConformance
import GroveHarnesses
import GroveModel
import Testing

/// A store that turns out to be damaged inside while two processes have it open.
@Suite struct HealedStoreTests {
    private static let people = (0..<4_000).map { (number: Int) in
        Person(id: "Person:\(number)", name: String(repeating: "name \(number) ", count: 100), age: number)
    }

    /// Damages a page in 16 in the middle of the file, which stays the same file.
    private func damage(_ path: String) throws {
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        let pages = Int(try file.seekToEnd()) / 4_096
        for page in stride(from: pages / 2, to: pages / 4 * 3, by: 16) {
            try file.seek(toOffset: UInt64(page * 4_096))
            try file.write(contentsOf: Data(repeating: 0x5A, count: 8))
        }
        try file.close()
    }

    @Test(
        "A damaged store that one process makes again is told, and the other process reads the new one",
        .timeLimit(.minutes(2)))
    func learned() throws {
        let worker = try #require(Workers.command("sqlite"))
        let trial = Trial("TEST", on: try #require(Harnesses.backend("sqlite", worker: worker)), seed: 1)
        defer { trial.finish() }
        let site = try trial.site()
        let directory = try #require(site.directory)
        let first = try site.open()
        try first.write(contentsOf: Self.people)
        first.close()
        site.closeAll()

        let peer = try ChildProcess(worker, ["ask", directory])
        func answer(_ identifier: String) -> ChildProcess.Reading {
            peer.send(identifier)
            return peer.nextLine(within: .seconds(60))
        }
        #expect(peer.nextLine(within: .seconds(60)) == .line("ready"))
        #expect(answer("Person:1") == .line("age\t1"))
        let observer = RecordingObserver()
        let cache = try site.open(observer: observer)
        try damage(directory + "/store.sqlite")
        let isSetAside = { FileManager.default.fileExists(atPath: directory + "/grove-set-aside/store.sqlite") }
        for person in Self.people where !isSetAside() {
            do {
                _ = try cache.read(person.modelIdentifier ?? "", as: Person.self)
            } catch {
                #expect(error.code == .corrupted)
                // The store is opened again beside the calls.
                usleep(10_000)
            }
        }
        #expect(isSetAside())
        // It is told when the new store is in its place: a write before that is cancelled with the old one.
        #expect(observer.wait { $0.rebuilds.map(\.code) == [.corrupted] })
        try cache.write(Person(id: "Person:1", age: 77))
        #expect(answer("Person:1") == .line("age\t77"))
        #expect(answer("Person:2") == .line("age\tnone"))
        peer.kill()
        peer.wait()
        #expect(try cache.read("Person:1", as: Person.self).value?.age == 77)
    }
}

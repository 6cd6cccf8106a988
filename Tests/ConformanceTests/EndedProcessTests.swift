import Foundation
import GroveCache
import GroveConformance
import GroveHarnesses
import GroveModel
import Testing

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

    /// Makes the values of LMDB's leaf with "Person:1700" so long that they end behind the end of the file.
    private func damage(_ directory: String) throws {
        let file = URL(fileURLWithPath: directory + "/data.mdb")
        var bytes = [UInt8](try Data(contentsOf: file))
        func number(_ place: Int) -> Int { Int(bytes[place]) | Int(bytes[place + 1]) << 8 }
        let leaves = stride(from: 8_192, to: bytes.count, by: 4_096).filter { page in
            number(page + 10) == 2 && Data(bytes[page..<page + 4_096]).range(of: Data("Person:1700".utf8)) != nil
        }
        #expect(!leaves.isEmpty)
        for page in leaves {
            for place in stride(from: page + 16, to: page + number(page + 12), by: 2) {
                let entry = page + number(place)
                bytes.replaceSubrange(entry..<entry + 4, with: [0xF0, 0xFF, 0xFF, 0x3F])
            }
        }
        try Data(bytes).write(to: file)
    }

    /// What a process finds that opens the store and reads from the damaged page; `nil` if it is ended by a signal.
    private func see(_ worker: WorkerCommand, _ directory: String) throws -> [String]? {
        let child = try ChildProcess(worker, ["see", directory, "Person:1700"])
        let lines = child.lines(within: .seconds(60)).lines
        guard case .signalled = child.wait() else { return lines }
        return nil
    }

    private func isSetAside(_ directory: String) -> Bool {
        FileManager.default.fileExists(atPath: directory + "/grove-set-aside/data.mdb")
    }

    @Test(
        "A store that ends two processes in a row is set aside before the third one comes to the damaged page",
        .timeLimit(.minutes(2)))
    func endedTwice() throws {
        let (trial, site, directory, worker) = try makeStore("lmdb")
        defer { trial.finish() }
        #expect(try see(worker, directory) == ["age\t1700"])
        try damage(directory)
        #expect(try see(worker, directory) == nil)
        #expect(try see(worker, directory) == nil)
        #expect(!isSetAside(directory))
        #expect(try see(worker, directory) == ["age\tnone"])
        #expect(isSetAside(directory))
        let cache = try site.open()
        try cache.write(Person(id: "Person:1", age: 1))
        #expect(try cache.read("Person:1", as: Person.self).value?.age == 1)
    }

    @Test(
        "While another process has the store open, nothing is looked at; once it is gone, damage is found",
        .timeLimit(.minutes(2)))
    func beside() throws {
        let (trial, site, directory, worker) = try makeStore("lmdb")
        defer { trial.finish() }
        try damage(directory)
        let peer = try ChildProcess(worker, ["rest", directory, "1"])
        #expect(peer.nextLine(within: .seconds(60)) == .line("rests"))
        for _ in 0..<3 { #expect(try see(worker, directory) == nil) }
        #expect(!isSetAside(directory))
        peer.kill()
        peer.wait()
        let cache = try site.open()
        #expect(isSetAside(directory))
        #expect(try cache.read("Person:1700", as: Person.self).value == nil)
    }

    @Test(
        "Processes that are killed at their work, one after the other, cost no store", .timeLimit(.minutes(5)),
        arguments: ["lmdb", "sqlite"])
    func killedTwice(_ name: String) throws {
        let (trial, site, directory, worker) = try makeStore(name)
        defer { trial.finish() }
        var generator = SeededGenerator(seed: 42)
        for round in 0..<8 {
            let child = try ChildProcess(worker, ["commit", directory])
            for number in 0..<Int.random(in: 1...200, using: &generator) {
                #expect(child.nextLine(within: .seconds(60)) == .line("Person:\(number)"), "round \(round)")
            }
            child.kill()
            child.wait()
        }
        let cache = try site.open()
        #expect(!FileManager.default.fileExists(atPath: directory + "/grove-set-aside"))
        for person in Self.people {
            #expect(try cache.read(person.modelIdentifier ?? "", as: Person.self).value?.age == person.age)
        }
    }
}

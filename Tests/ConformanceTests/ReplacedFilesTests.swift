import Foundation
import GroveCache
import GroveConformance
import GroveHarnesses
import GroveModel
import Testing

/// What others do to a store's files at the worst moment.
@Suite struct ReplacedFilesTests {
    @Test(
        "Files that are replaced while the writer is at work take with them what was called before, told once",
        .timeLimit(.minutes(1)))
    func replacedBetweenTwoTransactions() throws {
        let backend = try #require(Harnesses.backend("sqlite", worker: nil))
        let trial = Trial("TEST", on: backend, seed: 1)
        defer { trial.finish() }
        let site = try trial.site()
        let directory = try #require(site.directory)
        let cache = try site.open()
        try cache.write(Person(id: "Person:1"))
        // What failed is tried again before the next group: at that moment the files go.
        site.interceptor.failWrites(with: CacheError(.full, "The test fills the disk."))
        cache.setModel(Person(id: "Person:2"), forKey: "Person:2", context: nil)
        #expect(throws: (any Error).self) { try cache.flush() }
        site.interceptor.failWrites(with: nil)
        site.interceptor.gate.close()
        for number in 3..<6 {
            cache.setModel(Person(id: "Person:\(number)"), forKey: "Person:\(number)", context: nil)
        }
        try site.interceptor.gate.awaitArrival(of: "what failed before")
        // As another process does that empties the store: the word first, then the files, under the lock.
        let word = URL(fileURLWithPath: directory + "/grove.generation")
        let bytes = try Data(contentsOf: word)
        let handle = try FileHandle(forWritingTo: word)
        #expect(flock(handle.fileDescriptor, LOCK_EX) == 0)
        try handle.write(contentsOf: Data(bytes.map { $0 &+ 1 }))
        for name in try FileManager.default.contentsOfDirectory(atPath: directory) where name != "grove.generation" {
            try FileManager.default.removeItem(atPath: directory + "/" + name)
        }
        try handle.close()
        site.interceptor.gate.open()
        // Comes to the queue after them, and must not be taken for one of them.
        try cache.write(Person(id: "Person:9", age: 9))
        #expect(try cache.read("Person:9", as: Person.self).value?.age == 9)
        for number in 1..<6 {
            #expect(try cache.read(ModelIdentifier("Person:\(number)"), as: Person.self).value == nil)
        }
        try cache.write(Person(id: "Person:3", age: 3))
        #expect(try cache.read("Person:3", as: Person.self).value?.age == 3)
    }

    @Test(
        "A file that was removed from beside a store that another process has open is an error, not a new start",
        .timeLimit(.minutes(2)),
        arguments: [("lmdb", "lock.mdb"), ("sqlite", "store.sqlite-wal"), ("sqlite", "store.sqlite-shm")])
    func removedBeside(_ name: String, _ file: String) throws {
        let worker = try #require(Workers.command(name))
        let backend = try #require(Harnesses.backend(name, worker: worker))
        let trial = Trial("TEST", on: backend, seed: 1)
        defer { trial.finish() }
        let site = try trial.site()
        let directory = try #require(site.directory)
        let peer = try ChildProcess(worker, ["hold", directory])
        #expect(peer.nextLine(within: .seconds(60)) == .line("holding"))
        // Whole, it is shared.
        try site.open().close()
        site.closeAll()
        try FileManager.default.removeItem(atPath: directory + "/" + file)
        #expect {
            _ = try site.open()
        } throws: {
            ($0 as? CacheError)?.code == .inputOutput && "\($0)".contains(file)
        }
        // Once no process has the store open, the files that are left are the store.
        peer.kill()
        peer.wait()
        let cache = try site.open()
        try cache.write(Person(id: "Person:1", age: 1))
        #expect(try cache.read("Person:1", as: Person.self).value?.age == 1)
    }
}

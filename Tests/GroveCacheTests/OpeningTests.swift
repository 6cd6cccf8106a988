import Dispatch
import Foundation
import GroveCache
import GroveModel
import Synchronization
import Testing
import TestSupport

@Suite("Caches that are opened at the same time")
struct OpeningTests {
    typealias Cache = NormalizedCache<SharedStore>

    /// Opens `disk` in `place` on a thread of its own.
    private func open(_ disk: SharedStore.Disk, in place: String, _ opened: @escaping @Sendable (Cache?) -> Void) {
        Thread.detachNewThread {
            opened(try? Cache(directory: place, options: SharedStore.Options(disk: disk)))
        }
    }

    @Test("A directory that takes long to open keeps whoever opens it too, and not others", .timeLimit(.minutes(1)))
    func slow() throws {
        let place = try TemporaryDirectory()
        let others = try (0..<12).map { _ in try TemporaryDirectory() }
        let disk = try SharedStore.Disk()
        let barrier = Barrier()
        disk.faults.withLock { $0.beforeOpening = { barrier.pass() } }
        let caches = Mutex<[Cache]>([])
        let opened = DispatchSemaphore(value: 0)
        for _ in 0..<2 {
            open(disk, in: place.path) { cache in
                caches.withLock { if let cache { $0.append(cache) } }
                opened.signal()
            }
        }
        #expect(barrier.awaitArrival())
        let otherOpened = DispatchSemaphore(value: 0)
        for place in others {
            open(try SharedStore.Disk(), in: place.path) { cache in
                cache?.close()
                otherOpened.signal()
            }
        }
        for _ in others { #expect(otherOpened.wait(timeout: .now() + 20) == .success) }
        #expect(caches.withLock { $0.isEmpty })
        barrier.open()
        for _ in 0..<2 { opened.wait() }
        let both = caches.withLock { $0 }
        try #require(both.count == 2)
        // They are one cache: what is queued by one shows in the other.
        let ben = Person(id: "2", name: "Ben", age: 2)
        try both[0].whileWriterRests {
            both[0].setModel(ben, forKey: "Person:2", context: nil)
            try expectEqual(both[1].model("Person:2", as: Person.self), ben)
        }
        both[0].close()
        try both[1].write(Person(id: "1", name: "Ann", age: 1))
    }

    @Test("A call that was made before a suspension does not land in the store that is there after it")
    func resumedElsewhere() throws {
        let place = try TemporaryDirectory()
        let options = SharedStore.Options(disk: try SharedStore.Disk())
        let cache = try NormalizedCache<FragileStore>(directory: place.path, options: options)
        let ann = Person(id: "1", name: "Ann", age: 1)
        try cache.write(Person(id: "1", name: "Ann", age: 0))
        let late = LatePerson(person: ann) {
            #expect(throws: Never.self) {
                try cache.suspend()
                try Data((1...8).map { UInt8($0) }).write(to: URL(fileURLWithPath: place.path + "/grove.generation"))
                try cache.resume()
            }
        }
        cache.setModel(late, forKey: "Person:1", context: nil)
        // What is there may be what was there, which is not what was last set.
        #expect(try cache.model("Person:1", as: Person.self) == nil)
        try cache.write(Person(id: "2", name: "Bob", age: 1))
        #expect(try cache.model("Person:1", as: Person.self) == nil)
        try cache.write(ann)
        #expect(try cache.model("Person:1", as: Person.self) == ann)
    }

    @Test("A durable write says that it was stored only where the files are still there after the sync")
    func removedMeanwhile() throws {
        let place = try TemporaryDirectory()
        let disk = try SharedStore.Disk()
        let cache = try NormalizedCache<FragileStore>(directory: place.path, options: SharedStore.Options(disk: disk))
        let ann = Person(id: "1", name: "Ann", age: 1)
        disk.faults.withLock { $0.beforeSynchronization = { try? FileManager.default.removeItem(atPath: place.path) } }
        #expect(throws: CacheError.self) { try cache.write(ann, durability: .durable) }
        disk.faults.withLock { $0.beforeSynchronization = nil }
        try cache.write(ann, durability: .durable)
    }

    @Test("Opening another handle while a wipe replaces the files forgets no call that was made after the wipe")
    func openedDuringWipe() throws {
        let place = try TemporaryDirectory()
        let disk = try SharedStore.Disk()
        let options = SharedStore.Options(disk: disk)
        let cache = try NormalizedCache<FragileStore>(directory: place.path, options: options)
        let ann = Person(id: "1", name: "Ann", age: 1)
        let others = Mutex<[NormalizedCache<FragileStore>]>([])
        disk.faults.withLock {
            $0.beforeWipe = {
                // The file by which the store is known is gone for a moment.
                let done = DispatchSemaphore(value: 0)
                let thread = Thread {
                    cache.setModel(ann, forKey: "Person:1", context: nil)
                    let other = try? NormalizedCache<FragileStore>(directory: place.path, options: options)
                    others.withLock { $0 += other.map { [$0] } ?? [] }
                    done.signal()
                }
                thread.start()
                done.wait()
            }
        }
        try cache.wipe()
        #expect(others.withLock { $0.count } == 1)
        #expect(try cache.model("Person:1", as: Person.self) == ann)
    }
}

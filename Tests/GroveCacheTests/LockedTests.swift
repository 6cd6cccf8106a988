import Dispatch
import GroveCache
import GroveModel
import Synchronization
import Testing

/// How often a lock that another process keeps is tried, and who waits for that.
@Suite("A lock that is not to be had")
struct LockedTests {
    let disk: SharedStore.Disk
    let cache: NormalizedCache<SharedStore>

    init() throws {
        disk = try SharedStore.Disk()
        cache = try disk.open()
    }

    private func person(_ number: Int, _ age: Int) -> Person { Person(id: "\(number)", name: "P", age: age) }

    /// How often a transaction was tried during `body`.
    private func attempts(_ body: () throws -> Void) rethrows -> Int {
        let before = disk.faults.withLock { $0.attempts }
        try body()
        return disk.faults.withLock { $0.attempts } - before
    }

    private func setThirty(_ age: Int) {
        for number in 0..<30 { cache.setModel(person(number, age), forKey: "Person:\(number)", context: nil) }
    }

    @Test("Thirty calls and a flush try the lock once, and once more for what they left behind")
    func group() throws {
        try cache.write(contentsOf: (0..<30).map { person($0, 1) })
        disk.faults.withLock { $0.isLocked = true }
        let first = attempts {
            cache.whileWriterRests { setThirty(2) }
            #expect(throws: CacheError.self) { try cache.flush() }
        }
        // The drain that the calls have scheduled, and the flush's own.
        #expect(first <= 2)
        #expect(try cache.model("Person:7", as: Person.self) == nil)
        // Now there is something to forget, too.
        let second = attempts {
            #expect { try cache.write(person(1, 3)) } throws: { ($0 as? CacheError)?.code == .locked }
        }
        #expect(second == 1)
        #expect(attempts { cache.close() } <= 1)
    }

    @Test("When the lock is free again, what could not be stored is forgotten and the rest goes on")
    func freed() throws {
        try cache.write(contentsOf: (0..<30).map { person($0, 1) })
        disk.faults.withLock { $0.isLocked = true }
        setThirty(2)
        #expect(throws: CacheError.self) { try cache.flush() }
        disk.faults.withLock { $0.isLocked = false }
        try cache.write(person(40, 1))
        #expect(try cache.model("Person:7", as: Person.self) == nil)
        #expect(try cache.model("Person:40", as: Person.self) == person(40, 1))
        // Nothing is left to be forgotten by a transaction of its own.
        #expect(try attempts { try cache.write(person(41, 1)) } == 1)
    }

    @Test("A wipe behind calls that failed for a lock is tried, as it needs no such lock")
    func wipe() throws {
        try cache.write(person(1, 1))
        disk.faults.withLock { $0.isLocked = true }
        setThirty(2)
        try cache.wipe()
        #expect(try cache.model("Person:1", as: Person.self) == nil)
    }
}

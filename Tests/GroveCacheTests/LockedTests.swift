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

/// How often room that is not to be had is waited for, and who waits for that.
@Suite("Room that is not to be had")
struct NoRoomTests {
    let disk: SharedStore.Disk
    let cache: NormalizedCache<SharedStore>

    init() throws {
        disk = try SharedStore.Disk()
        cache = try disk.open(CacheBudget(bytes: 10_000_000))
    }

    private func set(_ numbers: Range<Int>, _ count: Int) {
        for number in numbers { cache.setModel(Memo(number, count), forKey: "Memo:\(number)", context: nil) }
    }

    private func expectFull(_ body: () throws -> Void) {
        #expect { try body() } throws: { ($0 as? CacheError)?.code == .full }
    }

    @Test("Twenty calls that find the disk full make room once, and then each is tried once")
    func fullDisk() throws {
        disk.faults.withLock { $0.longestValue = 500 }
        cache.whileWriterRests { set(0..<20, 1_000) }
        expectFull { try cache.flush() }
        #expect(disk.faults.withLock { $0.attempts } <= 40)
        // What is called later makes room again.
        let before = disk.faults.withLock { $0.attempts }
        expectFull { try cache.write(Memo(30, 1_000)) }
        #expect(disk.faults.withLock { $0.attempts } > before + 4)
    }

    @Test("Twenty calls wait once for a view that stays open elsewhere")
    func heldElsewhere() throws {
        disk.faults.withLock { $0.hasRoom = false }
        cache.whileWriterRests { set(0..<20, 100) }
        expectFull { try cache.flush() }
        #expect(disk.faults.withLock { $0.roomWaits } == 1)
        expectFull { try cache.write(Memo(30, 100)) }
        #expect(disk.faults.withLock { $0.roomWaits } == 2)
        disk.faults.withLock { $0.hasRoom = true }
        cache.whileWriterRests { set(0..<20, 100) }
        try cache.flush()
        #expect(try cache.count(of: Memo.self) == 20)
    }

    @Test("A call that finds no room takes none of its neighbours with it")
    func neighbours() throws {
        disk.faults.withLock { $0.longestValue = 500 }
        cache.whileWriterRests {
            set(0..<10, 100)
            set(10..<11, 1_000)
            set(11..<20, 100)
        }
        expectFull { try cache.flush() }
        #expect(try cache.count(of: Memo.self) == 19)
        #expect(try cache.model("Memo:10", as: Memo.self) == nil)
    }
}

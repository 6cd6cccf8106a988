import Dispatch
import Foundation
import GroveMemory
import GroveModel
import Synchronization
import TestSupport
import Testing

@testable import GroveCache

@Suite("Readers of several threads")
struct ReadersTests {
    private static func reader() -> Reconstructor {
        Reconstructor(owner: ObjectIdentifier(Readers.self), keepsTouches: false)
    }

    /// A reader of each of `count` threads, all of which are alive at the same time, on all cores in turn.
    private func begin(_ count: Int, of readers: Readers) -> [Reconstructor] {
        let begun = Mutex<[Reconstructor]>([])
        let (counted, leave) = (DispatchGroup(), DispatchSemaphore(value: 0))
        for number in 0..<count {
            counted.enter()
            Thread.detachNewThread {
                _ = Cores.stay(on: Cores.usable[number % Cores.usable.count])
                let reader = readers.begin(ReadersTests.reader)
                begun.withLock { $0.append(reader) }
                counted.leave()
                leave.wait()
            }
        }
        counted.wait()
        for _ in 0..<count { leave.signal() }
        return begun.withLock { $0 }
    }

    @Test("The writer waits for the readers of all shelves", .timeLimit(.minutes(1)))
    func awaiting() {
        let readers = Readers(shelfCount: 8)
        readers.awaitNone()
        let begun = begin(32, of: readers)
        #expect(Set(begun.map { unsafe $0.state.pointee.shelf }).count >= Set(Cores.usable.map { $0 % 8 }).count)
        let isOver = Atomic(false)
        let ended = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            readers.awaitNone()
            isOver.store(true, ordering: .sequentiallyConsistent)
            ended.signal()
        }
        let shelf = unsafe begun[0].state.pointee.shelf
        let (first, others) = (
            begun.filter { unsafe $0.state.pointee.shelf == shelf },
            begun.filter { unsafe $0.state.pointee.shelf != shelf }
        )
        // By another thread than the one that began them, as where a tree needs a larger stack.
        for reader in first { _ = readers.end(reader, wasActive: true) }
        for reader in others {
            // Many chances for the writer to go on too early.
            for _ in 0..<200 { sched_yield() }
            let isEarly = isOver.load(ordering: .sequentiallyConsistent)
            #expect(!isEarly)
            _ = readers.end(reader, wasActive: true)
        }
        ended.wait()
        readers.awaitNone()
    }

    @Test("Reads of all threads are counted, and readers at rest are found by threads of other shelves")
    func counts() {
        let readers = Readers(shelfCount: 8)
        for (number, reader) in begin(32, of: readers).enumerated() {
            _ = readers.end(reader, wasActive: true, isHit: number < 10, miss: number < 10 ? nil : .absent)
        }
        #expect(readers.counts.hits == 10)
        #expect(readers.counts.misses == [.absent: 22])
        var made = 0
        // One more than a shelf has.
        let again = (0...Readers.mostAtRest).map { _ in
            readers.begin {
                made += 1
                return ReadersTests.reader()
            }
        }
        #expect(made == 0)
        for reader in again { _ = readers.end(reader, wasActive: true) }
        readers.removeAll()
        _ = readers.begin {
            made += 1
            return ReadersTests.reader()
        }
        #expect(made == 1)
    }
}

@Suite("Reads without the lock of the state")
struct PlainReadTests {
    typealias Cache = NormalizedCache<SharedStore>

    let disk: SharedStore.Disk
    let cache: Cache
    let ann = Person(id: "1", name: "Ann", age: 1)

    init() throws {
        disk = try SharedStore.Disk()
        cache = try disk.open()
        try cache.write(ann)
        #expect(try cache.model("Person:1", as: Person.self) == ann)
    }

    /// Whether a read on another thread returns while this one holds the lock.
    private func readsWhileLocked() -> Bool {
        let done = DispatchSemaphore(value: 0)
        let wait = { done.wait(timeout: .now() + 1) == .success }
        return cache.core.state.withLock { [cache] _ in
            Thread.detachNewThread {
                _ = try? cache.model("Person:1", as: Person.self)
                done.signal()
            }
            return wait()
        }
    }

    @Test("A cache that is idle is read while another thread holds the lock")
    func idle() throws {
        #expect(readsWhileLocked())
        // A commit that a caller waits for takes nothing from that.
        try cache.write(Person(id: "2", name: "Ben", age: 2))
        #expect(readsWhileLocked())
    }

    @Test("What is queued, what failed and a suspension are looked up under the lock, and seen at once")
    func busy() throws {
        let core = cache.core
        #expect(core.state.withLock { $0.isPlain })
        let known = PlainStart(
            store: try #require(core.state.withLock { $0.life.currentStore }), epochNumber: core.epoch.current,
            word: nil)
        #expect(core.state.isValid(known))
        // Queued, and then committed.
        let roots = try EncodedRoots([Person(id: "1", name: "Ann", age: 2)], mustBeIdentified: true)
        try core.enqueue(PendingWrite(sequence: try core.takeSequence(), tree: roots.tree), schedulingDrain: false)
        #expect(!core.state.isValid(known))
        #expect(try cache.model("Person:1", as: Person.self)?.age == 2)
        core.drainNow()
        #expect(core.state.isValid(known))
        #expect(try cache.model("Person:1", as: Person.self)?.age == 2)
        // Failed, and then made good: the epoch is another one for good.
        disk.faults.withLock { $0.refusesWrites = true }
        cache.setModel(Person(id: "1", name: "Ann", age: 3), forKey: "Person:1", context: nil)
        core.drainNow()
        #expect(!core.state.isValid(known))
        #expect(try cache.model("Person:1", as: Person.self) == nil)
        disk.faults.withLock { $0.refusesWrites = false }
        core.drainNow()
        #expect(core.state.withLock { $0.isPlain })
        try cache.write(ann)
        #expect(!core.state.isValid(known))
        #expect(try cache.model("Person:1", as: Person.self) == ann)
        #expect(core.state.withLock { $0.isPlain })
        // Suspended: the lock is needed for the error.
        try cache.suspend()
        #expect(!core.state.withLock { $0.isPlain })
        #expect(throws: CacheError.self) { try cache.model("Person:1", as: Person.self) }
        try cache.resume()
        #expect(try cache.model("Person:1", as: Person.self) == ann)
        cache.close()
        #expect(throws: CacheError.self) { try cache.model("Person:1", as: Person.self) }
    }
}

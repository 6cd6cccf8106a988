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

    @Test("While a damaged store is let go of, no read begins with it", .timeLimit(.minutes(1)))
    func damaged() throws {
        let opened = try FragileStore.Opened()
        let cache = opened.cache
        try cache.write(Person(id: "1", name: "Ann", age: 1))
        let (held, release, ended) = (
            DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
        )
        Thread.detachNewThread {
            try? cache.read { _ in
                held.signal()
                release.wait()
            }
            ended.signal()
        }
        held.wait()
        opened.disk.faults.withLock { $0.viewsAreDamaged = true }
        #expect(throws: CacheError.self) { try cache.model("Person:1", as: Person.self) }
        opened.disk.faults.withLock { $0.viewsAreDamaged = false }
        var store: OpenStore?
        while cache.core.state.withLock({ state in
            store = state.life.currentStore
            return !state.files.isSuspect
        }) { sched_yield() }
        #expect(store == nil)
        release.signal()
        ended.wait()
        #expect(try cache.model("Person:1", as: Person.self) != nil)
        #expect(opened.count == 2)
    }

    @Test("The writer waits for the readers of all pools", .timeLimit(.minutes(1)))
    func awaiting() {
        let readers = Readers(poolCount: 8)
        readers.awaitNone()
        let begun = begin(32, of: readers)
        #expect(Set(begun.map { unsafe $0.state.pointee.pool }).count >= Set(Cores.usable.map { $0 % 8 }).count)
        let isOver = Atomic(false)
        let ended = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            readers.awaitNone()
            isOver.store(true, ordering: .sequentiallyConsistent)
            ended.signal()
        }
        let pool = unsafe begun[0].state.pointee.pool
        let (first, others) = (
            begun.filter { unsafe $0.state.pointee.pool == pool },
            begun.filter { unsafe $0.state.pointee.pool != pool }
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

    @Test("Reads of all threads are counted, and readers at rest are found by threads of other pools")
    func counts() {
        let readers = Readers(poolCount: 8)
        for (number, reader) in begin(32, of: readers).enumerated() {
            _ = readers.end(reader, wasActive: true, isHit: number < 10, miss: number < 10 ? nil : .absent)
        }
        #expect(readers.counts.hits == 10)
        #expect(readers.counts.misses == [.absent: 22])
        var made = 0
        // One more than a pool has.
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

@Suite("Readers at rest")
struct ReaderPoolTests {
    @Test("A reader at rest holds no more after many reads, and after enormous ones, than a small bound")
    func retained() throws {
        let cache = try NormalizedCache<SharedStore>(
            directory: nil, options: SharedStore.Options(disk: try SharedStore.Disk()))
        let large = Message(
            id: "large", text: String(repeating: "x", count: 1 << 20), sender: Person(id: "1", name: "Ann", age: 30),
            readers: (2..<2_000).map { Person(id: "\($0)", name: "reader", age: $0) })
        let small = Message(id: "small", text: "x", sender: large.sender)
        try cache.write(large)
        try cache.write(small)
        func held() -> Int { cache.core.readers.bytesAtRest }
        #expect(try cache.model("Message:large", as: Message.self) == large)
        #expect(held() <= 64 << 10)
        // Queued writes are folded into what is read.
        let tree = NodeTree()
        var encoder = NodeEncoder(into: tree)
        encoder.beginRoot()
        try large.encodeValue(to: &encoder)
        try cache.core.enqueue(
            PendingWrite(sequence: try cache.core.takeSequence(), tree: tree), schedulingDrain: false)
        #expect(try cache.model("Message:large", as: Message.self) == large)
        #expect(held() <= 96 << 10)
        for _ in 0..<2_000 { #expect(try cache.model("Message:small", as: Message.self) == small) }
        #expect(held() <= 96 << 10)
    }
}

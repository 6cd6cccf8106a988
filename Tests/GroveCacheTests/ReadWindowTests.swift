import GroveMemory
import GroveModel
import Synchronization
import TestSupport
import Testing

@testable import GroveCache

/// Reads between a commit of the engine and the moment at which the cache is told of it.
///
/// Each test queues two calls by hand: an older one for which no caller waits, and a newer one for which a caller
/// waits. Both are in one commit, and the test reads in that moment.
@Suite("Reads between a commit and its announcement")
struct ReadWindowTests {
    typealias Cache = NormalizedCache<SharedStore>

    let disk: SharedStore.Disk
    let cache: Cache
    let ben = Person(id: "2", name: "Ben", age: 0)

    init() throws {
        disk = try SharedStore.Disk()
        cache = try disk.open()
        try cache.writeCollection([ann(0), ben], as: "both")
    }

    private func ann(_ age: Int) -> Person { Person(id: "1", name: "Ann", age: age) }

    /// Queues a call, and commits nothing.
    private func queue(
        _ content: EncodedRoots, _ extras: [PendingWrite.Extra] = [], at sequence: LocalNumber? = nil, isAwaited: Bool
    ) throws {
        let ignore: @Sendable (Result<ChangeSet, CacheError>) -> Void = { _ in }
        let number = try sequence ?? cache.core.takeSequence()
        let write = PendingWrite(
            sequence: number, tree: content.tree, extras: extras, completion: isAwaited ? ignore : nil)
        try cache.core.enqueue(write, schedulingDrain: false)
    }

    private func people(_ people: Person...) throws -> EncodedRoots {
        try EncodedRoots(people, mustBeIdentified: true)
    }

    /// What each commit until the queue is empty shows at once, before the cache hears of it.
    private func drain(_ beforeRead: @escaping @Sendable () -> Void = {}) -> [[Int]?] {
        let seen = Collected()
        disk.faults.withLock { [cache] faults in
            faults.afterWrite = {
                beforeRead()
                let both = try? cache.collection("both", of: Person.self)
                seen.ages.withLock { $0.append(both?.map(\.age)) }
            }
        }
        cache.core.drainNow()
        disk.faults.withLock { $0.afterWrite = nil }
        return seen.ages.withLock { $0 }
    }

    @Test("A call that others wrote over shows no more in a read that began before, however many have written since")
    func manyWriters() throws {
        let others = try (0..<6).map { _ in try disk.open() }
        let later = (0..<6).map { ann(10 + $0) }
        try queue(people(ann(1)), isAwaited: false)
        disk.faults.withLock { faults in
            faults.beforeView = { [disk, cache] in
                disk.faults.withLock { $0.beforeView = nil }
                cache.core.drainNow()
                for (other, ann) in zip(others, later) { _ = try? other.write(ann) }
            }
        }
        #expect(try cache.model("Person:1", as: Person.self)?.age == 15)
        #expect(try cache.model("Person:1", as: Person.self)?.age == 15)
    }

    private final class Collected: Sendable {
        let ages = Mutex<[[Int]?]>([])
        let text = Mutex("")
    }

    @Test("What was queued before is not shown over what the same commit brought after it")
    func older() throws {
        try queue(people(ann(1)), isAwaited: false)
        try queue(people(ann(2), Person(id: "2", name: "Ben", age: 2)), isAwaited: true)
        #expect(drain() == [[2, 2]])
        #expect(try cache.collection("both", of: Person.self)?.map(\.age) == [2, 2])
    }

    @Test("So it is where the calls come late to the queue, so that the store's own number does not grow")
    func late() throws {
        let numbers = try (0..<2).map { _ in try cache.core.takeSequence() }
        try cache.write(Person(id: "3", name: "Cleo", age: 3))
        try queue(people(ann(1)), at: numbers[0], isAwaited: false)
        try queue(people(ann(2), Person(id: "2", name: "Ben", age: 2)), at: numbers[1], isAwaited: true)
        #expect(drain() == [[2, 2]])
    }

    @Test("A collection, too, is the later one")
    func collections() throws {
        let one = try EncodedRoots([ann(0)], mustBeIdentified: false)
        let two = try EncodedRoots([ann(0), ben, ben], mustBeIdentified: false)
        try queue(one, [one.collection("both")], isAwaited: false)
        try queue(two, [two.collection("both")], isAwaited: true)
        #expect(drain() == [[0, 0, 0]])
    }

    @Test("What failed is a miss before the next call commits")
    func failing() throws {
        disk.faults.withLock { $0.refusedKeys = [SharedStore.Disk.key("Person:1")] }
        try queue(people(ann(1)), isAwaited: false)
        try queue(people(Person(id: "2", name: "Ben", age: 2)), isAwaited: true)
        // Ann of before beside the new Ben is what must not be seen.
        #expect(drain().allSatisfy { $0 == nil })
        #expect(try cache.model("Person:1", as: Person.self) == nil)
        #expect(try cache.model("Person:2", as: Person.self)?.age == 2)
    }

    @Test("Where the store cannot say which calls it shows, the read fails")
    func unreadable() throws {
        let disk = disk
        try queue(people(ann(1)), isAwaited: false)
        try queue(people(ann(2), Person(id: "2", name: "Ben", age: 2)), isAwaited: true)
        #expect(drain { disk.faults.withLock { $0.refusedLooks = 1 } } == [nil])
        #expect(try cache.collection("both", of: Person.self)?.map(\.age) == [2, 2])
    }

    @Test("What another process commits in that moment stays")
    func peer() throws {
        let other = try disk.open()
        let disk = disk
        try queue(people(ann(1)), isAwaited: false)
        let seen = drain {
            // Once, and not for its own commit.
            disk.faults.withLock { $0.afterWrite = nil }
            _ = try? other.write(Person(id: "1", name: "Ann", age: 9))
        }
        #expect(seen == [[9, 0]])
        #expect(try cache.collection("both", of: Person.self)?.map(\.age) == [9, 0])
    }

    // MARK: Between the look at the queue and the view

    /// Reads the pair; between the read's look at the queue and its view `body` runs, once.
    private func read(_ body: @escaping @Sendable () -> Void) throws -> [Int]? {
        let disk = disk
        disk.faults.withLock { faults in
            faults.beforeView = {
                disk.faults.withLock { $0.beforeView = nil }
                body()
            }
        }
        return try cache.collection("both", of: Person.self)?.map(\.age)
    }

    @Test("What is committed while a read opens its view shows whole")
    func committedMeanwhile() throws {
        try queue(people(ann(1)), isAwaited: false)
        try queue(people(ann(2), Person(id: "2", name: "Ben", age: 2)), isAwaited: true)
        let core = cache.core
        #expect(try read { core.drainNow() } == [2, 2])
    }

    @Test("What fails while a read opens its view is a miss, and not the old value beside a later one")
    func failedMeanwhile() throws {
        disk.faults.withLock { $0.refusedKeys = [SharedStore.Disk.key("Person:1")] }
        try queue(people(ann(1)), isAwaited: false)
        try queue(people(Person(id: "2", name: "Ben", age: 2)), isAwaited: true)
        let core = cache.core
        #expect(try read { core.drainNow() } == nil)
    }

    @Test("So it is where nothing was queued when the read began, and all of that comes while it opens its view")
    func failedMeanwhileOnceIdle() throws {
        #expect(try cache.collection("both", of: Person.self)?.map(\.age) == [0, 0])
        let key = SharedStore.Disk.key("Person:1")
        // Nor does the store take that the older one is forgotten.
        disk.faults.withLock { ($0.refusedKeys, $0.keptKeys) = ([key], [key]) }
        let core = cache.core
        let (older, newer) = try (people(ann(1)), people(Person(id: "2", name: "Ben", age: 2)))
        let (ignore, cache): (@Sendable (Result<ChangeSet, CacheError>) -> Void, Cache) = ({ _ in }, cache)
        #expect(core.state.withLock { $0.isPlain })
        let ages = try read {
            for (content, completion) in [(older, nil), (newer, ignore)] {
                guard let number = try? cache.core.takeSequence() else { continue }
                try? core.enqueue(
                    PendingWrite(sequence: number, tree: content.tree, completion: completion), schedulingDrain: false)
            }
            core.drainNow()
        }
        #expect(ages == nil)
        #expect(try cache.model("Person:2", as: Person.self)?.age == 2)
    }

    @Test("A call that is queued while a read opens its view does not hold the read up, nor the read the call")
    func queuedMeanwhile() throws {
        let cache = cache
        let newer = ann(3)
        let ages = try read { cache.setModel(newer, forKey: "Person:1", context: nil) }
        #expect(ages == [0, 0] || ages == [3, 0])
        #expect(try cache.model("Person:1", as: Person.self) == newer)
    }

    @Test("Random calls: what shows at their commit is what shows once they have left the queue", arguments: 0..<150)
    func random(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let disk = try SharedStore.Disk()
        let cache = try disk.open()
        for step in 0..<6 {
            for call in 0..<Int.random(in: 1...5, using: &random) {
                let age = step * 10 + call
                let numbers = (Int.random(in: 0..<3, using: &random), Int.random(in: 0..<3, using: &random))
                let one = Person(id: "\(numbers.0)", name: "P", age: age)
                let two = Person(id: "\(numbers.1)", name: "P", age: age)
                let content: PendingWrite.Content
                switch Int.random(in: 0..<6, using: &random) {
                case 0: content = .init(extras: [.tombstone("Person:\(one.id)")])
                case 1: content = .init(extras: [.remove(Namespace.node, "Person:\(one.id)")])
                case 2:
                    let roots = try EncodedRoots([one, two], mustBeIdentified: false)
                    content = .init(tree: roots.tree, extras: [roots.collection("all")])
                case 3:
                    let message = Message(id: "0", text: "\(age)", sender: one, editor: two)
                    content = .init(tree: try EncodedRoots([message], mustBeIdentified: true).tree)
                case 4: content = try .alias("alias", of: one)
                default: content = .init(tree: try EncodedRoots([one], mustBeIdentified: true).tree)
                }
                let ignore: @Sendable (Result<ChangeSet, CacheError>) -> Void = { _ in }
                let isAwaited = Bool.random(using: &random)
                try cache.core.enqueue(
                    PendingWrite(
                        sequence: try cache.core.takeSequence(), tree: content.tree, extras: content.extras,
                        completion: isAwaited ? ignore : nil), schedulingDrain: false)
            }
            let look: @Sendable () -> String = {
                let nodes = (0..<3).map { try? cache.read("Person:\($0)", as: Person.self) }
                let message = try? cache.read("Message:0", as: Message.self)
                let list = try? cache.readCollection("all", of: Person.self)
                let alias = try? cache.read(forKey: "alias", as: Person.self)
                return
                    "\(nodes) \(String(describing: message)) \(String(describing: list)) \(String(describing: alias))"
            }
            let seen = Collected()
            disk.faults.withLock { $0.afterWrite = { seen.text.withLock { $0 = look() } } }
            cache.core.drainNow()
            disk.faults.withLock { $0.afterWrite = nil }
            #expect(seen.text.withLock { $0 } == look(), "seed \(seed), step \(step)")
        }
    }
}

import Foundation
import GroveCache
import GroveCoding
import GroveInspect
import GroveMemory
import GroveModel
import Synchronization
import Testing
import TestSupport

/// A clock that the test moves.
final class TestClock: Sendable {
    private let time = Mutex(1_000_000.0)

    var now: Date { Date(timeIntervalSince1970: time.withLock { $0 }) }

    func advance(_ seconds: Double) { time.withLock { $0 += seconds } }
}

/// How old what a read hands out may be.
@Suite("Ages")
struct AgeTests {
    typealias Cache = NormalizedCache<SharedStore>

    let clock = TestClock()
    let disk: SharedStore.Disk
    let cache: Cache
    let ann = Person(id: "1", name: "Ann", age: 30)
    let older = Person(id: "1", name: "Ann", age: 31)

    init() throws {
        disk = try SharedStore.Disk()
        cache = try AgeTests.open(disk, clock)
    }

    private static func open(_ disk: SharedStore.Disk, _ clock: TestClock) throws -> Cache {
        try Cache(directory: nil, options: SharedStore.Options(disk: disk), now: { clock.now })
    }

    private func expired(_ identifier: ModelIdentifier) -> CacheMiss { CacheMiss(.expired, identifier) }

    @Test("A node that was confirmed longer ago is missing, and the miss names it; without an age it is there")
    func nodes() throws {
        let message = Message(id: "34", text: "Hello", sender: ann)
        try cache.write(message, confirmed: true)
        clock.advance(60)
        #expect(try cache.read("Message:34", as: Message.self, maxAge: 60) == .hit(message))
        clock.advance(1)
        #expect(try cache.read("Message:34", as: Message.self, maxAge: 60) == .miss(expired("Message:34")))
        #expect(try cache.read("Message:34", as: Message.self, maxAge: .infinity) == .hit(message))
        #expect(try cache.model("Message:34", as: Message.self) == message)
        try cache.write(Message(id: "34", text: "Bye", sender: ann), confirmed: true)
        clock.advance(30)
        #expect(try cache.model("Message:34", as: Message.self, maxAge: 60)?.text == "Bye")
        try cache.write(Message(id: "35", text: "Later", sender: ann), confirmed: true)
        clock.advance(31)
        #expect(try cache.read("Message:34", as: Message.self, maxAge: 60) == .miss(expired("Message:34")))
        #expect(try cache.model("Message:35", as: Message.self, maxAge: 60)?.text == "Later")
        try cache.write(Message(id: "36", text: "New", sender: Person(id: "2", name: "Bob", age: 1)), confirmed: true)
        #expect(try cache.read("Message:35", as: Message.self, maxAge: 20) == .miss(expired("Message:35")))
        #expect(cache.statistics.misses[.expired] == 3)
    }

    @Test("A child that is too old is what the miss names, and an optional one is not nil")
    func children() throws {
        try cache.write(Fork("l"), confirmed: true)
        clock.advance(100)
        // The stub says nothing of the child's own children.
        try cache.write(ForkLink(id: "a", left: ForkStub(id: "l")), confirmed: true)
        #expect(try cache.read("Fork:a", as: Fork.self, maxAge: 60).miss == expired("Fork:l"))
        #expect(try cache.read("Fork:a", as: Fork.self, maxAge: 100).value?.left?.id == "l")
        try cache.delete("Fork:l")
        let left = try #require(try cache.read("Fork:a", as: Fork.self, maxAge: 60).value)
        #expect(left.id == "a" && left.left == nil)
    }

    @Test("A rewrite that changes nothing confirms: the record keeps its number, and no change set names it")
    func confirmation() throws {
        let message = Message(id: "34", text: "Hello", sender: ann)
        try cache.write(message, confirmed: true)
        let number = try cache.storedRecord(.node, "Person:1")?.envelope.get().sequence
        clock.advance(100)
        #expect(try cache.write(ann, confirmed: true).isEmpty)
        #expect(try cache.storedRecord(.node, "Person:1")?.envelope.get().sequence == number)
        #expect(try cache.read("Person:1", as: Person.self, maxAge: 10) == .hit(ann))
        #expect(try cache.read("Message:34", as: Message.self, maxAge: 10) == .miss(expired("Message:34")))
        #expect(try cache.write(message, confirmed: true).isEmpty)
        #expect(try cache.read("Message:34", as: Message.self, maxAge: 10) == .hit(message))
        clock.advance(11)
        #expect(try cache.read("Person:1", as: Person.self, maxAge: 10) == .miss(expired("Person:1")))
        #expect(try cache.read("Person:1", as: Person.self, maxAge: 11) == .hit(ann))
    }

    @Test("What comes again and again is written once a minute, and where it is read with an age, four times in that")
    func renewal() throws {
        func puts(every seconds: Double) throws -> Int {
            let before = cache.statistics.recordsPut
            for _ in 0..<10 {
                clock.advance(seconds)
                try cache.write(ann, confirmed: true)
            }
            return cache.statistics.recordsPut - before
        }
        try cache.write(ann, confirmed: true)
        #expect(try puts(every: 5.9) == 0)
        #expect(try puts(every: 6) == 1)
        _ = try cache.read("Person:1", as: Person.self, maxAge: 1_000)
        #expect(try puts(every: 60) == 10)
        _ = try cache.read("Person:1", as: Person.self, maxAge: 40)
        #expect(try puts(every: 9) == 5)
        #expect(try puts(every: 10) == 10)
        // A quarter of what was asked for is the most by which it counts as older.
        clock.advance(9)
        try cache.write(ann, confirmed: true)
        clock.advance(29)
        #expect(try cache.read("Person:1", as: Person.self, maxAge: 40) == .hit(ann))
    }

    @Test("Ages outlive the cache, however it ended")
    func reopened() throws {
        try cache.write(ann, confirmed: true)
        clock.advance(100)
        try cache.write(ann, confirmed: true)
        clock.advance(50)
        let again = try AgeTests.open(disk, clock)
        #expect(try again.read("Person:1", as: Person.self, maxAge: 50) == .hit(ann))
        #expect(try again.read("Person:1", as: Person.self, maxAge: 49) == .miss(expired("Person:1")))
    }

    @Test("What is confirmed is what is stored: another value that was confirmed before says nothing of it")
    func otherValue() throws {
        try cache.write(ann, confirmed: true)
        clock.advance(10)
        let asked = cache.place()
        clock.advance(10)
        try cache.write(ann, confirmed: true)
        try cache.write(older, asOf: asked)
        clock.advance(10)
        #expect(try cache.model("Person:1", as: Person.self) == older)
        #expect(try cache.read("Person:1", as: Person.self, maxAge: 15) == .miss(expired("Person:1")))
        #expect(try cache.read("Person:1", as: Person.self, maxAge: 20) == .hit(older))
    }

    @Test("A collection has an age of its own beside its elements', and skips those that are too old")
    func collections() throws {
        let bob = Person(id: "2", name: "Bob", age: 40)
        try cache.writeCollection([ann, bob], as: "people", confirmed: true)
        clock.advance(100)
        try cache.write(ann, confirmed: true)
        try cache.write(bob, confirmed: true)
        #expect(try cache.readCollection("people", of: Person.self, maxAge: 60) == .miss(expired("people")))
        try cache.writeCollection([ann, bob], as: "people", confirmed: true)
        clock.advance(50)
        #expect(try cache.collection("people", of: Person.self, maxAge: 60) == [ann, bob])
    }

    @Test("An element that is too old is skipped where the read asks for that, and the read says so")
    func skipping() throws {
        let (one, two) = (ForkLink(id: "a"), ForkLink(id: "b"))
        try cache.write(contentsOf: [one, two], confirmed: true)
        clock.advance(100)
        // The list is young, and so is what it shows of its elements, which is less.
        try cache.writeCollection([ForkStub(id: "a"), ForkStub(id: "b")], as: "forks", confirmed: true)
        try cache.write(one, confirmed: true)
        #expect(try cache.readCollection("forks", of: ForkLink.self, maxAge: 60) == .miss(expired("Fork:b")))
        #expect(
            try cache.readCollection("forks", of: ForkLink.self, missing: .skip, maxAge: 60)
                == .hit(CollectionRead(elements: [one], skipped: [expired("Fork:b")])))
        #expect(try cache.collection("forks", of: ForkLink.self, maxAge: 100) == [one, two])
    }

    @Test("A projection is as young as its own last write, or a larger one's, and not as a smaller one's")
    func projections() throws {
        let link = ForkLink(id: "a", left: ForkStub(id: "l"), right: ForkStub(id: "r"))
        try cache.write(link, confirmed: true)
        clock.advance(100)
        try cache.write(ForkStub(id: "a"), confirmed: true)
        #expect(try cache.read("Fork:a", as: ForkStub.self, maxAge: 10) == .hit(ForkStub(id: "a")))
        #expect(try cache.read("Fork:a", as: ForkLink.self, maxAge: 10) == .miss(expired("Fork:a")))
        clock.advance(100)
        try cache.write(link, confirmed: true)
        #expect(try cache.read("Fork:a", as: ForkStub.self, maxAge: 10) == .hit(ForkStub(id: "a")))
        #expect(try cache.read("Fork:a", as: ForkLink.self, maxAge: 10) == .hit(link))
        clock.advance(100)
        try cache.write(ForkStub(id: "a"), confirmed: true)
        #expect(try cache.read("Fork:a", as: ForkStub.self, maxAge: 10) == .hit(ForkStub(id: "a")))
        #expect(try cache.read("Fork:a", as: ForkLink.self, maxAge: 10) == .miss(expired("Fork:a")))
        #expect(try cache.read("Fork:a", as: ForkLink.self, maxAge: 100) == .hit(link))
    }

    @Test("A reference that a projection lets go of makes nothing younger that others wrote")
    func letGo() throws {
        let left = ForkStub(id: "l")
        try cache.write(ForkTitle(id: "a", title: "old", left: left), confirmed: true)
        clock.advance(100)
        try cache.write(ForkSparse(id: "a", left: left), confirmed: true)
        clock.advance(100)
        try cache.write(ForkSparse(id: "a"), confirmed: true)
        #expect(try cache.read("Fork:a", as: ForkTitle.self, maxAge: 150).value == nil)
    }

    /// Queues `person` as a server's answer of now.
    private func confirm(_ person: Person) {
        let follower = cache.followed(by: { _ in }, isShown: nil)
        follower.save(person, forKey: "Person:\(person.id)", asOf: follower.place()) { _ in }
    }

    @Test("What is queued is as old as its call, and stays that when it is committed")
    func queued() throws {
        try cache.write(ann, confirmed: true)
        clock.advance(100)
        let barrier = Barrier()
        disk.faults.withLock { $0.beforeWrite = { barrier.pass() } }
        confirm(ann)
        #expect(barrier.awaitArrival())
        #expect(try cache.read("Person:1", as: Person.self, maxAge: 10) == .hit(ann))
        clock.advance(11)
        #expect(try cache.read("Person:1", as: Person.self, maxAge: 10) == .miss(expired("Person:1")))
        #expect(try cache.read("Person:1", as: Person.self, maxAge: 11) == .hit(ann))
        disk.faults.withLock { $0.beforeWrite = nil }
        barrier.open()
        try cache.flush()
        #expect(try cache.read("Person:1", as: Person.self, maxAge: 10) == .miss(expired("Person:1")))
        #expect(try cache.read("Person:1", as: Person.self, maxAge: 11) == .hit(ann))
    }

    @Test("What was confirmed at a time that the clock has not reached has no age, until it is confirmed again")
    func clockSetBack() throws {
        try cache.write(ann, confirmed: true)
        clock.advance(-100)
        #expect(try cache.read("Person:1", as: Person.self, maxAge: 1_000) == .miss(expired("Person:1")))
        try cache.write(ann, confirmed: true)
        #expect(try cache.read("Person:1", as: Person.self, maxAge: 1_000) == .hit(ann))
        try cache.write(older, confirmed: true)
        clock.advance(20)
        #expect(try cache.read("Person:1", as: Person.self, maxAge: 10) == .miss(expired("Person:1")))
        #expect(try cache.read("Person:1", as: Person.self, maxAge: 20) == .hit(older))
    }

    @Test("A clock that tells no time, and an age that is none, find everything too old")
    func oddNumbers() throws {
        try cache.write(ann, confirmed: true)
        #expect(try cache.read("Person:1", as: Person.self, maxAge: .nan) == .miss(expired("Person:1")))
        #expect(try cache.read("Person:1", as: Person.self, maxAge: -1) == .miss(expired("Person:1")))
        #expect(try cache.read("Person:1", as: Person.self, maxAge: 0) == .hit(ann))
        let timeless = try Cache(
            directory: nil, options: SharedStore.Options(disk: disk),
            now: { Date(timeIntervalSince1970: .nan) })
        try timeless.write(ann, confirmed: true)
        #expect(try timeless.read("Person:1", as: Person.self, maxAge: 1_000) == .miss(expired("Person:1")))
        #expect(try timeless.model("Person:1", as: Person.self) == ann)
    }

    @Test("What is damaged, deleted or of another type is what it was, whatever the age")
    func otherMisses() throws {
        try cache.write(ann, confirmed: true)
        try cache.write(ForkStub(id: "a"), confirmed: true)
        try cache.delete("Person:7")
        clock.advance(100)
        #expect(try cache.read("Person:7", as: Person.self, maxAge: 1) == .miss(CacheMiss(.deleted, "Person:7")))
        #expect(try cache.read("Person:8", as: Person.self, maxAge: 1) == .miss(CacheMiss(.absent, "Person:8")))
        #expect(try cache.read("Fork:a", as: Person.self, maxAge: 200) == .miss(CacheMiss(.otherType, "Fork:a")))
        try disk.damage("Person:1")
        #expect(throws: CacheError.self) { try cache.read("Person:1", as: Person.self, maxAge: 1) }
    }

    @Test("An emptied cache remembers no age", arguments: [false, true])
    func wiped(confirms: Bool) throws {
        try cache.write(ann, confirmed: true)
        clock.advance(100)
        try cache.write(ann, confirmed: true)
        try cache.wipe()
        #expect(try cache.read("Person:1", as: Person.self, maxAge: 10) == .miss(CacheMiss(.absent, "Person:1")))
        try cache.write(ann, confirmed: true)
        if confirms {
            clock.advance(100)
            try cache.write(ann, confirmed: true)
        }
        #expect(try cache.read("Person:1", as: Person.self, maxAge: 10) == .hit(ann))
        clock.advance(11)
        #expect(try cache.read("Person:1", as: Person.self, maxAge: 10) == .miss(expired("Person:1")))
    }

    @Test("Reads for tasks and of Codable models have the same ages")
    func otherForms() async throws {
        try await cache.write(ann, confirmed: true)
        try await cache.writeCollection([ann], as: "people", confirmed: true)
        clock.advance(10)
        #expect(try await cache.read { try $0.read("Person:1", as: Person.self, maxAge: 10) } == .hit(ann))
        let people = try await cache.read { try $0.readCollection("people", of: Person.self, maxAge: 9) }
        #expect(people == .miss(expired("people")))
        #expect(try cache.read("Person:1", as: PlainPerson.self, maxAge: 10).value?.name == "Ann")
        #expect(try cache.read("Person:1", as: PlainPerson.self, maxAge: 9) == .miss(expired("Person:1")))
        #expect(try cache.collection("people", of: PlainPerson.self, maxAge: 10)?.count == 1)
        let person = try await cache.read { try $0.read("Person:1", as: PlainPerson.self, maxAge: 9) }
        #expect(person == .miss(expired("Person:1")))
        #expect(try await cache.read { try $0.readCollection("people", of: PlainPerson.self, maxAge: 10) }.value != nil)
    }

    // MARK: Several processes

    @Test("What another process wrote is never younger than it is, though the numbers of calls run on")
    func foreign() throws {
        let other = try AgeTests.open(disk, clock)
        try cache.write(ann, confirmed: true)
        clock.advance(100)
        try other.write(older, confirmed: true)
        clock.advance(100)
        // This one's call gets a number that the other process has used.
        let barrier = Barrier()
        disk.faults.withLock { $0.beforeWrite = { barrier.pass() } }
        confirm(Person(id: "2", name: "Bob", age: 40))
        #expect(barrier.awaitArrival())
        #expect(try cache.read("Person:1", as: Person.self, maxAge: 50) == .miss(expired("Person:1")))
        #expect(try cache.read("Person:2", as: Person.self, maxAge: 50).value?.name == "Bob")
        disk.faults.withLock { $0.beforeWrite = nil }
        barrier.open()
        try cache.flush()
        #expect(try cache.read("Person:1", as: Person.self, maxAge: 50) == .miss(expired("Person:1")))
        #expect(try cache.read("Person:2", as: Person.self, maxAge: 50).value?.name == "Bob")
        try cache.write(older, confirmed: true)
        #expect(try cache.read("Person:1", as: Person.self, maxAge: 50) == .hit(older))
    }

    @Test("Each process knows when another one wrote")
    func foreignTimes() throws {
        let other = try AgeTests.open(disk, clock)
        let people = (1...3).map { Person(id: "\($0)", name: "Ann", age: $0) }
        try cache.write(people[0], confirmed: true)
        try other.write(people[1], confirmed: true)
        clock.advance(100)
        for _ in 0..<3 { try cache.write(people[0], confirmed: true) }
        try other.write(people[2], confirmed: true)
        clock.advance(5)
        #expect(try cache.read("Person:3", as: Person.self, maxAge: 50) == .hit(people[2]))
        #expect(try cache.read("Person:2", as: Person.self, maxAge: 50) == .miss(expired("Person:2")))
        #expect(try cache.read("Person:1", as: Person.self, maxAge: 50) == .hit(people[0]))
    }

    @Test(
        "Whatever two processes do, nothing is handed out that is older than asked for",
        arguments: 1...6 as ClosedRange<UInt64>)
    func randomProcesses(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var caches = [cache, try AgeTests.open(disk, clock)]
        // When the value that is stored was last confirmed, by identifier.
        var confirmed: [Int: Double] = [:]
        var hits = 0
        for step in 0..<3_000 {
            let process = Int.random(in: 0..<2, using: &generator)
            let number = Int.random(in: 0..<12, using: &generator)
            switch Int.random(in: 0..<40, using: &generator) {
            case 0: clock.advance(Double.random(in: 0...300, using: &generator))
            case 1: caches[process] = try AgeTests.open(disk, clock)
            case 2 where step % 5 == 0:
                try caches[process].wipe()
                confirmed = [:]
            case 3..<15: clock.advance(Double.random(in: 0...3, using: &generator))
            case 15..<27:
                let age = Int.random(in: 0..<3, using: &generator)
                try caches[process].write(Person(id: "\(number)", name: "", age: age), confirmed: true)
                confirmed[number] = clock.now.timeIntervalSince1970
            default:
                let maxAge = Double.random(in: 0...60, using: &generator)
                let read = try caches[process].read(
                    ModelIdentifier("Person:\(number)"), as: Person.self, maxAge: maxAge)
                guard read.value != nil else { continue }
                hits += 1
                let age = clock.now.timeIntervalSince1970 - (confirmed[number] ?? -.infinity)
                try #require(age <= maxAge, "seed \(seed), step \(step)")
            }
        }
        #expect(hits > 100, "seed \(seed)")
    }

    @Test(
        "What is younger than asked for by more than two seconds is handed out, where small ages are asked for",
        arguments: 1...4 as ClosedRange<UInt64>)
    func randomAlone(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var confirmed: [Int: Double] = [:]
        _ = try cache.model("Person:0", as: Person.self, maxAge: 4)
        for step in 0..<4_000 {
            clock.advance(Double.random(in: 0...2, using: &generator))
            let number = Int.random(in: 0..<40, using: &generator)
            let now = clock.now.timeIntervalSince1970
            if Bool.random(using: &generator), number < 30 || step % 500 == 0 {
                try cache.write(
                    Person(id: "\(number)", name: "", age: Int.random(in: 0..<3, using: &generator)), confirmed: true)
                confirmed[number] = now
            } else if let time = confirmed[number] {
                let maxAge = Double.random(in: 0...200, using: &generator)
                let isHit = try cache.model(ModelIdentifier("Person:\(number)"), as: Person.self, maxAge: maxAge) != nil
                let age = now - time
                try #require(!isHit || age <= maxAge, "seed \(seed), step \(step)")
                try #require(isHit || age + 2 >= maxAge, "seed \(seed), step \(step)")
            }
        }
    }
}

/// A person without coding of her own.
private struct PlainPerson: CodableModel, Equatable {
    var id: String
    var name: String
    var modelIdentifier: ModelIdentifier? { "Person:\(id)" }
    static let recordName = "Person"
}

/// A projection of ``Fork`` with a field that no other has.
private struct ForkTitle: SimpleModel, CacheableModel, Equatable {
    var id: String
    var title: String
    var left: ForkStub?

    var modelIdentifier: ModelIdentifier? { "Fork:\(id)" }
    static let recordName = "Fork"
    static let fields = FieldTable("id", "left", "title")

    func encodeFields(to node: inout NodeEncoder) throws(CacheError) {
        try node.encode(id, at: 0)
        try node.encode(left, at: 1)
        try node.encode(title, at: 2)
    }

    static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> ForkTitle {
        let id = try node.scan(String.self, at: 0)
        let left = try node.scan(ForkStub?.self, at: 1)
        let title = try node.scan(String.self, at: 2)
        return ForkTitle(id: try node.finish(id), title: try node.finish(title), left: try node.finish(left))
    }
}

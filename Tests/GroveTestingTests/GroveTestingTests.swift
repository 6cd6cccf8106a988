import GroveTesting
import GroveTestingTraits
import Testing

struct Person: CodableModel, Equatable {
    let id: String
    let name: String
    var modelIdentifier: ModelIdentifier? { "Person:\(id)" }
}

private let ann = Person(id: "1", name: "Ann")

@Suite("A cache for a test")
struct CacheFixtureTests {
    @Test("It begins with what the test writes, and shares nothing with another one")
    func content() throws {
        let fixture = try CacheFixture { try $0.write(ann) }
        #expect(try fixture.cache.read("Person:1", as: Person.self).value == ann)
        try expectMiss(CacheFixture().cache.read("Person:1", as: Person.self), .absent, "Person:1")
    }

    @Test("Its ages are those of its clock")
    func clock() throws {
        let fixture = try CacheFixture { try $0.write(ann, confirmed: true) }
        fixture.clock.advance(by: 10)
        #expect(try fixture.cache.read("Person:1", as: Person.self, maxAge: 60).value == ann)
        fixture.clock.advance(by: 1_000)
        try expectMiss(fixture.cache.read("Person:1", as: Person.self, maxAge: 60))
    }

    @Test("A write fails as it was told, stores nothing, and succeeds when the fault is over")
    func full() throws {
        let fixture = try CacheFixture()
        fixture.faults.failWrites(with: CacheError(.full, "The disk is full."))
        let error = #expect(throws: CacheError.self) { try fixture.cache.write(ann) }
        #expect(error?.code == .full)
        try expectMiss(fixture.cache.read("Person:1", as: Person.self))
        fixture.faults.failWrites(with: nil)
        try fixture.cache.write(ann)
        #expect(try fixture.cache.read("Person:1", as: Person.self).value == ann)
    }

    @Test("A read fails as it was told, and finds what is stored when the fault is over")
    func unreadable() throws {
        let fixture = try CacheFixture { try $0.write(ann) }
        fixture.faults.failReads(with: CacheError(.inputOutput, "The disk cannot be read."))
        let error = #expect(throws: CacheError.self) { try fixture.cache.read("Person:1", as: Person.self) }
        #expect(error?.code == .inputOutput)
        fixture.faults.failReads(with: nil)
        #expect(try fixture.cache.read("Person:1", as: Person.self).value == ann)
    }

    @Test("Each case has an empty cache of its own", .cache, arguments: 0..<3)
    func trait(_ number: Int) throws {
        let cache = try #require(CacheFixture.current).cache
        #expect(try cache.count(of: Person.self) == 0)
        try cache.write(Person(id: "\(number)", name: "Ann"))
    }

    @Test("Without the trait there is none")
    func noTrait() { #expect(CacheFixture.current == nil) }
}

@Suite("A check of a miss")
struct ExpectMissTests {
    @Test("A value, another reason and another node are errors")
    func errors() throws {
        let miss = CacheRead<Person>.miss(CacheMiss(.absent, "Person:1"))
        #expect(throws: UnexpectedRead.self) { try expectMiss(CacheRead.hit(ann)) }
        #expect(throws: UnexpectedRead.self) { try expectMiss(miss, .deleted) }
        #expect(throws: UnexpectedRead.self) { try expectMiss(miss, nil, "Person:2") }
        #expect(try expectMiss(miss, .absent, "Person:1").reason == .absent)
    }
}

@Suite("A scripted network")
struct ScriptedNetworkTests {
    private struct NoNetwork: Error {}

    private let network = ScriptedNetwork<Int, String>()

    @Test("Requests arrive in order, and are answered in the order that the test takes")
    func order() async throws {
        let first = Task { [network] in try await network.send(1) }
        let one = try await network.next()
        let second = Task { [network] in try await network.send(2) }
        let two = try await network.next()
        #expect([one.request, two.request] == [1, 2])
        #expect(two.answer("two"))
        #expect(try await second.value == "two")
        #expect(one.answer("one"))
        #expect(try await first.value == "one")
        #expect(!one.answer("again"))
    }

    @Test("A failure reaches the caller")
    func failure() async throws {
        let task = Task { [network] in try await network.send(1) }
        try await network.next().fail(NoNetwork())
        await #expect(throws: NoNetwork.self) { try await task.value }
    }

    @Test("A cancelled request throws at once, and its answer reaches no caller")
    func cancelled() async throws {
        let task = Task { [network] in try await network.send(1) }
        let call = try await network.next()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(!call.answer("late"))
    }

    @Test("A cancelled wait for a request takes none")
    func cancelledWait() async throws {
        let wait = Task { [network] in try await network.next() }
        wait.cancel()
        await #expect(throws: CancellationError.self) { try await wait.value }
        let task = Task { [network] in try await network.send(1) }
        try await network.next().answer("one")
        #expect(try await task.value == "one")
    }
}

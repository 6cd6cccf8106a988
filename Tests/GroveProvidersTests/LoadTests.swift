import Grove
import GroveCache
import Synchronization
import TestSupport
import Testing

/// Loads over a network that the test drives.
@MainActor
@Suite("Loads")
struct LoadTests {
    typealias People = CollectionDataProvider<Person>

    struct NoNetwork: Error {}

    let cache: HeldCache
    let manager: DataModelManager
    let network = Network()

    init() throws {
        cache = try HeldCache()
        manager = DataModelManager(cacheDelegate: cache, cacheTimeout: 3_600)
    }

    @Test("Those who ask for one key at once share one request, each has the answer, and it is stored once")
    func oneRequest() async throws {
        let providers = (0..<5).map { _ in DataProvider<Person>(dataModelManager: manager) }
        let loads = providers.map { provider in Task { try await person(provider, "1") } }
        let other = Task { try await person(DataProvider(dataModelManager: manager), "2") }
        await network.receives(2)
        await joined(providers)
        await network.answer("1", "new")
        for load in loads { #expect(try await load.value?.name == "new") }
        await network.answer("2", "other")
        #expect(try await other.value?.name == "other")
        #expect(network.asked.sorted() == ["1", "2"])
        let next = Task { try await person(providers[0], "1") }
        await network.receives(3)
        await network.answer("1", "newer")
        #expect(try await next.value?.name == "newer")
        await manager.flush()
        #expect(providers.map { $0.data?.name } == Array(repeating: "newer", count: 5))
    }

    @Test("Lists of one key share one request; one that asked for something else meanwhile keeps that")
    func lists() async throws {
        let lists = (0..<3).map { _ in People(dataModelManager: manager) }
        let loads = lists.map { list in
            Task { try await list.load(withCacheKey: "people") { [network] in [try await network.person("1")] } }
        }
        await network.receives(1)
        await waitUntil { lists.allSatisfy { if case .loading = $0.state { true } else { false } } }
        for _ in 0..<3 { await manager.flush() }
        lists[2].setData([Person(id: "9")], cacheKey: "others")
        lists[1].isPaused = true
        await network.answer("1", "new")
        for load in loads { #expect(try await load.value.map(\.name) == ["new"]) }
        #expect(network.asked == ["1"])
        #expect(lists.map { $0.data.map(\.id) } == [["1"], ["1"], ["9"]])
    }

    @Test("One that is cancelled ends at once, and the request goes on for the others; with the last it ends too")
    func cancelled() async throws {
        let providers = (0..<2).map { _ in DataProvider<Person>(dataModelManager: manager) }
        let loads = providers.map { provider in Task { try await person(provider, "1") } }
        await network.receives(1)
        await joined(providers)
        loads[0].cancel()
        await #expect(throws: CancellationError.self) { try await loads[0].value }
        #expect(network.cancelled == 0)
        await network.answer("1", "new")
        #expect(try await loads[1].value?.name == "new")

        let alone = Task { try await person(providers[0], "1") }
        await network.receives(2)
        alone.cancel()
        await #expect(throws: CancellationError.self) { try await alone.value }
        await waitUntil { network.cancelled > 0 }
        #expect(providers[0].data?.name == "new")
        if case .cached = providers[0].state {} else { Issue.record("the state is \(providers[0].state)") }
        let after = Task { try await person(providers[0], "1") }
        await network.receives(3)
        await network.answer("1", "after")
        #expect(try await after.value?.name == "after")
    }

    @Test("The answer to a load of before a wipe is not given to a load of after it")
    func wiped() async throws {
        let (before, after) = (
            DataProvider<Person>(dataModelManager: manager), DataProvider<Person>(dataModelManager: manager)
        )
        let old = Task { try await person(before, "1") }
        await network.receives(1)
        try await manager.wipe()
        await #expect(throws: CacheError.self) { try await old.value }
        let new = Task { try await person(after, "1") }
        await network.receives(2)
        #expect(before.data == nil && after.data == nil)
        await network.answer("1", "mine")
        #expect(try await new.value?.name == "mine")
    }

    @Test("A failure is tried again after waits that double, with the cached data shown; the last is the load's")
    func retries() async throws {
        try await cache.inner.write(Person(id: "1", name: "cached"))
        let provider = DataProvider<Person>(dataModelManager: manager)
        let clock = ManualClock()
        let retry = LoadRetry(3, after: .seconds(2), clock: clock) { $0 is NoNetwork }
        let load = Task {
            try await provider.load(withCacheKey: "Person:1", retry: retry) { [network] in
                try await network.person("1")
            }
        }
        for (attempt, wait) in [2, 4].enumerated() {
            await network.receives(attempt + 1)
            await network.fail("1", NoNetwork())
            await clock.sleeps()
            await waitUntil { provider.data != nil }
            #expect(provider.data?.name == "cached")
            if case .loading = provider.state {} else { Issue.record("the state is \(provider.state)") }
            clock.advance(.seconds(wait) - .milliseconds(1))
            #expect(network.asked.count == attempt + 1)
            clock.advance(.milliseconds(1))
        }
        await network.receives(3)
        await network.answer("1", "third")
        #expect(try await load.value?.name == "third")

        struct Refused: Error {}
        let refused = Task {
            try await provider.load(withCacheKey: "Person:1", retry: retry) { [network] in
                try await network.person("1")
            }
        }
        await network.receives(4)
        await network.fail("1", Refused())
        await #expect(throws: Refused.self) { try await refused.value }
        let waiting = Task {
            try await provider.load(withCacheKey: "Person:1", retry: retry) { [network] in
                try await network.person("1")
            }
        }
        await network.receives(5)
        await network.fail("1", NoNetwork())
        await clock.sleeps()
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        await clock.isIdle()
    }

    @Test("Pages are appended: one request at a time, none twice, and not to another list")
    func pages() async throws {
        let (list, sibling) = (People(dataModelManager: manager), People(dataModelManager: manager))
        list.setData([Person(id: "1"), Person(id: "2")], cacheKey: "people")
        sibling.fetchDataFromCache(withCacheKey: "people", completion: { _, _ in })
        @MainActor func more(_ list: People) -> Task<Int?, any Error> {
            Task {
                try await list.loadMore { [network] shown in
                    // The second page begins with what the first ended with: something was inserted on the server.
                    [try await network.person(shown.last?.id ?? ""), Person(id: "\(shown.count + 1)")]
                }
            }
        }
        let (first, second) = (more(list), more(sibling))
        await network.receives(1)
        for _ in 0..<3 { await manager.flush() }
        await network.answer("2", "changed")
        #expect(try await first.value == 2)
        #expect(try await second.value == 2)
        await manager.flush()
        #expect(list.data.map(\.id) == ["1", "2", "3"] && list[1].name == "changed")
        #expect(network.asked == ["2"])
        let third = more(list)
        await network.receives(2)
        list.setData([Person(id: "7")], cacheKey: "people")
        await network.answer("3", "late")
        #expect(try await third.value == nil)
        #expect(list.data.map(\.id) == ["7"])
        let fourth = more(list)
        await network.receives(3)
        await network.fail("7", NoNetwork())
        await #expect(throws: NoNetwork.self) { try await fourth.value }
        if case .failed = list.state {} else { Issue.record("the state is \(list.state)") }
        try await cache.inner.flush()
        await manager.flush()
        #expect(try cache.inner.collection("people", of: Person.self)?.map(\.id) == ["7"])
    }

    private func person(_ provider: DataProvider<Person>, _ id: String) async throws -> Person? {
        try await provider.load(withCacheKey: "Person:\(id)") { [network] in try await network.person(id) }
    }

    /// Returns when every provider has begun to load, and those whose request is another's have joined it.
    private func joined(_ providers: [DataProvider<Person>]) async {
        await waitUntil { providers.allSatisfy { if case .loading = $0.state { true } else { false } } }
        for _ in 0..<3 { await manager.flush() }
    }
}

/// A network whose answers the test gives.
final class Network: Sendable {
    private struct State {
        var asked: [String] = []
        var waiting: [(number: Int, id: String, answer: CheckedContinuation<Person, any Error>)] = []
        var cancelled: Set<Int> = []

        mutating func take(
            _ isMeant: (_ number: Int, _ id: String) -> Bool
        ) -> CheckedContinuation<Person, any Error>? {
            waiting.firstIndex { isMeant($0.number, $0.id) }.map { waiting.remove(at: $0).answer }
        }
    }

    private let state = Mutex(State())

    var asked: [String] { state.withLock { $0.asked } }
    var cancelled: Int { state.withLock { $0.cancelled.count } }

    func person(_ id: String) async throws -> Person {
        let number = state.withLock { state in
            state.asked.append(id)
            return state.asked.count
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isCancelled = state.withLock { state in
                    if state.cancelled.contains(number) { return true }
                    state.waiting.append((number, id, continuation))
                    return false
                }
                if isCancelled { continuation.resume(throwing: CancellationError()) }
            }
        } onCancel: {
            let answer = state.withLock { state in
                state.cancelled.insert(number)
                return state.take { other, _ in other == number }
            }
            answer?.resume(throwing: CancellationError())
        }
    }

    /// Returns when there were `count` requests.
    func receives(_ count: Int) async { await waitUntil { asked.count >= count } }

    func answer(_ id: String, _ name: String) async { await next(id).resume(returning: Person(id: id, name: name)) }

    func fail(_ id: String, _ error: any Error) async { await next(id).resume(throwing: error) }

    /// The oldest request for `id` that waits.
    private func next(_ id: String) async -> CheckedContinuation<Person, any Error> {
        while true {
            if let answer = state.withLock({ state in state.take { _, other in other == id } }) { return answer }
            await Task.yield()
        }
    }
}

/// A clock that the test moves.
final class ManualClock: Clock {
    struct Instant: InstantProtocol {
        var offset: Duration
        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (one: Instant, other: Instant) -> Bool { one.offset < other.offset }
    }

    private struct State {
        var now = Instant(offset: .zero)
        var sleepers: [Int: (until: Instant, wake: CheckedContinuation<Void, any Error>)] = [:]
        var cancelled: Set<Int> = []
        var count = 0
    }

    private let state = Mutex(State())

    var now: Instant { state.withLock { $0.now } }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let number = state.withLock { state in
            state.count += 1
            return state.count
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isCancelled = state.withLock { state in
                    if state.cancelled.contains(number) { return true }
                    state.sleepers[number] = (deadline, continuation)
                    return false
                }
                if isCancelled { continuation.resume(throwing: CancellationError()) }
            }
        } onCancel: {
            let sleeper = state.withLock { state in
                state.cancelled.insert(number)
                return state.sleepers.removeValue(forKey: number)
            }
            sleeper?.wake.resume(throwing: CancellationError())
        }
    }

    func advance(_ duration: Duration) {
        let woken = state.withLock { state in
            state.now = state.now.advanced(by: duration)
            let due = state.sleepers.filter { $0.value.until <= state.now }
            for number in due.keys { state.sleepers[number] = nil }
            return due.values.map(\.wake)
        }
        for sleeper in woken { sleeper.resume() }
    }

    /// Returns when a sleep has begun.
    func sleeps() async { await waitUntil { state.withLock { !$0.sleepers.isEmpty } } }

    /// Returns when no sleep goes on.
    func isIdle() async { await waitUntil { state.withLock { $0.sleepers.isEmpty } } }
}

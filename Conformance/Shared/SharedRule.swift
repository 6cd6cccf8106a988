package import GroveMemory
import GroveModel
package import GroveShared
import Synchronization

/// A promise that a ``FarTier`` and the ``NearCache`` over it keep together, and how to find out whether they do.
///
/// ```swift
/// @Test(arguments: SharedRule.all)
/// func keeps(rule: SharedRule) async throws { try await rule.check(over: OurWorld()) }
/// ```
public struct SharedRule: Sendable, CustomStringConvertible {
    /// Its name in the catalogue; never used again.
    public let name: String
    /// What is promised, in one sentence.
    public let promise: String
    /// Why it matters.
    public let reason: String
    /// The mutants that break it, each of which it finds.
    package let kills: [TierMutant.Mutation]
    /// Throws if the promise is broken.
    package let check: @Sendable (SharedTrial) async throws -> Void

    /// Its name.
    public var description: String { name }

    /// All rules.
    public static let all = content + faults

    /// Checks it over an empty database, which no other rule may use.
    ///
    /// - Throws: ``SharedBroken`` if the promise is broken, or what a call throws that should have succeeded.
    public func check(over world: any FarWorld) async throws { try await check(SharedTrial(world)) }
}

/// A rule was broken.
public struct SharedBroken: Error, CustomStringConvertible {
    package init(description: String) { self.description = description }

    /// What was read, and what should have been.
    public let description: String
}

/// One world with one machine's cache over it.
package final class SharedTrial: Sendable {
    package let world: any FarWorld
    package let store: MemoryCache
    package let near: NearCache<MemoryStore>
    private let clock: TrialClock

    /// Makes an empty cache over `world`; its clock stands still until ``pass(_:)``.
    ///
    /// - Parameter isClockStopped: whether it stands still for ever, as if no cache looked at it: a mutant.
    package init(_ world: any FarWorld, timeLimit: Duration = .seconds(5), isClockStopped: Bool = false) throws {
        self.world = world
        store = try MemoryCache()
        let clock = TrialClock(isStopped: isClockStopped)
        near = NearCache(store: store, far: world.far, patience: .seconds(1), timeLimit: timeLimit) { clock.now }
        self.clock = clock
    }

    /// Lets time pass on the cache's clock.
    package func pass(_ duration: Duration) { clock.pass(duration) }

    /// Another worker of the same machine, which just started.
    package func secondWorker(timeLimit: Duration = .seconds(5)) -> NearCache<MemoryStore> {
        machine(store, timeLimit: timeLimit)
    }

    /// A worker of the machine whose store is `store`.
    package func machine(_ store: MemoryCache, timeLimit: Duration = .seconds(5)) -> NearCache<MemoryStore> {
        NearCache(store: store, far: world.far, patience: .seconds(1), timeLimit: timeLimit) { [clock] in clock.now }
    }

    /// Commits a note as another machine does.
    @discardableResult
    package func put(_ id: String, _ text: String) async throws -> FeedNumber {
        try await world.commit([.put(Note(id, text))])
    }

    /// The text of a note, read through the cache.
    package func text(_ id: String, _ freshness: Freshness = .near) async throws -> String? {
        try await near.model(ModelIdentifier("Note:\(id)"), as: Note.self, freshness)?.text
    }

    package func expect<Value: Equatable>(_ value: Value, _ expected: Value, _ what: String) throws {
        guard value == expected else { throw SharedBroken(description: "\(what): \(value) instead of \(expected)") }
    }

    /// Expects that `body` throws one of `codes`.
    package func expect(
        _ codes: Set<SharedError.Code>, _ what: String, _ body: () async throws -> some Sendable
    ) async throws {
        do {
            let value = try await body()
            throw SharedBroken(description: "\(what): \(value) instead of an error \(codes)")
        } catch let error as SharedError {
            guard codes.contains(error.code) else { throw SharedBroken(description: "\(what): \(error)") }
        }
    }
}

/// A clock that a rule sets.
private final class TrialClock: Sendable {
    private let time = Mutex(Duration.zero)
    private let isStopped: Bool

    init(isStopped: Bool) { self.isStopped = isStopped }

    var now: Duration { time.withLock { $0 } }

    func pass(_ duration: Duration) { if !isStopped { time.withLock { $0 += duration } } }
}

/// A gate that is closed until it is opened.
package final class Barrier: Sendable {
    private let state = Mutex<(isOpen: Bool, arrived: Int, waiting: [CheckedContinuation<Void, Never>])>((false, 0, []))
    private let arrivals = Mutex<[CheckedContinuation<Void, Never>]>([])

    package init() {}

    /// Waits until it is open.
    package func pass() async {
        let arrived = arrivals.withLock { arrivals in
            defer { arrivals = [] }
            state.withLock { $0.arrived += 1 }
            return arrivals
        }
        for one in arrived { one.resume() }
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiting.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }

    /// Returns when a task waits at it.
    package func arrival() async {
        await withCheckedContinuation { continuation in
            let isThere = arrivals.withLock { arrivals in
                let isThere = state.withLock { $0.arrived > 0 }
                if !isThere { arrivals.append(continuation) }
                return isThere
            }
            if isThere { continuation.resume() }
        }
    }

    /// Lets all through, now and later.
    package func open() {
        let waiting = state.withLock { state in
            defer { state.waiting = [] }
            state.isOpen = true
            return state.waiting
        }
        for one in waiting { one.resume() }
    }
}

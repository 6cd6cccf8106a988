import GroveModel
import Synchronization

/// The cache's state behind its lock, and the little of it that a read looks at without.
///
/// While nothing is queued and nothing has failed, a view alone shows all there is. A reader that knows the store from its last read
/// asks ``isValid(_:)`` then, and takes no lock.
final class SharedState: Sendable {
    private let lock: Lock<CacheState>
    /// The epoch while a view shows all there is, and 0 at other times; set before the lock is let go of.
    private let plainEpoch = Atomic<UInt64>(0)
    /// ``CacheState/commitCount``, as of the same moment.
    private let commitCount = Atomic<UInt64>(0)

    init(_ state: CacheState) {
        lock = Lock(state)
        publish(state)
    }

    /// Runs `body` with the state while no other thread does; not to be called inside `body`.
    @inline(__always)
    func withLock<Result, Failure: Error>(
        _ body: (inout CacheState) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try lock.withLock { state throws(Failure) in
            defer { publish(state) }
            return try body(&state)
        }
    }

    /// Whether a view of the store that `start` names still shows all there is, as far as this process knows.
    ///
    /// It does not where other processes have committed or replaced the files since the writer last looked: that is to be noted, under the lock.
    func isValid(_ start: PlainStart) -> Bool {
        guard plainEpoch.load(ordering: .acquiring) == start.epochNumber else { return false }
        guard let generation = start.store.generation else { return true }
        return generation.word == start.word && generation.commitCount == commitCount.load(ordering: .relaxed)
    }

    private func publish(_ state: borrowing CacheState) {
        let epoch = state.isPlain ? state.epoch.current : 0
        if plainEpoch.load(ordering: .relaxed) != epoch { plainEpoch.store(epoch, ordering: .releasing) }
        let commits = state.commitCount
        if commitCount.load(ordering: .relaxed) != commits { commitCount.store(commits, ordering: .relaxed) }
    }
}

/// What a read begins with where a view alone shows all there is.
///
/// The next read of the same reader begins with it too, as long as ``SharedState/isValid(_:)``: each failed call and each opening of
/// the store gives the epoch another number.
struct PlainStart: Sendable {
    let store: OpenStore
    let epochNumber: UInt64
    /// The generation's word, where other processes may have the store open.
    let word: UInt64?
}

/// How often something happened that a read must not miss between its look at the queue and its view of the store: a call
/// failed, or the store was opened again.
final class ReadEpoch: Sendable {
    private let number = Atomic<UInt64>(1)

    /// Never 0.
    var current: UInt64 { number.load(ordering: .acquiring) }

    func advance() { number.add(1, ordering: .releasing) }
}

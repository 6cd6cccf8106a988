public import GroveCoding
public import GroveModel
import Synchronization

/// A database in memory, for tests: it numbers commits and keeps a feed, as ``FarTier`` requires.
///
/// A test puts it behind a ``GatedTier`` to delay, cut and reorder calls.
public final class MemoryFarTier: FarTier {
    /// Makes a model from a row; `find` gives the rows to which the row refers.
    public typealias Tree = @Sendable (_ row: any CacheableModel, _ find: Find) -> any CacheableModel
    /// The row of an identifier, in the same snapshot.
    public typealias Find = (ModelIdentifier) -> (any CacheableModel)?

    private struct State {
        var feed: FeedIdentity
        var rows: [ModelIdentifier: any CacheableModel] = [:]
        var last = FeedNumber(0)
        /// The last commit that is not in ``changes``; all later ones are.
        var trimmed = FeedNumber(0)
        var changes: [ModelIdentifier: FeedNumber] = [:]
        var written: [WriteTicket: FeedNumber] = [:]
        var loss: Loss?

        func word(after position: FeedPosition?) -> FeedWord {
            let now = FeedPosition(feed: feed, number: last)
            guard let position, position.feed == feed, position.number >= trimmed else {
                return FeedWord(position: now, changes: nil)
            }
            return FeedWord(position: now, changes: changes.filter { $0.value > position.number })
        }
    }

    /// The moment at which the connection of a write is lost.
    public enum Loss: Sendable {
        /// After the commit.
        case afterCommit
        /// Before the commit, so that nothing is written.
        case beforeCommit
    }

    private let state: Mutex<State>
    private let tree: Tree
    private let waiting = Mutex<[UInt64: FirstOf<Void>]>([:])

    /// Makes an empty database.
    ///
    /// - Parameter tree: makes a model from a row. By default the row is the model.
    public init(tree: @escaping Tree = { row, _ in row }) {
        state = Mutex(State(feed: Self.newFeed()))
        self.tree = tree
    }

    // MARK: The tier

    /// See ``FarTier/fetch(_:after:)``.
    public func fetch(
        _ identifiers: [ModelIdentifier], after position: FeedPosition?
    ) async throws(SharedError) -> FarSnapshot {
        state.withLock { state in
            var models: [ModelIdentifier: any CacheableModel] = [:]
            let rows = state.rows
            for identifier in identifiers {
                models[identifier] = rows[identifier].map { tree($0) { rows[$0] } }
            }
            return FarSnapshot(models: models, word: state.word(after: position))
        }
    }

    /// See ``FarTier/feed(after:)``.
    public func feed(after position: FeedPosition?) async throws(SharedError) -> FeedWord {
        state.withLock { $0.word(after: position) }
    }

    /// See ``FarTier/wait(atMost:)``.
    public func wait(atMost limit: Duration) async {
        let first = FirstOf<Void>()
        let key = UInt64.random(in: .min ... .max)
        waiting.withLock { $0[key] = first }
        let alarm = Task {
            try? await Task.sleep(for: limit)
            first.offer(())
        }
        await withTaskCancellationHandler {
            await first.value()
        } onCancel: {
            first.offer(())
        }
        alarm.cancel()
        _ = waiting.withLock { $0.removeValue(forKey: key) }
    }

    /// See ``FarTier/write(_:)``.
    public func write(_ changes: [FarChange]) async throws(SharedError) -> FeedNumber {
        let ticket = WriteTicket(String(UInt64.random(in: .min ... .max)))
        let (number, loss) = state.withLock { state -> (FeedNumber, Loss?) in
            let loss = state.loss
            state.loss = nil
            guard loss != .beforeCommit else { return (state.last, loss) }
            let number = FeedNumber(state.last.rawValue + 1)
            for change in changes {
                let (identifier, row) =
                    switch change {
                    case .put(let model): (model.modelIdentifier, model as (any CacheableModel)?)
                    case .delete(let identifier): (identifier, nil)
                    }
                guard let identifier else { continue }
                state.rows[identifier] = row
                state.changes[identifier] = number
            }
            state.last = number
            state.written[ticket] = number
            return (number, loss)
        }
        for first in waiting.withLock({ Array($0.values) }) { first.offer(()) }
        guard loss == nil else {
            throw SharedError(.outcomeUnknown, "The connection was lost in the commit.", ticket: ticket)
        }
        return number
    }

    /// See ``FarTier/outcome(of:)``.
    public func outcome(of ticket: WriteTicket) async throws(SharedError) -> FarOutcome {
        state.withLock { $0.written[ticket] }.map { .committed($0) } ?? .notCommitted
    }

    // MARK: What a test does to it

    /// Loses the connection of the next write.
    public func loseNextWrite(_ loss: Loss) { state.withLock { $0.loss = loss } }

    /// Forgets the feed up to now: a cache with an older position is told that everything may have changed.
    public func trim() {
        state.withLock { state in
            state.trimmed = state.last
            state.changes = [:]
        }
    }

    /// Gives the feed another identity and begins its numbers again, as a restored backup must.
    public func renew() {
        state.withLock { state in
            (state.feed, state.last, state.trimmed) = (Self.newFeed(), FeedNumber(0), FeedNumber(0))
            state.changes = [:]
        }
    }

    /// A copy of the database as it is now, which gets no later commit: a lagging replica.
    public func replica() -> MemoryFarTier {
        let copy = MemoryFarTier(tree: tree)
        let now = state.withLock { $0 }
        copy.state.withLock { $0 = now }
        return copy
    }

    /// Takes the state of `other`, as after a fail-over to it.
    public func failOver(to other: MemoryFarTier) {
        let now = other.state.withLock { $0 }
        state.withLock { $0 = now }
    }

    private static func newFeed() -> FeedIdentity { FeedIdentity(String(UInt64.random(in: .min ... .max), radix: 16)) }
}

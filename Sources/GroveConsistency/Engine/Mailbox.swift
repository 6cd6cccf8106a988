import GroveModel
import Synchronization

/// What the engine has for the main actor, in order.
///
/// The engine puts and goes on. At most one hop is under way; it takes everything that is there when it arrives.
final class Mailbox: Sendable {
    typealias Item = @MainActor @Sendable () -> Void

    private struct State {
        var items: [(sequence: UInt64, isNews: Bool, item: Item)] = []
        var isHopping = false
        var held: Duration = .zero
        var longestHold: Duration = .zero
        var hops = 0
    }

    private let state = Mutex(State())

    /// Puts an item, and hops if nobody is on the way.
    func put(sequence: UInt64, isNews: Bool, _ item: @escaping Item) {
        let mustHop = state.withLock { state in
            state.items.append((sequence, isNews, item))
            defer { state.isHopping = true }
            return !state.isHopping
        }
        if mustHop { Task { @MainActor in self.empty() } }
    }

    /// Drops the news of updates up to `sequence`; completions stay, which are called whatever happens.
    func drop(through sequence: UInt64) {
        let dropped = state.withLock { state in
            let dropped = state.items
            state.items.removeAll { $0.isNews && $0.sequence <= sequence }
            return dropped
        }
        _ = dropped
    }

    @MainActor
    private func empty() {
        let start = ContinuousClock.now
        defer {
            let time = ContinuousClock.now - start
            state.withLock { state in
                state.held += time
                state.longestHold = max(state.longestHold, time)
                state.hops += 1
            }
        }
        while true {
            let items = state.withLock { state in
                let items = state.items
                state.items = []
                if items.isEmpty { state.isHopping = false }
                return items
            }
            if items.isEmpty { return }
            for (_, _, item) in items { item() }
        }
    }

    /// How long the main actor was held so far, at most at once, and how often.
    var measures: (held: Duration, longestHold: Duration, hops: Int) {
        state.withLock { ($0.held, $0.longestHold, $0.hops) }
    }
}

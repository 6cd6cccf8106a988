package import GroveModel

/// Items for the main actor, in order.
///
/// Putting never waits. At most one hop is under way; it takes the items that are there when it arrives. An item that
/// is put meanwhile waits for the next hop, so that receivers that answer each other do not keep the main actor from
/// other work.
package final class Mailbox: Sendable {
    package typealias Item = @MainActor @Sendable () -> Void

    private struct State {
        /// The items; those before `next` are gone.
        var items: [(sequence: Turn, isNews: Bool, item: Item?)] = []
        var next = 0
        var isHopping = false
        /// News of updates up to this one are not wanted.
        var dropped = Turn.zero
        var held: Duration = .zero
        var longestHold: Duration = .zero
        var hops = 0

        var waiting: Int { items.count - next }

        mutating func take() -> Item? {
            guard next < items.count else { return nil }
            defer {
                items[next].item = nil
                next += 1
                if next == items.count {
                    items.removeAll(keepingCapacity: items.count <= 1_024)
                    next = 0
                }
            }
            return items[next].item
        }
    }

    private let state = Lock(State())

    package init() {}

    /// Puts an item, and hops if no hop is under way.
    package func put(sequence: Turn = .zero, isNews: Bool = false, _ item: @escaping Item) {
        let mustHop = state.withLock { state in
            if isNews, sequence <= state.dropped { return false }
            state.items.append((sequence, isNews, item))
            defer { state.isHopping = true }
            return !state.isHopping
        }
        if mustHop { hop() }
    }

    /// Drops the news of updates up to `sequence`, also those that are still to come; completions stay, which are
    /// called in every case.
    func drop(through sequence: Turn) {
        let dropped = state.withLock { state in
            let dropped = state.items
            state.items.removeSubrange(..<state.next)
            state.next = 0
            state.dropped = max(state.dropped, sequence)
            state.items.removeAll { $0.isNews && $0.sequence <= sequence }
            return dropped
        }
        _ = dropped
    }

    private func hop() { Task { @MainActor in self.empty() } }

    @MainActor
    private func empty() {
        let start = ContinuousClock.now
        for _ in 0..<state.withLock({ $0.waiting }) {
            // One by one: an item may drop those behind it.
            guard let item = state.withLock({ $0.take() }) else { break }
            item()
        }
        let time = ContinuousClock.now - start
        let isDone = state.withLock { state in
            state.held += time
            state.longestHold = max(state.longestHold, time)
            state.hops += 1
            state.isHopping = state.waiting > 0
            return !state.isHopping
        }
        if !isDone { hop() }
    }

    /// The time for which the main actor was held, in all and at most at once, and the number of hops.
    var measures: (held: Duration, longestHold: Duration, hops: Int) {
        state.withLock { ($0.held, $0.longestHold, $0.hops) }
    }
}

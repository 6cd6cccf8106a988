import Dispatch
import GroveModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The calls that wait for an engine's serial queue, each with its place in the order of calls.
///
/// Any thread may use it.
struct CallQueue: Sendable {
    /// A call that waits for its turn.
    struct Call {
        let sequence: Turn
        let isCancellable: Bool
        let time: Date
        let work: @Sendable (Engine) -> Void
    }

    private struct Order {
        var last = Turn.zero
        var cancelled = Turn.zero
        var nextKey = 0
        /// Calls that wait for the queue, which has been asked to carry them out if there are any.
        var inbox: [Call?] = []
    }

    let queue = DispatchQueue(label: "grove.consistency", qos: .userInitiated)
    private let order = Lock(Order())
    private let now: @Sendable () -> Date

    init(now: @escaping @Sendable () -> Date) { self.now = now }

    /// Adds a call, and says whether it is the first that waits: then the queue must be asked to carry out the calls.
    func add(
        isCancellable: Bool, at time: Date?, _ work: @escaping @Sendable (Engine) -> Void
    ) -> (sequence: Turn, isFirst: Bool) {
        let time = time ?? now()
        return order.withLock { order in
            order.last = order.last.next
            order.inbox.append(Call(sequence: order.last, isCancellable: isCancellable, time: time, work: work))
            return (order.last, order.inbox.count == 1)
        }
    }

    /// Takes the calls that wait, and leaves the empty `calls` for the next.
    func take(_ calls: inout [Call?]) { order.withLock { swap(&$0.inbox, &calls) } }

    /// Whether the call made at `sequence` was cancelled since.
    func isCancelled(_ sequence: Turn) -> Bool { order.withLock { $0.cancelled >= sequence } }

    /// Cancels the calls that were made before, and returns the place of the last.
    func cancelAll() -> Turn {
        order.withLock { order in
            order.cancelled = order.last
            return order.last
        }
    }

    func takeKey() -> Int {
        order.withLock { order in
            order.nextKey += 1
            return order.nextKey
        }
    }
}

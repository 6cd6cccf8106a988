import Dispatch
import GroveModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The state of a consistency manager and the work on it, which happens on one serial queue.
///
/// The trees of all listeners are indexed: from an identifier to the places at which it occurs, and from each place to
/// its parent. An update visits the posted models and the places that it changes, and nothing else.
// SAFETY: all but the queue, the order and the mailbox is touched on `queue` alone, or in `deinit` when it is empty.
final class Engine: @unchecked Sendable {
    let queue = DispatchQueue(label: "grove.consistency", qos: .userInitiated)
    let mailbox = Mailbox()
    let turn = DeliveryTurn()
    private let order = Lock(Order())

    /// The place of the call under way in the order of calls.
    var sequence = Turn.zero
    /// The turn as of which the change under way was read, if it is an earlier one.
    var asOf: Turn?
    /// The turn at which the request was sent whose answer is being applied.
    var asked: Turn?
    /// The time at which the call under way was made.
    var time = Date.distantPast
    /// An empty array whose room the next calls use.
    private var spareCalls: [Call?] = []
    /// The change under way: several make one delivery.
    var mark = ChangeMark.none
    /// The delivery under way.
    var round = Round.none

    var index: [ModelIdentifier: Occurrences] = [:]
    /// The identifiers in the index, for other threads.
    let held = HeldIdentifiers()
    /// Whether ``held`` is kept.
    private(set) var keepsHeld = false
    /// The identifiers that the call under way has released and may take again, as if a list is set again.
    var released: [ModelIdentifier] = []
    var subscriptions: [Int: Subscription] = [:]
    /// The identifiers of which one place may hold another value than another place.
    var mixed: Set<ModelIdentifier> = []
    /// The updates since the oldest fetch that is under way, while there is one.
    var log = ChangeLog()
    /// The changes since the oldest request that is open.
    var requests = RequestLog()
    /// The commits of others since the oldest read or request that is open.
    var learned = LearnedCommits()
    /// The closure that is told of stale nodes that a read or an answer has brought, and whether everything was emptied.
    var tellStale: ConsistencyManager.StaleHandler?
    var predicates: [ObjectIdentifier: [Int: PredicateSubscription]] = [:]

    /// Whether the change under way met two versions of one model that do not come from two projections.
    var hasContradiction = false

    /// The numbers of identifiers that the change under way brought and no listener had: all of them, and those that a
    /// listener has now.
    var newlyPosted = 0
    var newlyKnown = 0

    // The work of the change under way.

    /// Places that were made during the change and hold a model that it brings.
    var late: [TreeNode] = []
    /// Places with a changed child.
    var dirty: [TreeNode] = []

    // The parts of the delivery under way.

    var roundTrees: [Tree] = []
    var roundSubscriptions: [Subscription] = []
    var adopted: [Subscription] = []
    var adoptedElements: [Membership] = []
    /// Identifiers that a subscription waits for and that have a place now.
    var reached: [Occurrences] = []
    var replacements: [Replacement] = []
    var wantsReplacements = false

    /// The closure that is told of errors.
    let reportError: @MainActor @Sendable (CacheError) -> Void

    private struct Order {
        var last = Turn.zero
        var cancelled = Turn.zero
        var nextKey = 0
        /// Calls that wait for the queue, which has been asked to carry them out if there are any.
        var inbox: [Call?] = []
    }

    /// A call that waits for its turn.
    private struct Call {
        let sequence: Turn
        let isCancellable: Bool
        let time: Date
        let work: @Sendable (Engine) -> Void
    }

    struct Replacement: Sendable {
        let old: any Model
        let new: (any Model)?
    }

    let reportReplacements: @MainActor @Sendable ([Replacement], (any Sendable)?) -> Void
    private let now: @Sendable () -> Date

    init(
        now: @escaping @Sendable () -> Date,
        reportError: @escaping @MainActor @Sendable (CacheError) -> Void,
        reportReplacements: @escaping @MainActor @Sendable ([Replacement], (any Sendable)?) -> Void
    ) {
        self.now = now
        self.reportError = reportError
        self.reportReplacements = reportReplacements
    }

    deinit {
        // Nodes and registers hold each other.
        for occurrences in index.values {
            for node in occurrences.nodes { node.occurrences = nil }
            for tree in occurrences.trees { Engine.clear(tree) }
        }
        for subscription in subscriptions.values { Engine.clear(subscription) }
    }

    /// Takes a place in the order of calls and runs `work` there, on the queue.
    ///
    /// Calls that come while others wait cost no dispatch of their own.
    ///
    /// - Parameter time: the time of the call, which every receiver of its changes is told; now if it is `nil`.
    @discardableResult
    func enqueue(
        isCancellable: Bool = false, at time: Date? = nil, _ work: @escaping @Sendable (Engine) -> Void
    ) -> Turn {
        let time = time ?? now()
        let (sequence, isFirst) = order.withLock { order in
            order.last = order.last.next
            order.inbox.append(Call(sequence: order.last, isCancellable: isCancellable, time: time, work: work))
            return (order.last, order.inbox.count == 1)
        }
        if isFirst { queue.async { self.carryOut() } }
        return sequence
    }

    /// Carries out the calls that wait, and releases each before the next.
    private func carryOut() {
        var calls = spareCalls
        spareCalls = []
        order.withLock { swap(&$0.inbox, &calls) }
        if !keepsHeld, held.isWanted {
            keepsHeld = true
            held.replace(with: index.values.lazy.filter { !$0.nodes.isEmpty }.map(\.identifier))
        }
        for place in calls.indices {
            guard let call = calls[place] else { continue }
            calls[place] = nil
            if call.isCancellable, order.withLock({ $0.cancelled >= call.sequence }) { continue }
            sequence = call.sequence
            time = call.time
            call.work(self)
            if !reached.isEmpty { round(context: nil) {} }
            if !released.isEmpty { release() }
        }
        calls.removeAll(keepingCapacity: calls.count <= 1_024)
        spareCalls = calls
    }

    /// Removes from ``held`` the identifiers that the call has released and not taken again.
    private func release() {
        for identifier in released where index[identifier]?.nodes.isEmpty ?? true { held.remove(identifier) }
        released = []
    }

    /// Whether the call under way was cancelled since it was made.
    var isCancelled: Bool { order.withLock { $0.cancelled >= sequence } }

    /// Whether the call made at `sequence` was cancelled since.
    func isCancelled(_ sequence: Turn) -> Bool { order.withLock { $0.cancelled >= sequence } }

    /// Cancels the updates that are queued or on their way to the main actor.
    func cancelAll() {
        let sequence = order.withLock { order in
            order.cancelled = order.last
            return order.last
        }
        mailbox.drop(through: sequence)
    }

    func takeKey() -> Int {
        order.withLock { order in
            order.nextKey += 1
            return order.nextKey
        }
    }

    /// Puts `item` behind everything that was delivered before, on the main actor.
    ///
    /// - Parameter isNews: whether the item goes with the updates that are cancelled.
    func deliver(isNews: Bool = false, _ item: @escaping Mailbox.Item) {
        mailbox.put(sequence: sequence, isNews: isNews, item)
    }

    static func clear(_ tree: Tree) {
        for membership in tree.memberships { membership.tree = nil }
    }

    static func clear(_ subscription: Subscription) {
        subscription.membership?.tree = nil
        subscription.membership = nil
        for membership in subscription.elements.values { membership.tree = nil }
        subscription.elements = [:]
        subscription.awaited = nil
        subscription.awaitedElements = [:]
    }
}

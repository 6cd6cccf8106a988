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
// SAFETY: all but the calls, the mailbox, the turn and the reporter is touched on the queue alone, or in `deinit` when
// the queue is empty.
final class Engine: @unchecked Sendable {
    let calls: CallQueue
    let mailbox = Mailbox()
    let turn = DeliveryTurn()
    let reporter: Reporter

    /// An empty array whose room the next calls use.
    private var spareCalls: [CallQueue.Call?] = []
    var call = CallUnderWay()
    var change = TreeChange()
    var news = News()

    var index: PlaceIndex
    var subscriptions: [Int: Subscription] = [:]
    var predicates: [ObjectIdentifier: [Int: PredicateSubscription]] = [:]
    var recent = RecentChanges()

    init(now: @escaping @Sendable () -> Date, held: HeldIdentifiers, reporter: Reporter) {
        calls = CallQueue(now: now)
        index = PlaceIndex(held: held)
        self.reporter = reporter
    }

    deinit {
        // Nodes and registers hold each other.
        for occurrences in index.registers.values {
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
        let (sequence, isFirst) = calls.add(isCancellable: isCancellable, at: time, work)
        if isFirst { calls.queue.async { self.carryOut() } }
        return sequence
    }

    /// Carries out the calls that wait, and releases each before the next.
    private func carryOut() {
        var waiting = spareCalls
        spareCalls = []
        calls.take(&waiting)
        index.keepHeldIfWanted()
        for place in waiting.indices {
            guard let next = waiting[place] else { continue }
            waiting[place] = nil
            if next.isCancellable, calls.isCancelled(next.sequence) { continue }
            call = CallUnderWay(sequence: next.sequence, time: next.time)
            next.work(self)
            if !news.reached.isEmpty { round(context: nil) {} }
            index.release()
        }
        waiting.removeAll(keepingCapacity: waiting.count <= 1_024)
        spareCalls = waiting
    }

    /// Whether the call under way was cancelled since it was made.
    var isCancelled: Bool { calls.isCancelled(call.sequence) }

    /// Cancels the updates that are queued or on their way to the main actor.
    func cancelAll() { mailbox.drop(through: calls.cancelAll()) }

    /// Puts `item` behind everything that was delivered before, on the main actor.
    ///
    /// - Parameter isNews: whether the item goes with the updates that are cancelled.
    func deliver(isNews: Bool = false, _ item: @escaping Mailbox.Item) {
        mailbox.put(sequence: call.sequence, isNews: isNews, item)
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

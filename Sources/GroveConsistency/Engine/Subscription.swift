import GroveModel

/// A listener as the engine knows it: the models that it listens to, and the destination of its news.
final class Subscription {
    /// The destination of news.
    enum Sink {
        /// To the main actor.
        case main(any DeliveryReceiver)
        /// To a stream, from the engine's queue.
        case stream(@Sendable (Delivery) -> Void)
    }

    let key: Int
    let sink: Sink
    /// The number of the last model that the listener set by itself; news from before are ignored.
    var generation = 0
    /// The tree, for a listener to one model.
    var membership: Membership?
    /// The elements by handle, for a listener to a collection.
    var elements: [Int: Membership] = [:]
    /// The elements that have no model yet, by handle.
    var awaitedElements: [Int: Occurrences] = [:]
    /// The register of the identifier that this subscription waits for.
    var awaited: Occurrences?
    /// The identifier to wait for again when the model is deleted.
    var awaitedIdentifier: ModelIdentifier?
    /// The type that this subscription takes, if it is known.
    var type: (any SimpleModel.Type)?
    var accepts: @Sendable (any Model) -> Bool = { _ in true }

    /// The place, in the order of calls, of the last news for this subscription.
    var lastNews = Turn.zero
    /// The turn of the last fetch that was begun for this subscription; it ignores the results of earlier ones.
    var latestFetch = Turn.zero
    /// The round whose news are being collected, and these news.
    var round = Round.none
    var changedElements: [ElementChange] = []
    var updates = ModelUpdates()
    /// The round in which this subscription got the model that it waited for.
    var adoptedRound = Round.none
    /// The round of the update that this subscription made by itself, of which it is not told.
    var ownRound = Round.none

    init(key: Int, sink: Sink) {
        self.key = key
        self.sink = sink
    }
}

/// A listener's number.
package struct SubscriptionKey: Hashable, Sendable {
    package let rawValue: Int
}

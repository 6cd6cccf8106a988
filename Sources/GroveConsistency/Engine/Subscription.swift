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

    /// The news of a collection, which has some if an element has changed.
    struct ElementNews {
        var changes: [ElementChange] = []
        var updates = ModelUpdates()
    }

    /// The round in which a subscription got its model.
    enum Acquisition: Equatable {
        /// Before the round under way, or not yet.
        case earlier
        /// The round in which it got the model that it waited for.
        case adopted(Round)
        /// The round of the update that it made by itself, of which it is not told.
        case own(Round)
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
    let type: (any SimpleModel.Type)?

    /// The turn of the last fetch that was begun for this subscription; `nil` if its result is not wanted any more.
    ///
    /// It ignores the results of other fetches.
    var fetch: Turn?
    /// The news of its elements in the round under way.
    var news = ElementNews()
    var acquired = Acquisition.earlier

    init(key: Int, sink: Sink, type: (any SimpleModel.Type)? = nil) {
        self.key = key
        self.sink = sink
        self.type = type
    }

    /// Whether the subscription takes `model`.
    func accepts(_ model: any Model) -> Bool {
        func isOf<T: SimpleModel>(_ type: T.Type) -> Bool { Leaf.base(model) is T }
        return type.map { isOf($0) } ?? true
    }
}

/// A listener's number.
package struct SubscriptionKey: Hashable, Sendable {
    package let rawValue: Int
}

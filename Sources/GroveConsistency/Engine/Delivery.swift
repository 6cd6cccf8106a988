package import GroveModel

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// The news of one update for one listener.
package struct Delivery: Sendable {
    /// The content of the news.
    package enum Content: Sendable {
        /// The newest version of the tree; `nil` if its root was deleted.
        case tree((any Model)?)
        /// The elements that changed, in no order.
        case elements([ElementChange])
    }

    package let content: Content
    package let updates: ModelUpdates
    package let context: (any Sendable)?
    /// The listener's generation when the news were made.
    package let generation: Int
    /// The update's place in the order of calls.
    package let sequence: Turn
    /// The time of the update: the same for every receiver.
    package let time: Date
}

/// The newest version of one element of a collection; `nil` if it was deleted.
package struct ElementChange: Sendable {
    package let handle: Int
    package let model: (any Model)?
}

/// A receiver on the main actor to which the engine delivers.
@MainActor
package protocol DeliveryReceiver: AnyObject, Sendable {
    /// Takes news, which may be out of date: their generation says.
    func receive(_ delivery: Delivery)

    /// Every receiver that the update affects was told.
    func finishUpdate(context: (any Sendable)?)
}

extension DeliveryReceiver {
    package func finishUpdate(context: (any Sendable)?) {}
}

/// Whether receivers are being told of an update, and the calls that wait until all of them were told.
@MainActor
final class DeliveryTurn: Sendable {
    private(set) var isDelivering = false
    var afterwards: [@MainActor () -> Void] = []

    nonisolated init() {}

    func deliver(_ body: @MainActor () -> Void) {
        isDelivering = true
        body()
        isDelivering = false
        let waiting = afterwards
        afterwards = []
        for body in waiting { body() }
    }
}

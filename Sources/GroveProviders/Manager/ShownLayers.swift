import GroveConsistency
package import GroveModel

/// The layers over the confirmed models: the interface that pending changes need, see
/// Docs/Internals/Decisions/0038-pending-changes.md.
///
/// A manager without layers asks for them once in each change, and does nothing else.
@MainActor
package protocol ShownLayers: AnyObject, Sendable {
    /// Whether nothing is pending, so that everything is shown as it is.
    var isEmpty: Bool { get }

    /// Takes a confirmed tree that a screen holds from now on; `nil` if the model of `identifier` was deleted.
    func learn(_ model: (any Model)?, of identifier: ModelIdentifier?)

    /// `model` with the layers over it; `nil` if they delete it.
    func shown(_ model: any Model) -> (any Model)?

    /// The elements of the list under `key`, or of a part of it, with the layers over it; `nil` if they leave it as it
    /// is.
    ///
    /// An element whose place is not in that part is not shown.
    ///
    /// - Parameters:
    ///   - identifiers: the identifiers of the elements of the confirmed list, in order.
    ///   - ends: the ends of the list that these reach.
    func list(_ key: String, _ identifiers: [ModelIdentifier?], _ ends: ShownEnds) -> [LayeredElement]?

    /// Takes the context of an update, before any screen is told of it.
    func begin(_ context: (any Sendable)?)

    /// Everything was wiped.
    func clear()
}

/// The ends of a list that are shown.
package struct ShownEnds: Sendable {
    package let isAtFirst: Bool
    package let isAtLast: Bool
    static let both = ShownEnds(isAtFirst: true, isAtLast: true)
}

/// An element of a list that has layers over it.
package enum LayeredElement: Sendable {
    /// The confirmed element at an index.
    case confirmed(Int)
    /// An element that is pending; `former` is the identifier that it had before the server gave it one.
    case pending(any Model, former: ModelIdentifier?)
}

/// A screen that shows models, and shows them again when a layer over them has changed.
@MainActor
protocol LayeredScreen: AnyObject {
    /// Shows the data with the layers as they are now; tells if that is a change.
    func showLayers(context: (any Sendable)?)
    /// The confirmed model of `identifier` that this shows, as a root or in a tree.
    func confirmed(_ identifier: ModelIdentifier, _ accept: (any Model) -> Bool) -> (any Model)?
    /// Visits the confirmed trees that this shows.
    func forEachConfirmed(_ visit: (any Model) -> Void)
}

extension DataModelManager {
    /// Lets every screen show the layers as they are now, in this turn.
    @MainActor
    package func showLayers(context: (any Sendable)? = nil) {
        for holder in Array(screens.providers.values) {
            (holder.provider as? any LayeredScreen)?.showLayers(context: context)
        }
    }

    /// The confirmed model of `identifier` that some screen shows.
    ///
    /// O(1) if a provider shows it as its own; else a pass over all that is shown.
    @MainActor
    package func confirmedModel(
        _ identifier: ModelIdentifier, where accept: (any Model) -> Bool
    ) -> (any Model)? {
        for holder in screens.showing[identifier] ?? [] {
            if let found = (holder.provider as? any LayeredScreen)?.confirmed(identifier, accept) { return found }
        }
        for holder in screens.providers.values {
            if let found = (holder.provider as? any LayeredScreen)?.confirmed(identifier, accept) { return found }
        }
        return nil
    }

    /// Visits the confirmed trees that screens show.
    @MainActor
    package func forEachConfirmed(_ visit: (any Model) -> Void) {
        for holder in screens.providers.values { (holder.provider as? any LayeredScreen)?.forEachConfirmed(visit) }
    }

    /// Lets the layers take the context of an update that is being told, and the screens that are not told of it show
    /// them.
    @MainActor
    func begin(_ context: (any Sendable)?) { layers?.begin(context) }
}

extension Model {
    /// The first node of `identifier` in this tree that is accepted.
    func find(_ identifier: ModelIdentifier, _ accept: (any Model) -> Bool) -> (any Model)? {
        if modelIdentifier == identifier, accept(self) { return self }
        var found: (any Model)?
        forEach { child in if found == nil { found = child.find(identifier, accept) } }
        return found
    }
}

import GroveConsistency
import GroveModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The viewers that asked for a list that is missing, or not whole, and the news for them.
extension CollectionStore {
    /// Lets `viewer`, which shows nothing, have the list as soon as a provider or another writer brings it.
    func addInterest(_ viewer: CollectionDataProvider<T>, missing: ModelIdentifier) {
        audience.removeInterest(viewer)
        audience.interested.append(ListAudience.WeakViewer(viewer: viewer))
        guard let cacheKey, manager.followed != nil else { return }
        let name = ModelIdentifier(cacheKey)
        _ = manager.stale.withLock { $0.wait(.list(name), for: missing) }
        // A list that came in the meantime is read now.
        manager.markStale([.list(name)])
    }

    /// Gives the list to the viewers that asked for it when neither memory nor the cache had it.
    func welcome(_ context: (any Sendable)?, at time: Date) {
        guard isLoaded, !audience.interested.isEmpty else { return }
        let welcomed = audience.interested.compactMap(\.viewer)
        audience.interested = []
        for viewer in welcomed { viewer.takeAwaited(self, context, at: time) }
    }

    /// Tells the owners that another writer changed the list and that it is not whole; the rows that are shown stay.
    func tellLacking(_ miss: CacheMiss) {
        for viewer in audience.viewers.compactMap(\.viewer) {
            // The state is about this list from now on.
            if viewer.request.interest !== self { viewer.endInterest() }
            viewer.updateState { $0.note(.missing(miss)) }
        }
    }

    /// Tells the owners that were told of a missing record that their list is whole.
    ///
    /// The state of an owner that shows this list and has asked for another, which is missing, is about that one.
    func tellWhole() {
        for holder in audience.viewers {
            guard let viewer = holder.viewer, case .missing = viewer.state else { continue }
            guard viewer.request.interest == nil || viewer.request.interest === self else { continue }
            viewer.updateState { $0.noteData() }
        }
    }

    func note(missing misses: [ModelIdentifier: CacheMiss], whole: Set<ModelIdentifier>, readAt time: Date) {
        for index in 0..<rows.entries.count {
            let element = Leaf.node(rows.entries[index].model)
            if element.holds(oneOf: whole) { tellWhole() }
            if let miss = misses.first(among: element) { return tellLacking(miss) }
        }
    }
}

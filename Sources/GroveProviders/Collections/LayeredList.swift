import GroveConsistency
import GroveModel

/// A list with layers over it.
@MainActor
struct LayeredList<T: SimpleModel> {
    /// The elements that are shown; `nil` if the layers leave the list as it is.
    var entries: PersistentVector<Entry<T>>?
    /// The list of which the layers learned last.
    var lastConfirmed = PersistentVector<Entry<T>>()
    /// The list that was told last, if the manager has layers.
    var lastShown = PersistentVector<Entry<T>>()

    /// The elements that are shown; `nil` if they are those of `confirmed`.
    static func entries(
        of confirmed: [Entry<T>], in store: CollectionStore<T>, by layers: any ShownLayers
    ) -> [Entry<T>]? {
        let places = store.cacheKey.flatMap { layers.list($0, confirmed.map(\.model.modelIdentifier), .both) }
        var isChanged = places != nil
        var shown: [Entry<T>] = []
        var drafts: [Int: Entry<T>] = [:]
        shown.reserveCapacity(confirmed.count)
        for place in places ?? confirmed.indices.map({ .confirmed($0) }) {
            switch place {
            case .confirmed(let index):
                var entry = confirmed[index]
                guard let model = layers.shown(Leaf.node(entry.model)).flatMap({ Leaf.base($0) as? T }) else {
                    isChanged = true
                    continue
                }
                if !model.isEqual(to: entry.model) {
                    isChanged = true
                    entry = store.drafts.entry(entry.handle, model, notedIn: &drafts)
                }
                shown.append(entry)
            case .pending(let node, let former):
                guard let model = layers.shown(node).flatMap({ Leaf.base($0) as? T }),
                    let identifier = model.modelIdentifier
                else { continue }
                let handle =
                    store.drafts.handles[identifier] ?? former.flatMap { store.drafts.handles[$0] }
                    ?? store.rows.takeHandle()
                store.drafts.handles[identifier] = handle
                shown.append(store.drafts.entry(handle, model, notedIn: &drafts))
            }
        }
        store.drafts.shown = drafts
        return isChanged ? shown : nil
    }

    /// The changes from one list to another: deletions from the end, then insertions, then updates; `nil` if there are
    /// none.
    ///
    /// O(*n*). An element that moved is deleted and inserted.
    static func change(
        from old: PersistentVector<Entry<T>>, to new: PersistentVector<Entry<T>>
    ) -> CollectionChange? {
        let (before, after) = (old.slice(0, old.count), new.slice(0, new.count))
        var places: [Int: Int] = [:]
        for (index, entry) in after.enumerated() { places[entry.handle] = index }
        // The elements that stay: those whose places rise, chosen greedily.
        var kept: [Int: T] = [:]
        var last = -1
        var changes: [CollectionChangeInformation] = []
        var deleted: [Int] = []
        for (index, entry) in before.enumerated() {
            if let place = places[entry.handle], place > last {
                last = place
                kept[entry.handle] = entry.model
            } else {
                deleted.append(index)
            }
        }
        changes += deleted.reversed().map { .delete(index: $0) }
        for (index, entry) in after.enumerated() where kept[entry.handle] == nil {
            changes.append(.insert(index: index))
        }
        for (index, entry) in after.enumerated() {
            if let model = kept[entry.handle], !model.isEqual(to: entry.model) { changes.append(.update(index: index)) }
        }
        return changes.isEmpty ? nil : .changes(changes)
    }
}

import GroveConsistency
import GroveModel

/// Rows of a list that are in memory already.
@MainActor
struct RowsInMemory<Element: SimpleModel> {
    let count: Int
    let model: (Int) -> Element
    /// The position of a row in the list.
    let position: (Int) -> Int
    let index: (ModelIdentifier) -> Int?
    /// The number of elements of the list.
    let knownCount: Int
    /// The ends of the list that these rows reach.
    let ends: ShownEnds

    /// The index of the row at a place; `nil` if that is not among these rows.
    private func index(of place: WindowPlace) -> Int? {
        guard count > 0 else { return nil }
        switch place {
        case .first: return ends.isAtFirst ? 0 : nil
        case .last: return ends.isAtLast ? count - 1 : nil
        case .position(let position):
            let position = min(max(position, 0), knownCount - 1)
            guard self.position(0) <= position else { return nil }
            return (0..<count).first { self.position($0) >= position }
        case .around(let identifier): return index(identifier)
        }
    }

    /// The rows that a read of `wanted` at `place` finds among these.
    func rows(_ wanted: WantedRows, at place: WindowPlace) -> FoundRows<Element>? {
        guard let anchor = index(of: place) else { return nil }
        let range = max(anchor - wanted.before, 0)..<min(anchor + wanted.after, count)
        var found = FoundRows<Element>()
        (found.rows, found.positions) = (range.map(model), range.map(position))
        (found.anchor, found.knownCount) = (position(anchor), knownCount)
        return found
    }
}

extension WindowDataProvider {
    /// Shows the rows at the place that other providers of the manager have in memory, until the cache was read.
    func borrow(_ cacheKey: String) {
        let key = CollectionKey(type: ObjectIdentifier(Element.self), cacheKey: ModelIdentifier(cacheKey))
        let list = (dataModelManager.screens.stores[key]?.store as? CollectionStore<Element>)?.rowsInMemory
        let windows = dataModelManager.screens.providers.values.lazy.compactMap { $0.provider as? WindowDataProvider }
            .filter { $0 !== self && $0.cacheKey == cacheKey }.compactMap(\.rowsInMemory)
        // The next read begins at the place too, as if nothing were shown.
        var cursor = cursor.withLock(\.self)
        let (place, wanted) = (cursor.place, cursor.question(nil))
        for rows in [list].compactMap(\.self) + windows {
            guard let found = rows.rows(wanted, at: place) else { continue }
            var part = cursor.settle(found, wanted)
            part.ends = ShownEnds(
                isAtFirst: part.ends.isAtFirst && rows.ends.isAtFirst,
                isAtLast: part.ends.isAtLast && rows.ends.isAtLast)
            let models = found.rows[part.rows].map { Leaf.node($0) }
            let read = WindowRead(
                outcome: .hit(found), part: part, names: models.map(\.modelIdentifier),
                isFresh: models.map { _ in true })
            let consistency = dataModelManager.consistencyManager
            let began = consistency.beginFetch()
            let (joined, left) = show(read, models)
            // If one of them has just changed, that is delivered.
            let joinedAt = consistency.joinFetched(
                began, self.key, joined.map { ($0.handle, Leaf.node($0.confirmed)) }, leaving: left)
            for row in joined { row.readAt = joinedAt.previous }
            return
        }
    }

    /// The rows of this window, for another one.
    fileprivate var rowsInMemory: RowsInMemory<Element>? {
        guard let knownCount, gaps.isEmpty else { return nil }
        let cached = cached
        return RowsInMemory(
            count: cached.rows.count, model: { cached.rows[$0].confirmed }, position: { cached.positions[$0] },
            index: { cached.names.firstIndex(of: $0) }, knownCount: knownCount, ends: cached.ends)
    }
}

extension CollectionStore {
    /// The list, for windows; `nil` if it is not known, or if some of its elements are not shown.
    fileprivate var rowsInMemory: RowsInMemory<T>? {
        guard isLoaded, cached.hidden.isEmpty else { return nil }
        let entries = rows.entries
        return RowsInMemory(
            count: entries.count, model: { entries[$0].model }, position: { $0 }, index: { self.rows.index(of: $0) },
            knownCount: entries.count, ends: .both)
    }
}

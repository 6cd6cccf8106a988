import GroveConsistency
import GroveModel

extension WindowDataProvider {
    /// Reads in one view of the cache; `nil` if there is none.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any FollowedView) -> Value?
    ) async -> Value? {
        guard let followed = dataModelManager.followed else { return nil }
        return await withCheckedContinuation { continuation in
            followed.readAgain { view in continuation.resume(returning: view.flatMap(body)) }
        }
    }

    /// Whether a stored list has an element, and the cache its model.
    func isStored(_ identifier: ModelIdentifier, in cacheKey: String) async -> Bool {
        let found = await read { $0.rows(ModelIdentifier(cacheKey), of: Element.self, .one(.element(identifier))) }
        return found?.value?.rows.first?.modelIdentifier == identifier
    }

    /// The row beside one in a stored list, and whether there is a gap between; `nil` if there is neither.
    func neighbour(
        of row: Element, isLater: Bool, in cacheKey: String
    ) async -> (model: Element?, isBehindGap: Bool)? {
        guard let name = row.modelIdentifier else { return nil }
        let wanted = WantedRows(.element(name), before: isLater ? 0 : 1, after: isLater ? 2 : 1)
        let read = await read { $0.rows(ModelIdentifier(cacheKey), of: Element.self, wanted) }
        guard let found = read?.value else { return nil }
        let index = found.positions.firstIndex { isLater ? $0 > found.anchor : $0 < found.anchor }
        let other = index.map { found.positions[$0] }
        let isBehindGap = found.gaps.contains { gap in
            isLater
                ? gap.lowerBound > found.anchor && gap.upperBound <= other ?? .max
                : gap.upperBound <= found.anchor && gap.lowerBound > other ?? -1
        }
        return index == nil && !isBehindGap ? nil : (index.map { found.rows[$0] }, isBehindGap)
    }

    /// The place of a page by the order of its first row and those of the list.
    func place(
        of page: [Element], _ isBefore: @escaping @Sendable (Element, Element) -> Bool
    ) async -> (ListPlace, PageFit) {
        guard let cacheKey, let first = page.first else { return (.first, .apart) }
        let key = ModelIdentifier(cacheKey)
        let place: ListPlace? = await read { view in
            var (low, high): (Int, Int?) = (0, nil)
            var (last, next): ((row: Element, position: Int)?, (row: Element, position: Int)?)
            while low < high ?? .max {
                let middle = high.map { (low + $0) / 2 } ?? 0
                let found = view.rows(key, of: Element.self, .one(.position(middle)))?.value
                guard let found else { return nil }
                high = high ?? found.knownCount
                if let row = found.rows.first, isBefore(row, first) {
                    low = found.positions[0] + 1
                    last = (row, found.positions[0])
                } else {
                    next = found.rows.first.map { ($0, found.positions[0]) } ?? next
                    high = middle
                }
            }
            func element(_ found: (row: Element, position: Int)) -> ListElement {
                ListElement(found.row, at: 0, of: SeenRows([found.row.modelIdentifier]), position: found.position)
            }
            return next.map { .before(element($0)) } ?? last.map { .after(element($0)) } ?? (high == 0 ? .first : .last)
        }
        return (place ?? .first, .apart)
    }

    /// The indices of the `models` that were not read from the network within `maxAge` seconds; all of them for `nil`.
    func old(_ models: [Element], _ maxAge: Double?) async -> [Int] {
        guard let maxAge, let followed = dataModelManager.followed else { return Array(models.indices) }
        var old: [Int] = []
        for (index, model) in models.enumerated() {
            let isFresh = await withCheckedContinuation { continuation in
                guard let name = model.modelIdentifier else { return continuation.resume(returning: false) }
                followed.read(name.rawValue, as: Element.self, maxAge: maxAge) {
                    continuation.resume(returning: (try? $0.get())?.isFresh == true)
                }
            }
            if !isFresh { old.append(index) }
        }
        return old
    }

    /// Says whether there are more rows at the ends.
    func noteEnds() {
        let earlier = !cached.ends.isAtFirst || pages.before != nil && !pages.isAtFirst
        let later = !cached.ends.isAtLast || pages.after != nil && !pages.isAtLast
        if hasEarlier != earlier { hasEarlier = earlier }
        if hasLater != later { hasLater = later }
    }
}

extension WantedRows {
    /// One row at a place, or behind it if the cache does not have that one.
    fileprivate static func one(_ anchor: Anchor) -> WantedRows { WantedRows(anchor, before: 0, after: 1) }
}

/// Rows as they were when a page was asked for.
struct SeenRows: SeenList {
    let names: [ModelIdentifier?]

    init(_ names: [ModelIdentifier?]) { self.names = names }

    var count: Int { names.count }
    func identifier(at index: Int) -> ModelIdentifier? { names[index] }
}

extension Answer {
    /// The elements that were not deleted since they were asked for.
    func rows<Element>() -> [Element] where Value == [Element] {
        zip(value, taken?.models ?? []).compactMap { $1 == nil ? nil : $0 }
    }
}

import GroveConsistency
import GroveModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What one read of the cache brings for a window.
struct WindowRead<Element: SimpleModel>: Sendable {
    /// The rows, or why there are none; `nil` if the cache could not be read.
    var outcome: CacheRead<FoundRows<Element>>?
    /// Which of the rows are shown.
    var part = WindowCursor.Part()
    /// As of which opening of the window, and which of its wishes.
    var (generation, wish) = (0, 0)
    /// Whether the cache was emptied.
    var isWiped = false
}

extension WindowDataProvider {
    /// How the rows are read again: see ``DataModelManager/markStale(_:)``.
    func reader(of name: ModelIdentifier) -> ListReader {
        let (consistency, stale, key) = (dataModelManager.consistencyManager, dataModelManager.stale, key)
        let cursor = cursor
        return ListReader(name: name, subscription: key, isWindow: true) {
            [weak self] view, reading, known, ahead, began, isWiped in
            let news: [ListNews]? = if case .news(let news) = reading { news } else { nil }
            let (question, generation, wish) = cursor.withLock { ($0.question(news), $0.generation, $0.wishes) }
            var wanted = question
            var outcome = view?.rows(name, of: Element.self, wanted)
            if let found = outcome?.value, let other = cursor.withLock({ $0.secondQuestion(found, wanted) }) {
                wanted = other
                outcome = view?.rows(name, of: Element.self, wanted)
            }
            var read = WindowRead(outcome: outcome, generation: generation, wish: wish, isWiped: isWiped)
            let found = read.outcome?.value ?? FoundRows()
            cursor.withLock { cursor in
                guard cursor.generation == generation, read.outcome != nil else { return }
                read.part = cursor.settle(found, wanted)
            }
            for missing in found.missing + found.hidden.compactMap(\.awaits) {
                _ = stale.withLock { $0.wait(.window(key), for: missing) }
            }
            let models = found.rows[read.part.rows].map { Leaf.node($0) }
            let fresh = Set(models.compactMap(\.modelIdentifier))
                .subtracting(known).subtracting(ahead)
            consistency.graftFetched(began, models: models, over: fresh) { [read] newest in
                guard let self else {
                    consistency.joinFetched(began, nil, [])
                    return
                }
                self.take(read, newest.map { $0.flatMap { Leaf.base($0) as? Element } }, asOf: began, over: fresh)
            }
        }
    }

    /// Shows what was read as of `began`.
    ///
    /// - Parameter newest: the newest versions of its rows; `nil` for those that were deleted since.
    private func take(
        _ read: WindowRead<Element>, _ newest: [Element?], asOf began: Turn, over fresh: Set<ModelIdentifier>
    ) {
        let consistency = dataModelManager.consistencyManager
        guard read.generation == cursor.withLock(\.generation), !consistency.isCancelled(since: began) else {
            consistency.joinFetched(began, nil, [])
            return
        }
        defer { resume(through: read.wish) }
        guard let outcome = read.outcome else {
            consistency.joinFetched(began, nil, [])
            if isOpening { settle(.failed(CacheError(.suspended, "The cache could not be read."))) }
            return
        }
        let former = rows.map(\.handle)
        show(outcome.value ?? FoundRows(), read.part, newest)
        let joined = rows.map { (handle: $0.handle, model: Leaf.node($0.model)) }
        let joinedAt = consistency.joinFetched(began, key, joined, leaving: former, over: fresh)
        for row in rows { row.readAt = joinedAt.previous }
        if let miss = outcome.miss {
            knownCount = nil
            isEmptied = isEmptied || read.isWiped
            return settle(isEmptied ? .idle : .missing(miss))
        }
        isEmptied = false
        settle(nil)
        // What was deleted meanwhile is known to the cache soon. It is read once more only: the cache may be suspended.
        let isLacking = newest.contains { $0 == nil }
        if isLacking, !isReadAgain { dataModelManager.markStale([.window(key)]) }
        isReadAgain = isLacking
    }

    /// Notes what a read has found: `nil` for rows.
    private func settle(_ state: ProviderState?) {
        let wasOpening = isOpening
        isOpening = false
        updateState { request in
            if let state {
                request.note(state)
            } else if wasOpening {
                request.note(.cached)
            } else {
                request.noteData()
            }
            if loads == 0 { request.end() }
        }
    }

    /// Shows nothing.
    func clear() {
        dataModelManager.consistencyManager.edit(key, leaving: nil, joining: [], posting: [], context: nil)
        show(FoundRows(), WindowCursor.Part(), [])
        knownCount = nil
    }

    /// Shows a part of the rows that were read; those that are shown already go on as what they are.
    private func show(_ found: FoundRows<Element>, _ part: WindowCursor.Part, _ newest: [Element?]) {
        var old: [ModelIdentifier?: [WindowRow<Element>]] = [:]
        for row in rows.reversed() { old[row.model.modelIdentifier, default: []].append(row) }
        let shown = newest.compactMap { model -> WindowRow<Element>? in
            guard let model else { return nil }
            guard let row = old[model.modelIdentifier]?.popLast() else {
                lastHandle += 1
                return WindowRow(model, handle: lastHandle)
            }
            if !row.model.isEqual(to: model) { row.model = model }
            return row
        }
        if !shown.elementsEqual(rows, by: ===) { rows = shown }
        let first = part.rows.isEmpty ? nil : found.positions[part.rows.lowerBound]
        if position != first { position = first }
        if knownCount != found.knownCount { knownCount = found.knownCount }
        let gaps = found.windowGaps(part)
        if self.gaps != gaps { self.gaps = gaps }
        (cacheHasEarlier, cacheHasLater) = (part.hasEarlier, part.hasLater)
        noteEnds()
        arrangements.tell()
    }
}

extension FoundRows {
    /// The gaps between the rows of a part, and at the ends of the list.
    fileprivate func windowGaps(_ part: WindowCursor.Part) -> [WindowGap] {
        gaps.compactMap { gap in
            let index = positions.firstIndex { $0 >= gap.upperBound } ?? positions.count
            let isShown =
                (index > part.rows.lowerBound || !part.hasEarlier) && (index < part.rows.upperBound || !part.hasLater)
            guard isShown, index >= part.rows.lowerBound, index <= part.rows.upperBound else { return nil }
            return WindowGap(index: index - part.rows.lowerBound, count: gap.isEmpty ? nil : gap.count)
        }
    }
}

extension WindowDataProvider: DeliveryReceiver {
    func receive(_ delivery: Delivery) {
        dataModelManager.begin(delivery.context)
        guard case .elements(let changes) = delivery.content else { return }
        let shown = Dictionary(uniqueKeysWithValues: rows.map { ($0.handle, $0) })
        var gone: Set<Int> = []
        for change in changes {
            guard let row = shown[change.handle], row.readAt < delivery.sequence else { continue }
            guard let model = change.model else {
                gone.insert(change.handle)
                continue
            }
            guard let model = Leaf.base(model) as? Element else {
                dataModelManager.misuse("Two types that cannot be merged share an identifier.")
                continue
            }
            row.model = model
        }
        defer { arrangements.tell() }
        guard !gone.isEmpty else { return }
        rows.removeAll { gone.contains($0.handle) }
        dataModelManager.markStale([.window(key)])
    }
}

extension WindowDataProvider: WipeableProvider {
    func note(lacking misses: [ModelIdentifier: CacheMiss], whole: Set<ModelIdentifier>, readAt time: Date) {
        for row in rows {
            let tree = Leaf.node(row.model)
            if case .missing = state, tree.holds(oneOf: whole) { updateState { $0.noteData() } }
            if let miss = misses.first(among: tree) { return updateState { $0.note(.missing(miss)) } }
        }
    }

    func clearForWipe(at time: Date) {
        cursor.withLock { $0.reopen() }
        clear()
        isEmptied = true
        settle(.idle)
        resume(through: .max)
    }
}

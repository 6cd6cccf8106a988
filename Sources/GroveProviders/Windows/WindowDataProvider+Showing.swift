import GroveConsistency
import GroveModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The result of one read of the cache for a window.
struct WindowRead<Element: SimpleModel>: Sendable {
    /// The rows, or the miss; `nil` if the cache could not be read.
    var outcome: CacheRead<FoundRows<Element>>?
    /// The part of the rows that is shown.
    var part = WindowCursor.Part()
    /// The identifiers of these, and whether each was not held in memory.
    var names: [ModelIdentifier?] = []
    var isFresh: [Bool] = []
    /// The opening of the window, and the last of its wishes, that the read is for.
    var generation = 0
    var wish = 0
    /// Whether the cache was emptied.
    var isWiped = false
}

extension WindowDataProvider {
    /// The reader that brings the rows up to date: see ``DataModelManager/markStale(_:)``.
    func reader(of name: ModelIdentifier) -> ListReader {
        let (consistency, stale, key) = (dataModelManager.consistencyManager, dataModelManager.stale, key)
        let cursor = cursor
        return ListReader(
            name: name, subscription: key, isWindow: true, wishes: { cursor.withLock(\.wishes) }
        ) { [weak self] view, reading, known, ahead, began, _, isWiped, wish in
            let news: [ListNews]? = if case .news(let news) = reading { news } else { nil }
            let (question, generation) = cursor.withLock { ($0.question(news), $0.generation) }
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
            read.names = models.map(\.modelIdentifier)
            let fresh = Set(read.names.compactMap(\.self)).subtracting(known).subtracting(ahead)
            read.isFresh = read.names.map { $0.map(fresh.contains) ?? true }
            consistency.graftFetched(began, models: models, over: fresh) { [read] newest in
                guard let self else {
                    consistency.joinFetched(began, nil, [])
                    return
                }
                self.take(read, newest, asOf: began, over: fresh)
            }
        }
    }

    /// Shows the rows that were read as of `began`.
    ///
    /// - Parameter newest: the newest versions of its rows; `nil` for those that were deleted since.
    private func take(
        _ read: WindowRead<Element>, _ newest: [(any Model)?], asOf began: Turn, over fresh: Set<ModelIdentifier>
    ) {
        let consistency = dataModelManager.consistencyManager
        guard read.generation == cursor.withLock(\.generation), !consistency.isCancelled(since: began) else {
            consistency.joinFetched(began, nil, [])
            return
        }
        defer { resume(through: read.wish) }
        guard let outcome = read.outcome else {
            consistency.joinFetched(began, nil, [])
            if progress.isOpening { settle(.failed(CacheError(.suspended, "The cache could not be read."))) }
            return
        }
        let (joined, left) = show(read, newest)
        let joinedAt = consistency.joinFetched(
            began, key, joined.map { ($0.handle, Leaf.node($0.confirmed)) }, leaving: left, over: fresh)
        for row in joined { row.readAt = joinedAt.previous }
        if let miss = outcome.miss {
            knownCount = nil
            let isEmptied = progress.phase == .emptied || read.isWiped
            return settle(isEmptied ? .idle : .missing(miss), isEmptied: isEmptied)
        }
        settle(nil)
        // The cache soon knows of rows that were deleted meanwhile. It is read once more only: it may be suspended.
        let isLacking = newest.contains { $0 == nil }
        if isLacking, !progress.isReadAgain { dataModelManager.markStale([.window(key)]) }
        progress.isReadAgain = isLacking
    }

    /// Notes the state after a read: `nil` if it has found rows.
    private func settle(_ state: ProviderState?, isEmptied: Bool = false) {
        let wasOpening = progress.isOpening
        updateState { $0.settle(state, isEmptied: isEmptied) }
        if wasOpening { showLayers(context: nil) }
    }

    /// Shows nothing.
    func clear() {
        dataModelManager.consistencyManager.edit(key, leaving: nil, joining: [], posting: [], context: nil)
        _ = show(WindowRead(), [])
        knownCount = nil
    }

    /// Shows the rows that were read; those that are shown already stay the same objects.
    ///
    /// Rows that were held in memory are as they are shown, or news of them are on their way: they are not looked at.
    ///
    /// - Parameter newest: the newest versions of these rows; `nil` for those that were deleted since.
    /// - Returns: the rows that are to be listened to from now on, and the handles of those that are not any more. A
    ///   row of another version is in both; one that stays as it is in neither.
    func show(
        _ read: WindowRead<Element>, _ newest: [(any Model)?]
    ) -> (joined: [WindowRow<Element>], left: [Int]) {
        let found = read.outcome?.value ?? FoundRows()
        let there = newest.indices.filter { newest[$0] != nil }
        let names = there.map { read.names[$0] }
        let former = cached.rows
        let match = RowMatch(from: cached.names, to: names)
        var (joined, left): ([WindowRow<Element>], [Int]) = ([], match.left.map { former[$0].handle })
        func row(_ index: Int) -> WindowRow<Element> {
            let old = match.old[index].map { former[$0] }
            let number = there[index]
            if let old, !read.isFresh[number] { return old }
            let model =
                newest[number].flatMap { Leaf.base($0) as? Element } ?? found.rows[read.part.rows.lowerBound + number]
            let row = old ?? shown.row(for: model, names[index])
            guard old == nil || !row.confirmed.isEqual(to: model) else { return row }
            row.confirmed = model
            if old != nil { left.append(row.handle) }
            joined.append(row)
            return row
        }
        let rows = match.isMoved || read.isFresh.contains(true) ? names.indices.map(row) : former
        hold(rows, names, there.map { found.positions[read.part.rows.lowerBound + $0] })
        knownCount = found.knownCount
        gaps = found.windowGaps(read.part)
        cached.ends = read.part.ends
        noteEnds()
        showRows(joined, isMoved: match.isMoved)
        return (joined, left)
    }

    /// Shows the confirmed rows, with the pending changes over them.
    ///
    /// - Parameters:
    ///   - changed: those that are new, or of another version.
    ///   - isMoved: whether confirmed rows have come, gone or moved.
    func showRows(_ changed: [WindowRow<Element>], isMoved: Bool) {
        let wasLayered = shown.pending != nil
        let layered = layeredRows(changed)
        if layered != nil || wasLayered {
            let newest = layered ?? cached.rows
            if !newest.elementsEqual(shown.rows, by: ===) { rows = newest }
        } else if isMoved {
            rows = cached.rows
        }
        shown.arrangements.tell()
    }
}

/// The rows of a read, matched with the rows from before.
private struct RowMatch {
    /// The former index of each row; `nil` for those that came.
    private(set) var old: [Int?]
    /// The former indices of the rows that went.
    private(set) var left: [Int] = []
    /// Whether rows came, went or moved.
    private(set) var isMoved: Bool

    /// - Complexity: linear; rows that move, and longer runs of rows that come or go, are looked up.
    init(from former: [ModelIdentifier?], to names: [ModelIdentifier?]) {
        old = Array(repeating: nil, count: names.count)
        isMoved = former.count != names.count
        var isLeft = Array(repeating: true, count: former.count)
        var (index, next) = (0, 0)
        while index < former.count, next < names.count {
            if former[index] == names[next] {
                (old[next], isLeft[index]) = (index, false)
                (index, next) = (index + 1, next + 1)
                continue
            }
            isMoved = true
            if let came = names[next...].prefix(8).firstIndex(of: former[index]) {
                next = came
            } else if let went = former[index...].prefix(8).firstIndex(of: names[next]) {
                index = went
            } else {
                break
            }
        }
        guard isMoved else { return }
        left = former.indices.filter { isLeft[$0] }
        guard !left.isEmpty else { return }
        var others: [ModelIdentifier?: [Int]] = [:]
        for index in left.reversed() { others[former[index], default: []].append(index) }
        for index in names.indices where old[index] == nil {
            old[index] = others[names[index]]?.popLast()
            if let index = old[index] { isLeft[index] = false }
        }
        left.removeAll { !isLeft[$0] }
    }
}

extension FoundRows {
    /// The gaps between the rows of a part, and at the ends of the list.
    fileprivate func windowGaps(_ part: WindowCursor.Part) -> [WindowGap] {
        gaps.compactMap { gap in
            let index = positions.firstIndex { $0 >= gap.upperBound } ?? positions.count
            let isShown =
                (index > part.rows.lowerBound || part.ends.isAtFirst)
                && (index < part.rows.upperBound || part.ends.isAtLast)
            guard isShown, index >= part.rows.lowerBound, index <= part.rows.upperBound else { return nil }
            return WindowGap(index: index - part.rows.lowerBound, count: gap.isEmpty ? nil : gap.count)
        }
    }
}

extension WindowDataProvider: DeliveryReceiver {
    func receive(_ delivery: Delivery) {
        dataModelManager.begin(delivery.context)
        guard case .elements(let changes) = delivery.content else { return }
        var indices: [Int: Int] = [:]
        for index in cached.rows.indices { indices[cached.rows[index].handle] = index }
        var gone: Set<Int> = []
        var changed: [WindowRow<Element>] = []
        for change in changes {
            guard let index = indices[change.handle] else { continue }
            let row = cached.rows[index]
            guard row.readAt < delivery.sequence else { continue }
            guard let model = change.model else {
                gone.insert(index)
                continue
            }
            guard let model = Leaf.base(model) as? Element else {
                dataModelManager.misuse("Two types that cannot be merged share an identifier.")
                continue
            }
            row.confirmed = model
            changed.append(row)
        }
        if !gone.isEmpty {
            let kept = cached.rows.indices.filter { !gone.contains($0) }
            hold(kept.map { cached.rows[$0] }, kept.map { cached.names[$0] }, kept.map { cached.positions[$0] })
            dataModelManager.markStale([.window(key)])
        }
        showRows(changed, isMoved: !gone.isEmpty)
    }
}

extension WindowDataProvider: WipeableProvider {
    func note(missing misses: [ModelIdentifier: CacheMiss], whole: Set<ModelIdentifier>, readAt time: Date) {
        for row in cached.rows {
            let tree = Leaf.node(row.confirmed)
            if case .missing = state, tree.holds(oneOf: whole) { updateState { $0.request.noteData() } }
            if let miss = misses.first(among: tree) { return updateState { $0.request.note(.missing(miss)) } }
        }
    }

    func clearForWipe(at time: Date) {
        cursor.withLock { $0.reopen() }
        clear()
        settle(.idle, isEmptied: true)
        resume(through: .max)
    }
}

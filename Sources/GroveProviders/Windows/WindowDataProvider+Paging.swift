import GroveConsistency
public import GroveModel

/// What a window asks the network for at the ends of what the cache has.
struct WindowPages<Element: SimpleModel> {
    var place = WindowPlace.first
    var before: WindowDataProvider<Element>.Fetch?
    var after: WindowDataProvider<Element>.Fetch?
    /// Whether the network has said that there are no more.
    var isAtFirst = false
    var isAtLast = false
}

extension WindowDataProvider {
    /// Asks the network for the rows beside a row; for `nil`, for those at the end of the list.
    public typealias Fetch = @Sendable (_ row: Element?) async throws -> [Element]

    /// Shows up to `count` more rows before the first one: those that the cache has, or else what `before` brings, which
    /// is stored.
    ///
    /// Returns when they are shown. Windows that ask for one page at once share the request.
    ///
    /// - Throws: the error of `before`; ``CacheError`` if the cache refuses to store the page. `CancellationError`,
    ///   promptly, when the task is cancelled.
    public func showEarlier(_ count: Int = 50, retry: LoadRetry = .never) async throws {
        if isOpening { await extend() }
        if !cacheHasEarlier {
            guard let before = pages.before, !pages.isAtFirst else { return }
            guard try await load(before, beside: confirmedRows.first, isLater: false, retry) else { return }
        }
        await extend(earlier: count)
    }

    /// Shows up to `count` more rows after the last one; see ``showEarlier(_:retry:)``.
    public func showLater(_ count: Int = 50, retry: LoadRetry = .never) async throws {
        if isOpening { await extend() }
        if !cacheHasLater {
            guard let after = pages.after, !pages.isAtLast else { return }
            guard try await load(after, beside: confirmedRows.last, isLater: true, retry) else { return }
        }
        await extend(later: count)
    }

    /// Asks the network for the rows at the end at which the window was opened, and stores them.
    ///
    /// A window that shows that end shows them. One that was opened elsewhere asks for the first rows.
    ///
    /// - Parameter keepingOlder: whether the list's other rows are kept if the page does not reach them. Unknown rows
    ///   may lie between, so there is a gap then, which ``fill(_:all:retry:)`` fills. If false, they are dropped.
    /// - Throws: as ``showEarlier(_:retry:)``.
    public func refresh(keepingOlder: Bool = false, retry: LoadRetry = .never) async throws {
        let isLater = pages.place != .last
        guard let fetch = isLater ? pages.after : pages.before else { return }
        _ = try await load(fetch, beside: nil, isLater: isLater, keepingOlder ? .joining : .dropping, retry)
        await extend()
    }

    /// Asks the network for a page beside a gap, and stores it; one that reaches the other side closes the gap.
    ///
    /// The page is asked for from the side at which the window was opened, or from the other one if there is no closure
    /// for it. No rows say that the list ends there: those beyond go. Nothing happens if ``gaps`` does not
    /// have the gap any more.
    ///
    /// - Parameter all: whether page after page is asked for until the gap is closed.
    /// - Throws: as ``showEarlier(_:retry:)``.
    public func fill(_ gap: WindowGap, all: Bool = false, retry: LoadRetry = .never) async throws {
        guard gaps.contains(gap) else { return }
        let shown = confirmedRows
        let before = gap.index > 0 && pages.after != nil ? shown[gap.index - 1] : nil
        let behind = gap.index < shown.count && pages.before != nil ? shown[gap.index] : nil
        let isLater = behind == nil || before != nil && pages.place != .last
        guard let fetch = isLater ? pages.after : pages.before, var row = (isLater ? before : behind)?.confirmed else {
            return
        }
        repeat {
            let page = try await load(fetch, beside: row, isLater: isLater, .joining, retry)
            // A server that answers with the same row again would be asked without an end.
            guard all, let last = isLater ? page?.last : page?.first, last.modelIdentifier != row.modelIdentifier else {
                break
            }
            row = last
        } while await neighbour(of: row, isLater: isLater)?.isBehindGap == true
        await extend()
    }

    /// Asks the network again for the pages that are shown, and stores them.
    ///
    /// Shown rows that a page leaves out go. A row right behind a gap is not asked for.
    ///
    /// - Parameter maxAge: in seconds; only pages with a row that was read from the network longer ago are asked for.
    /// - Throws: as ``showEarlier(_:retry:)``.
    public func refreshShown(maxAge: Double? = nil, retry: LoadRetry = .never) async throws {
        if isOpening { await extend() }
        let isLater = pages.after != nil
        guard let fetch = isLater ? pages.after : pages.before else { return }
        // In the direction in which pages are asked for.
        let shown = isLater ? confirmedRows.map(\.confirmed) : confirmedRows.reversed().map(\.confirmed)
        let behindGaps = Set(gaps.map { isLater ? $0.index : shown.count - $0.index })
        var places: [ModelIdentifier: Int] = [:]
        for (index, model) in shown.enumerated() { if let name = model.modelIdentifier { places[name] = index } }
        var stale = await old(shown, maxAge)[...]
        while let index = stale.popFirst() {
            var row = index > 0 ? shown[index - 1] : nil
            if index == 0, let before = await neighbour(of: shown[0], isLater: !isLater) {
                row = before.isBehindGap ? shown[0] : before.model
            } else if behindGaps.contains(index) {
                row = shown[index]
            }
            if row?.modelIdentifier == shown[index].modelIdentifier, stale.isEmpty { break }
            guard let page = try await load(fetch, beside: row, isLater: isLater, .joining, retry) else { return }
            let last = page.compactMap { $0.modelIdentifier.flatMap { places[$0] } }.max() ?? index
            stale = stale.drop { $0 <= last }
        }
        await extend()
    }

    /// Shows `count` rows around an element, which the network is asked for if the cache does not have it in the list.
    ///
    /// The rows are stored as a part of the list, with a gap on each side on which they do not touch what is known.
    ///
    /// ```swift
    /// try await window.jump(around: "Message:7", isBefore: { $0.sent < $1.sent }) { id in
    ///     try await server.messages(around: id)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - isBefore: whether one element is before another in the list: the place of rows of which the list has none.
    ///   - fetch: asks the network for rows that follow each other, the element among them. If it is not, nothing is
    ///     shown, and the state is `.missing`.
    /// - Complexity: that of reading as many rows as the logarithm of the list's length, and of finding the element.
    /// - Throws: the error of `fetch`, and as ``showEarlier(_:retry:)``.
    public func jump(
        around identifier: ModelIdentifier, count: Int = 50, retry: LoadRetry = .never,
        isBefore: @escaping @Sendable (Element, Element) -> Bool,
        asking fetch: @escaping @Sendable (ModelIdentifier) async throws -> [Element]
    ) async throws {
        guard cacheKey != nil else { return }
        if await !isStored(identifier) {
            let page = try await load("around\n\(identifier.rawValue)", retry) {
                try await fetch(identifier)
            } place: { [self] page in
                await place(of: page, isBefore)
            }
            guard page != nil else { return }
        }
        jump(to: .around(identifier), count: count)
        await extend()
    }

    // MARK: Asking

    /// Asks the network for a page beside a row that is shown, or at an end, and notes whether there was one.
    ///
    /// - Returns: whether it brought rows, and the window is still open there.
    private func load(
        _ fetch: @escaping Fetch, beside row: WindowRow<Element>?, isLater: Bool, _ retry: LoadRetry
    ) async throws -> Bool {
        guard let page = try await load(fetch, beside: row?.confirmed, isLater: isLater, .dropping, retry) else {
            return false
        }
        if page.isEmpty {
            if isLater { pages.isAtLast = true } else { pages.isAtFirst = true }
        }
        noteEnds()
        return !page.isEmpty
    }

    /// Asks the network for a page, and stores it.
    ///
    /// - Parameters:
    ///   - row: the row that it is beside; `nil` for the page at an end.
    ///   - isLater: whether it follows the row, or begins the list.
    /// - Returns: its rows; `nil` if the window is not open there any more.
    private func load(
        _ fetch: @escaping Fetch, beside row: Element?, isLater: Bool, _ fit: PageFit, _ retry: LoadRetry
    ) async throws -> [Element]? {
        let place = place(beside: row, isLater: isLater)
        return try await load("\(isLater)\n\(row?.modelIdentifier?.rawValue ?? "")", retry) {
            try await fetch(row)
        } place: { page in
            // No rows at an end say that the list is empty.
            page.isEmpty && row == nil ? (place, .dropping) : (place, fit)
        }
    }

    /// Asks the network for rows, and stores them.
    ///
    /// - Parameters:
    ///   - name: what is asked for: windows that ask for it at once share the request.
    ///   - place: the place of the rows.
    /// - Returns: the rows; `nil` if the window is not open there any more.
    private func load(
        _ name: String, _ retry: LoadRetry, fetch: @escaping @Sendable () async throws -> [Element],
        place: ([Element]) async -> (ListPlace, PageFit)
    ) async throws -> [Element]? {
        guard let cacheKey, let followed = dataModelManager.followed else { return nil }
        let manager = dataModelManager
        let generation = cursor.withLock(\.generation)
        let key = FlightKey(
            type: ObjectIdentifier(WindowDataProvider.self), name: ModelIdentifier("\(cacheKey)\n\(name)"))
        loads += 1
        updateState { $0.begin() }
        do {
            var rows: [Element] = []
            // A page is asked for again if another one came that was asked for later; one beside a row, when the user scrolls again.
            for _ in 0..<3 {
                let page = try await manager.request(
                    key, shown: nil, retry, fetch,
                    settle: { page, asked, body in
                        manager.settle(page, asked: asked, isList: true, saving: .models, nil) {
                            body($0.answer(page, asked))
                        }
                    },
                    { answer, _ in (rows: answer.rows(), place: answer.place) })
                rows = page.rows
                let (place, fit) = await place(rows)
                let edit = ListEdit.page(rows, place, fit)
                if case .refused(let error, _) = await store(edit, cacheKey, followed, asOf: page.place) {
                    throw error
                }
                guard fit != .dropping || place.isEnd, let first = rows.first?.modelIdentifier, await !isStored(first)
                else {
                    break
                }
            }
            let isOpen = generation == cursor.withLock(\.generation)
            endLoad(generation, isOpen ? .fresh : nil)
            return isOpen ? rows : nil
        } catch {
            endLoad(generation, ProviderState.failure(error))
            throw error
        }
    }

    private func endLoad(_ generation: Int, _ state: ProviderState?) {
        loads -= 1
        let isOver = generation != cursor.withLock(\.generation)
        updateState { request in
            if !isOver, let state { request.note(state) }
            if loads == 0, !isOpening { request.end() }
        }
    }

    private func place(beside row: Element?, isLater: Bool) -> ListPlace {
        guard let row else { return isLater ? .first : .last }
        var element = ListElement(row, at: 0, of: SeenRows([row.modelIdentifier]))
        if let index = confirmedNames.firstIndex(of: row.modelIdentifier) {
            let seen = SeenRows(confirmedNames)
            element = ListElement(row, at: index, of: seen, position: confirmedPositions[index])
        }
        return isLater ? .after(element) : .before(element)
    }

    /// Stores a page in the list.
    private func store(
        _ edit: ListEdit, _ cacheKey: String, _ followed: any FollowedCache, asOf asked: Place
    ) async -> SaveOutcome {
        let manager = dataModelManager
        return await withCheckedContinuation { continuation in
            manager.inOrder { _ in
                let ticket = manager.takeTicket()
                manager.onCache {
                    // The models were stored by themselves.
                    followed.edit(
                        edit, forKey: cacheKey, ticket: ticket, asOf: asked.stored, fillsOnly: true, madeAt: nil
                    ) { outcome in
                        manager.markStale(edit.models, after: outcome)
                        continuation.resume(returning: outcome)
                    }
                }
            }
        }
    }

    // MARK: What the cache has

    /// Reads in one view of the cache; `nil` if there is none.
    private func read<Value: Sendable>(
        _ body: @escaping @Sendable (any FollowedView) -> Value?
    ) async -> Value? {
        guard let followed = dataModelManager.followed else { return nil }
        return await withCheckedContinuation { continuation in
            followed.readAgain { view in continuation.resume(returning: view.flatMap(body)) }
        }
    }

    /// Whether the stored list has an element, and the cache its model.
    private func isStored(_ identifier: ModelIdentifier) async -> Bool {
        guard let cacheKey else { return false }
        let found = await read { $0.rows(ModelIdentifier(cacheKey), of: Element.self, .one(.element(identifier))) }
        return found?.value?.rows.first?.modelIdentifier == identifier
    }

    /// The row beside one in the stored list, and whether there is a gap between; `nil` if there is neither.
    private func neighbour(of row: Element, isLater: Bool) async -> (model: Element?, isBehindGap: Bool)? {
        guard let cacheKey, let name = row.modelIdentifier else { return nil }
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
    private func place(
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

    /// Which of `models` were not read from the network within `maxAge` seconds; all of them for `nil`.
    private func old(_ models: [Element], _ maxAge: Double?) async -> [Int] {
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

    /// Says whether there is more at the ends.
    func noteEnds() {
        let earlier = cacheHasEarlier || pages.before != nil && !pages.isAtFirst
        let later = cacheHasLater || pages.after != nil && !pages.isAtLast
        if hasEarlier != earlier { hasEarlier = earlier }
        if hasLater != later { hasLater = later }
    }
}

extension WantedRows {
    /// One row at a place, or behind it if the cache does not have that one.
    fileprivate static func one(_ anchor: Anchor) -> WantedRows { WantedRows(anchor, before: 0, after: 1) }
}

/// Rows as they were when a page was asked for.
private struct SeenRows: SeenList {
    let names: [ModelIdentifier?]

    init(_ names: [ModelIdentifier?]) { self.names = names }

    var count: Int { names.count }
    func identifier(at index: Int) -> ModelIdentifier? { names[index] }
}

extension Answer {
    /// The elements that were not deleted since they were asked for.
    fileprivate func rows<Element>() -> [Element] where Value == [Element] {
        zip(value, taken?.models ?? []).compactMap { $1 == nil ? nil : $0 }
    }
}

extension ListPlace {
    fileprivate var isEnd: Bool {
        switch self {
        case .first, .last: true
        case .before, .after: false
        }
    }
}

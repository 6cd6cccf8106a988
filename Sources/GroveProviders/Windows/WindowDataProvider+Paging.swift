import GroveConsistency
public import GroveModel

/// The pages that a window asks the network for at the ends of the cached rows.
struct WindowPages<Element: SimpleModel> {
    var place = WindowPlace.first
    var before: PageSource<Element>?
    var after: PageSource<Element>?
    /// Whether the network has said that there are no more.
    var isAtFirst = false
    var isAtLast = false
}

extension WindowDataProvider {
    /// Asks the network for the rows beside a row; if the row is `nil`, for those at the end of the list.
    public typealias Fetch = @Sendable (_ row: Element?) async throws -> [Element]

    /// Shows up to `count` more rows before the first one: from the cache, or else from `before`, whose page is stored.
    ///
    /// Returns when the rows are shown. If several windows ask for the same page at once, one request is sent and
    /// shared.
    ///
    /// - Throws: the error of `before`; ``CacheError`` if the cache refuses to store the page; `CancellationError`,
    ///   promptly, when the task is cancelled.
    public func showEarlier(_ count: Int = 50, retry: LoadRetry = .never) async throws {
        if progress.isOpening { await extend() }
        if cached.ends.isAtFirst {
            guard let before = pages.before, !pages.isAtFirst else { return }
            guard try await load(before, beside: cached.rows.first, isLater: false, retry) else { return }
        }
        await extend(earlier: count)
    }

    /// Shows up to `count` more rows after the last one; see ``showEarlier(_:retry:)``.
    public func showLater(_ count: Int = 50, retry: LoadRetry = .never) async throws {
        if progress.isOpening { await extend() }
        if cached.ends.isAtLast {
            guard let after = pages.after, !pages.isAtLast else { return }
            guard try await load(after, beside: cached.rows.last, isLater: true, retry) else { return }
        }
        await extend(later: count)
    }

    /// Asks the network for the rows at the end at which the window was opened, and stores them.
    ///
    /// A window that shows that end shows the new rows. A window that was opened elsewhere asks for the first rows.
    ///
    /// - Parameter keepingOlder: whether the list's other rows are kept if the page does not reach them. Unknown rows
    ///   may lie between, so there is a gap then, which ``fill(_:all:retry:)`` fills. If false, the other rows are
    ///   dropped.
    /// - Throws: as ``showEarlier(_:retry:)``.
    public func refresh(keepingOlder: Bool = false, retry: LoadRetry = .never) async throws {
        let isLater = pages.place != .last
        guard let fetch = isLater ? pages.after : pages.before else { return }
        _ = try await load(fetch, beside: nil, isLater: isLater, keepingOlder ? .joining : .dropping, retry)
        await extend()
    }

    /// Asks the network for a page beside a gap, and stores it; a page that reaches the other side closes the gap.
    ///
    /// The page is asked for from the side at which the window was opened, or from the other side if there is no
    /// closure for it. An empty page says that the list ends there: the rows beyond the gap are removed. Nothing
    /// happens if ``gaps`` no longer has the gap.
    ///
    /// - Parameter all: whether to ask for page after page until the gap is closed.
    /// - Throws: as ``showEarlier(_:retry:)``.
    public func fill(_ gap: WindowGap, all: Bool = false, retry: LoadRetry = .never) async throws {
        guard let cacheKey, gaps.contains(gap) else { return }
        let shown = cached.rows
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
        } while await neighbour(of: row, isLater: isLater, in: cacheKey)?.isBehindGap == true
        await extend()
    }

    /// Asks the network again for the pages that are shown, and stores them.
    ///
    /// Shown rows that a page leaves out are removed. A row right after a gap is not asked for. A server that gives out
    /// cursors is asked for the page at the end of the list, as by ``refresh(keepingOlder:retry:)``, which keeps older
    /// rows.
    ///
    /// - Parameter maxAge: the greatest age of a row in seconds; only pages with an older row are asked for. By
    ///   default, all are.
    /// - Throws: as ``showEarlier(_:retry:)``.
    public func refreshShown(maxAge: Double? = nil, retry: LoadRetry = .never) async throws {
        if progress.isOpening { await extend() }
        let isLater = pages.after != nil
        guard let fetch = isLater ? pages.after : pages.before else { return }
        // The rows in the direction in which pages are asked for.
        let shown = isLater ? cached.rows.map(\.confirmed) : cached.rows.reversed().map(\.confirmed)
        if fetch.hasCursors {
            guard await !old(shown, maxAge).isEmpty else { return }
            return try await refresh(keepingOlder: true, retry: retry)
        }
        let behindGaps = Set(gaps.map { isLater ? $0.index : shown.count - $0.index })
        var places: [ModelIdentifier: Int] = [:]
        for (index, model) in shown.enumerated() { if let name = model.modelIdentifier { places[name] = index } }
        var stale = await old(shown, maxAge)[...]
        while let index = stale.popFirst() {
            var row = index > 0 ? shown[index - 1] : nil
            if index == 0, let cacheKey,
                let before = await neighbour(of: shown[0], isLater: !isLater, in: cacheKey)
            {
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

    /// Shows `count` rows around an element, and asks the network for them if the cached list does not have the
    /// element.
    ///
    /// The rows are stored as a part of the list. If they do not touch the known rows on a side, there is a gap on that
    /// side.
    ///
    /// ```swift
    /// try await window.jump(around: "Message:7", isBefore: { $0.sent < $1.sent }) { id in
    ///     try await server.messages(around: id)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - isBefore: whether one element is before another in the list; it gives the place of rows that the list does
    ///     not have yet.
    ///   - fetch: asks the network for consecutive rows that include the element. If they do not include it, nothing is
    ///     shown, and the state is `.missing`.
    /// - Complexity: the cost of finding the element, and of reading O(log *n*) rows for a list of *n*.
    /// - Throws: the error of `fetch`, and as ``showEarlier(_:retry:)``.
    public func jump(
        around identifier: ModelIdentifier, count: Int = 50, retry: LoadRetry = .never,
        isBefore: @escaping @Sendable (Element, Element) -> Bool,
        asking fetch: @escaping @Sendable (ModelIdentifier) async throws -> [Element]
    ) async throws {
        guard let cacheKey else { return }
        if await !isStored(identifier, in: cacheKey) {
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
        _ source: PageSource<Element>, beside row: WindowRow<Element>?, isLater: Bool, _ retry: LoadRetry
    ) async throws -> Bool {
        guard let page = try await load(source, beside: row?.confirmed, isLater: isLater, .dropping, retry) else {
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
        _ source: PageSource<Element>, beside row: Element?, isLater: Bool, _ fit: PageFit, _ retry: LoadRetry
    ) async throws -> [Element]? {
        var (row, fit, cursor): (Element?, PageFit, String?) = (row, fit, nil)
        guard let cacheKey else { return nil }
        let generation = self.cursor.withLock(\.generation)
        if source.hasCursors, let asked = row {
            fit = .joining
            let known = await self.cursor(beside: asked, isLater: isLater)
            (row, cursor) = (known?.row, known?.cursor)
            // Meanwhile the window may have been opened elsewhere.
            guard generation == self.cursor.withLock(\.generation) else { return nil }
        }
        let place = place(beside: row, isLater: isLater)
        let next = Lock<String??>(nil)
        return try await load("\(isLater)\n\(row?.modelIdentifier?.rawValue ?? "")", retry) { [row, cursor] in
            let page = try await source.fetch(row, cursor)
            next.withLock { $0 = .some(page.next) }
            return page.rows
        } place: { [row, fit] page in
            // No rows at an end say that the list is empty.
            page.isEmpty && row == nil ? (place, .dropping) : (place, fit)
        } stored: { [self, row] rows, asked in
            // Of windows that share a request, one has asked.
            guard source.hasCursors, let next = next.withLock(\.self) else { return }
            if generation == self.cursor.withLock(\.generation) {
                if isLater { pages.isAtLast = next == nil } else { pages.isAtFirst = next == nil }
            }
            await keep(next, of: rows, beside: row, isLater: isLater, in: cacheKey, asOf: asked)
        }
    }

    /// Asks the network for rows, and stores them.
    ///
    /// - Parameters:
    ///   - name: the name of the request: windows that ask by one name at once share it.
    ///   - place: the place of the rows.
    ///   - stored: called with them and with the place of the request.
    /// - Returns: the rows; `nil` if the window is not open there any more.
    private func load(
        _ name: String, _ retry: LoadRetry, fetch: @escaping @Sendable () async throws -> [Element],
        place: ([Element]) async -> (ListPlace, PageFit), stored: ([Element], Place) async -> Void = { _, _ in }
    ) async throws -> [Element]? {
        guard let cacheKey, let followed = dataModelManager.followed else { return nil }
        let manager = dataModelManager
        let generation = cursor.withLock(\.generation)
        let key = RequestKey(
            type: ObjectIdentifier(WindowDataProvider.self), name: ModelIdentifier("\(cacheKey)\n\(name)"))
        updateState { $0.beginLoad() }
        do {
            var rows: [Element] = []
            // A page is asked for again if another one came that was asked for later; one beside a row, when the user
            // scrolls again.
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
                await stored(rows, page.place)
                guard fit != .dropping || place.isEnd, let first = rows.first?.modelIdentifier,
                    await !isStored(first, in: cacheKey)
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
        let isOver = generation != cursor.withLock(\.generation)
        updateState { $0.endLoad(isOver ? nil : state) }
    }

    func place(beside row: Element?, isLater: Bool) -> ListPlace {
        guard let row else { return isLater ? .first : .last }
        var element = ListElement(row, at: 0, of: SeenRows([row.modelIdentifier]))
        if let index = cached.names.firstIndex(of: row.modelIdentifier) {
            let seen = SeenRows(cached.names)
            element = ListElement(row, at: index, of: seen, position: cached.positions[index])
        }
        return isLater ? .after(element) : .before(element)
    }

    /// Stores a page in the list.
    func store(
        _ edit: ListEdit, _ cacheKey: String, _ followed: any FollowedCache, asOf asked: Place
    ) async -> SaveOutcome {
        let manager = dataModelManager
        return await withCheckedContinuation { continuation in
            manager.inOrder { _ in
                let ticket = manager.calls.takeTicket()
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
}

extension ListPlace {
    fileprivate var isEnd: Bool {
        switch self {
        case .first, .last: true
        case .before, .after: false
        }
    }
}

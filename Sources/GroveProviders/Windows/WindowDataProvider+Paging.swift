import GroveConsistency
import GroveModel

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
    /// What the list has beyond them is kept if they reach it, and dropped otherwise, because unknown rows may lie
    /// between. A window that shows that end shows them. One that was opened elsewhere asks for the first rows.
    ///
    /// - Throws: as ``showEarlier(_:retry:)``.
    public func refresh(retry: LoadRetry = .never) async throws {
        let isLater = pages.place != .last
        guard let fetch = isLater ? pages.after : pages.before else { return }
        _ = try await load(fetch, beside: nil, isLater: isLater, retry)
        await extend()
    }

    /// Asks the network for a page, and stores it.
    ///
    /// - Parameters:
    ///   - row: the row that it is beside; `nil` for the page at an end.
    ///   - isLater: whether it follows the row, or begins the list.
    /// - Returns: whether it brought rows, and the window is still open there.
    private func load(
        _ fetch: @escaping Fetch, beside row: WindowRow<Element>?, isLater: Bool, _ retry: LoadRetry
    ) async throws -> Bool {
        guard let cacheKey, let followed = dataModelManager.followed else { return false }
        let (manager, model) = (dataModelManager, row?.confirmed)
        let generation = cursor.withLock(\.generation)
        let place = place(beside: row, isLater: isLater)
        let name = "\(cacheKey)\n\(isLater)\n\(model?.modelIdentifier?.rawValue ?? "")"
        let key = FlightKey(type: ObjectIdentifier(WindowDataProvider.self), name: ModelIdentifier(name))
        loads += 1
        updateState { $0.begin() }
        do {
            let page = try await manager.request(
                key, shown: nil, retry, { try await fetch(model) },
                settle: { page, asked, body in
                    manager.settle(page, asked: asked, isList: true, saving: .models, nil) {
                        body($0.answer(page, asked))
                    }
                },
                { answer, _ in (rows: answer.rows(), place: answer.place) })
            // No rows beside a row change nothing; none at an end say that the list is empty.
            if !page.rows.isEmpty || row == nil,
                case .refused(let error, _) = await store(page.rows, place, cacheKey, followed, asOf: page.place)
            {
                throw error
            }
            guard generation == cursor.withLock(\.generation) else {
                endLoad(generation, nil)
                return false
            }
            if page.rows.isEmpty {
                if isLater { pages.isAtLast = true } else { pages.isAtFirst = true }
            }
            noteEnds()
            endLoad(generation, .fresh)
            return !page.rows.isEmpty
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

    private func place(beside row: WindowRow<Element>?, isLater: Bool) -> ListPlace {
        guard let row, let index = confirmedRows.firstIndex(where: { $0 === row }) else {
            return isLater ? .first : .last
        }
        let seen = SeenRows(names: confirmedNames)
        let element = ListElement(row.confirmed, at: index, of: seen, position: confirmedPositions[index])
        return isLater ? .after(element) : .before(element)
    }

    /// Stores a page in the list.
    private func store(
        _ page: [Element], _ place: ListPlace, _ cacheKey: String, _ followed: any FollowedCache, asOf asked: Place
    ) async -> SaveOutcome {
        let manager = dataModelManager
        return await withCheckedContinuation { continuation in
            manager.inOrder { _ in
                let ticket = manager.takeTicket()
                manager.onCache {
                    // The models were stored by themselves.
                    followed.edit(
                        .page(page, place), forKey: cacheKey, ticket: ticket, asOf: asked.stored, fillsOnly: true,
                        madeAt: nil
                    ) { outcome in
                        manager.markStale(page, after: outcome)
                        continuation.resume(returning: outcome)
                    }
                }
            }
        }
    }

    /// Says whether there is more at the ends.
    func noteEnds() {
        let earlier = cacheHasEarlier || pages.before != nil && !pages.isAtFirst
        let later = cacheHasLater || pages.after != nil && !pages.isAtLast
        if hasEarlier != earlier { hasEarlier = earlier }
        if hasLater != later { hasLater = later }
    }
}

/// The rows of a window as they were when a page was asked for.
private struct SeenRows: SeenList {
    let names: [ModelIdentifier?]
    var count: Int { names.count }
    func identifier(at index: Int) -> ModelIdentifier? { names[index] }
}

extension Answer {
    /// The elements that were not deleted since they were asked for.
    fileprivate func rows<Element>() -> [Element] where Value == [Element] {
        zip(value, taken?.models ?? []).compactMap { $1 == nil ? nil : $0 }
    }
}

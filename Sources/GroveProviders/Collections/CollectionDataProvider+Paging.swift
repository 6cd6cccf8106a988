import GroveConsistency
import GroveModel

extension CollectionDataProvider {
    /// Fetches the next page from the network, appends it to the list, and stores it.
    ///
    /// If this provider or another one of its key calls this while a page is on its way, one request is sent and all
    /// get its page. A model of the page that is already in the list is updated, and keeps its place. The page is
    /// dropped if the list was replaced or wiped meanwhile, or now ends with another element.
    ///
    /// - Parameter fetch: asks the network for the elements after `shown`.
    /// - Returns: the number of elements in the page, 0 at the end of the list; `nil` if the page was dropped.
    /// - Throws: the error of `fetch`. `CancellationError`, promptly, when the task is cancelled.
    @discardableResult
    public func loadMore(
        retry: LoadRetry = .never, context: (any Sendable)? = nil,
        fetch: @escaping @Sendable (_ shown: CollectionElements<T>) async throws -> [T]
    ) async throws -> Int? {
        let (store, wish, manager) = (store, request.number, dataModelManager)
        let key = RequestKey(
            type: ObjectIdentifier(CollectionDataProvider.self), name: "\(store.key.rawValue).\(store.rows.resets)")
        let (shown, resets) = (CollectionElements(entries: store.rows.entries), store.rows.resets)
        let last = store.rows.entries.count > 0 ? store.rows.entries[store.rows.entries.count - 1].handle : nil
        // The state is that of a load, if one is under way.
        let showsState = if case .loading = state { false } else { true }
        if showsState { updateState { $0.begin() } }
        do {
            let count = try await manager.request(
                key, shown: nil, retry, { try await fetch(shown) },
                settle: { page, place, body in
                    manager.settle(
                        page, asked: place, isList: true, saving: manager.followed == nil ? .nothing : .models, context
                    ) { body($0.answer(page, place)) }
                },
                { answer, isFirst -> Int? in
                    guard let taken = answer.taken else { return nil }
                    let end =
                        store.rows.entries.count > 0 ? store.rows.entries[store.rows.entries.count - 1].handle : nil
                    guard store.rows.resets == resets, !isFirst || end == last else { return nil }
                    if isFirst {
                        self.provider(of: store).append(answer, taken, context)
                    }
                    return answer.value.count
                })
            if showsState, wish == request.number { updateState { $0.end() } }
            return count
        } catch {
            if showsState, wish == request.number { updateState { $0.fail(error) } }
            throw error
        }
    }

    /// This provider, or another provider of `store` if this one shows another list by now.
    private func provider(of store: CollectionStore<T>) -> CollectionDataProvider {
        if self.store === store { return self }
        let provider = CollectionDataProvider(dataModelManager: dataModelManager)
        provider.join(store)
        return provider
    }

    /// Appends a page that was applied; elements that the list has already stay in place.
    private func append(_ answer: Answer<[T]>, _ taken: TakenAnswer, _ context: (any Sendable)?) {
        var (new, stored): ([T], [T]) = ([], [])
        var seen: Set<ModelIdentifier> = []
        for (original, model) in zip(answer.value, taken.models) {
            guard let model = model.flatMap({ Leaf.base($0) as? T }) else { continue }
            if let identifier = model.modelIdentifier {
                guard store.rows.element(identifier) == nil, seen.insert(identifier).inserted else { continue }
            }
            new.append(model)
            stored.append(dataModelManager.followed == nil ? model : original)
        }
        insert(
            new, at: entries.count, EntryPlace.last, true, context, isUpsert: true,
            page: AppliedPage(turn: taken.turn, place: answer.place, stored: stored))
    }
}

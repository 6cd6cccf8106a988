import GroveConsistency
import GroveModel

extension CollectionDataProvider {
    /// Appends the next page, which `fetch` brings from the network; it is stored with the rest.
    ///
    /// Of several calls while a page is on its way, also by siblings, the first one asks and all get its page. What the page
    /// has of models that are in the list already is their newest version, and they stay where they are. If the list was
    /// replaced or wiped meanwhile, or ends with another element now, the page is of another list: it is dropped.
    ///
    /// - Parameter fetch: asks the network for what comes behind `shown`.
    /// - Returns: how many elements the page had, 0 at the end of the list; `nil` where it was dropped.
    /// - Throws: what `fetch` throws. `CancellationError`, promptly, when the task is cancelled.
    @discardableResult
    public func loadMore(
        retry: LoadRetry = .never, context: (any Sendable)? = nil,
        fetch: @escaping @Sendable (_ shown: CollectionElements<T>) async throws -> [T]
    ) async throws -> Int? {
        let (store, wish) = (store, wishes)
        let key = FlightKey(
            type: ObjectIdentifier(CollectionDataProvider.self), name: "\(store.key.rawValue).\(store.resets)",
            epoch: dataModelManager.inOrder { $0 })
        let (shown, resets) = (CollectionElements(entries: store.entries), store.resets)
        let last = store.entries.count > 0 ? store.entries[store.entries.count - 1].handle : nil
        // The state is that of a load, where one is under way.
        let showsState = if case .loading = state { false } else { true }
        if showsState { updateState { $0.begin() } }
        do {
            let count = try await dataModelManager.request(key, retry, { try await fetch(shown) }) {
                (page, isFirst) -> Int? in
                guard store.resets == resets else { return nil }
                if isFirst {
                    let end = store.entries.count > 0 ? store.entries[store.entries.count - 1].handle : nil
                    guard end == last else { return nil }
                    self.provider(of: store).append(page: page, context)
                }
                return page.count
            }
            if showsState, wish == wishes { updateState { $0.end() } }
            return count
        } catch {
            if showsState, wish == wishes { updateState { $0.fail(error) } }
            throw error
        }
    }

    /// This provider, or one more where it shows another list by now.
    private func provider(of store: CollectionStore<T>) -> CollectionDataProvider {
        if self.store === store { return self }
        let provider = CollectionDataProvider(dataModelManager: dataModelManager)
        provider.join(store)
        return provider
    }

    private func append(page: [T], _ context: (any Sendable)?) {
        var (known, new): ([T], [T]) = ([], [])
        var seen: Set<ModelIdentifier> = []
        for model in page {
            guard let identifier = model.modelIdentifier else {
                new.append(model)
                continue
            }
            if store.element(identifier) != nil {
                known.append(model)
            } else if seen.insert(identifier).inserted {
                new.append(model)
            }
        }
        if !known.isEmpty { dataModelManager.updateModels(known, context: context) }
        append(new, context: context)
    }
}

import GroveConsistency
import GroveModel

extension CollectionDataProvider {
    /// Appends the next page, which `fetch` brings from the network; it is stored with the rest.
    ///
    /// Of several calls while a page is on its way, also by siblings, the first one asks and all get its page. What the page
    /// has of models that are in the list already is their newest version, and they stay where they are. If the list was
    /// replaced or wiped meanwhile, the page is of another list: it is dropped.
    ///
    /// - Parameter fetch: asks the network for what comes behind `shown`.
    /// - Returns: how many elements were appended; 0 at the end of the list.
    /// - Throws: what `fetch` throws. `CancellationError`, promptly, when the task is cancelled.
    @discardableResult
    public func loadMore(
        retry: LoadRetry = .never, context: (any Sendable)? = nil,
        fetch: @escaping @Sendable (_ shown: CollectionElements<T>) async throws -> [T]
    ) async throws -> Int {
        let (store, wish) = (store, wishes)
        let key = FlightKey(
            type: ObjectIdentifier(CollectionDataProvider.self), name: "\(store.key.rawValue).\(store.resets)",
            epoch: dataModelManager.inOrder { $0 })
        let (shown, resets) = (CollectionElements(entries: store.entries), store.resets)
        updateState { $0.begin() }
        do {
            let before = shown.count
            let count = try await dataModelManager.request(key, retry, { try await fetch(shown) }) { page, isFirst in
                guard self.store === store, store.resets == resets else { return 0 }
                guard isFirst else { return max(0, store.entries.count - before) }
                return self.append(page: page, context)
            }
            if wish == wishes { updateState { $0.end() } }
            return count
        } catch {
            if wish == wishes { updateState { $0.fail(error) } }
            throw error
        }
    }

    private func append(page: [T], _ context: (any Sendable)?) -> Int {
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
        return new.count
    }
}

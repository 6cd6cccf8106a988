import GroveModel

/// Edits of a collection that no provider need hold: of the list that providers share, if there is one, else of the
/// cached one.
extension CollectionDataProvider {
    /// A function that static edits call when they are done.
    public typealias EditCompletion = @MainActor @Sendable ((any Error)?) -> Void

    /// Replaces the collection of `cacheKey`.
    public static func setData(
        _ data: [T], cacheKey: String, dataModelManager: DataModelManager, context: (any Sendable)? = nil,
        completion: EditCompletion? = nil
    ) {
        holder(cacheKey, dataModelManager).setData(data, cacheKey: cacheKey, context: context)
        completion?(nil)
    }

    /// Inserts `newData` at the index that `index` returns for the present data.
    ///
    /// - Parameter completion: called exactly once, with `nil` when the elements were inserted. It gets a `CacheMiss`
    ///   if there is no such collection, or a `CacheError` with code `other` if the index is not in it.
    public static func insert(
        _ newData: [T], at index: @escaping @MainActor @Sendable ([T]) -> Int, cacheKey: String,
        dataModelManager: DataModelManager, context: (any Sendable)? = nil, completion: EditCompletion? = nil
    ) {
        edit(cacheKey, dataModelManager, context, completion) { provider, data in
            let index = index(data)
            guard (0...data.count).contains(index) else { return outside }
            provider.insert(newData, at: index, context: context)
            return nil
        }
    }

    /// Appends `newData`; if there is no such collection, it becomes the collection.
    public static func append(
        _ newData: [T], cacheKey: String, dataModelManager: DataModelManager, context: (any Sendable)? = nil,
        completion: EditCompletion? = nil
    ) {
        let provider = holder(cacheKey, dataModelManager)
        // Elements that the cache does not have are left out; the rest of the collection is kept.
        provider.store.load(for: provider, missing: .skip, context: context) { _, error in
            if error == nil { provider.append(newData, context: context) }
            completion?(error)
        }
    }

    /// Replaces the element at the index that `index` returns for the present data by another version of it, as
    /// ``update(_:at:shouldCache:context:)`` does.
    ///
    /// - Parameter completion: called as by ``insert(_:at:cacheKey:dataModelManager:context:completion:)``. It gets a
    ///   `CacheError` with code `other` too if another element is there, and the collection does not have `element`.
    public static func update(
        _ element: T, at index: @escaping @MainActor @Sendable ([T]) -> Int, cacheKey: String,
        dataModelManager: DataModelManager, context: (any Sendable)? = nil, completion: EditCompletion? = nil
    ) {
        edit(cacheKey, dataModelManager, context, completion) { provider, data in
            let index = index(data)
            guard data.indices.contains(index) else { return outside }
            let isDone = provider.update(element, at: index, context: context)
            return isDone ? nil : "The element at the index is another, and the collection does not have this one."
        }
    }

    /// Removes the element at the index that `index` returns for the present data.
    public static func removeAtIndex(
        _ index: @escaping @MainActor @Sendable ([T]) -> Int, cacheKey: String, dataModelManager: DataModelManager,
        context: (any Sendable)? = nil, completion: EditCompletion? = nil
    ) {
        edit(cacheKey, dataModelManager, context, completion) { provider, data in
            let index = index(data)
            guard data.indices.contains(index) else { return outside }
            provider.remove(at: index, context: context)
            return nil
        }
    }

    private static var outside: String { "An index is outside of the collection." }

    /// - Parameter body: makes the edit, or returns the reason why it did not.
    private static func edit(
        _ cacheKey: String, _ manager: DataModelManager, _ context: (any Sendable)?, _ completion: EditCompletion?,
        _ body: @escaping @MainActor (CollectionDataProvider<T>, [T]) -> String?
    ) {
        let provider = holder(cacheKey, manager)
        provider.store.load(for: provider, missing: .miss, context: context) { data, error in
            guard data != nil else {
                completion?(error ?? CacheMiss(.absent, ModelIdentifier(cacheKey)))
                return
            }
            // An edit that waited before this one may have changed the data.
            let reason = body(provider, provider.data)
            completion?(reason.map { CacheError(.other, $0) })
        }
    }

    /// A provider that joins the siblings for the time of an edit.
    private static func holder(_ cacheKey: String, _ manager: DataModelManager) -> CollectionDataProvider<T> {
        let provider = CollectionDataProvider<T>(dataModelManager: manager)
        provider.join(manager.store(cacheKey, of: T.self))
        return provider
    }
}

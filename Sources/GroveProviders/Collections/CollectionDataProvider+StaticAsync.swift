import GroveModel

/// Static edits for tasks: each returns when its edit is shown by the siblings and on its way to the cache, or throws
/// why there is none.
extension CollectionDataProvider {
    /// Inserts `newData` at the index that `index` returns for the present data, as the form with a completion does.
    public static func insert(
        _ newData: [T], at index: @escaping @MainActor @Sendable ([T]) -> Int, cacheKey: String,
        dataModelManager: DataModelManager, context: (any Sendable)? = nil
    ) async throws {
        try await awaiting {
            insert(
                newData, at: index, cacheKey: cacheKey, dataModelManager: dataModelManager, context: context,
                completion: $0)
        }
    }

    /// Appends `newData` as the form with a completion does.
    public static func append(
        _ newData: [T], cacheKey: String, dataModelManager: DataModelManager, context: (any Sendable)? = nil
    ) async throws {
        try await awaiting {
            append(
                newData, cacheKey: cacheKey, dataModelManager: dataModelManager, context: context, completion: $0)
        }
    }

    /// Replaces the element at the index that `index` returns for the present data, as the form with a completion does.
    public static func update(
        _ element: T, at index: @escaping @MainActor @Sendable ([T]) -> Int, cacheKey: String,
        dataModelManager: DataModelManager, context: (any Sendable)? = nil
    ) async throws {
        try await awaiting {
            update(
                element, at: index, cacheKey: cacheKey, dataModelManager: dataModelManager, context: context,
                completion: $0)
        }
    }

    /// Removes the element at the index that `index` returns for the present data, as the form with a completion does.
    public static func removeAtIndex(
        _ index: @escaping @MainActor @Sendable ([T]) -> Int, cacheKey: String, dataModelManager: DataModelManager,
        context: (any Sendable)? = nil
    ) async throws {
        try await awaiting {
            removeAtIndex(
                index, cacheKey: cacheKey, dataModelManager: dataModelManager, context: context, completion: $0)
        }
    }

    private static func awaiting(_ edit: (@escaping EditCompletion) -> Void) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            edit { error in
                if let error { continuation.resume(throwing: error) } else { continuation.resume() }
            }
        }
    }
}

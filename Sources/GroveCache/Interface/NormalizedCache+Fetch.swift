import Dispatch
public import GroveCoding
public import GroveModel

/// Typed reads for tasks: off the threads that tasks share, for which a read that waits for the disk is too long.
///
/// They have names of their own so that a task may still choose ``read(_:as:)-(_,M.Type)``, which is a microsecond for a
/// tree that is in memory already, where these cost a hop between threads. Cancellation is honoured before the read
/// begins, with code `cancelled`, and not afterwards. What a fetch sees is decided when it begins: at least every write
/// whose call returned before.
extension NormalizedCache {
    /// Reads the tree of `identifier` as ``read(_:as:)-(_,M.Type)`` does, without blocking the caller's thread.
    public func fetch<M: CacheableModel>(
        _ identifier: ModelIdentifier, as type: M.Type = M.self
    ) async throws(CacheError) -> CacheRead<M> {
        try await offThread { () throws(CacheError) in try self.read(identifier, as: type) }
    }

    /// Reads the tree of `identifier` as the call for a `CacheableModel` does.
    @_disfavoredOverload
    public func fetch<M: SimpleModel & Codable>(
        _ identifier: ModelIdentifier, as type: M.Type = M.self
    ) async throws(CacheError) -> CacheRead<M> {
        try await offThread { () throws(CacheError) in try self.read(identifier, as: type) }
    }

    /// Reads the collection under `key` as ``readCollection(_:as:in:missing:)-(_,M.Type,_,_)`` does, without blocking the
    /// caller's thread.
    public func fetchCollection<M: CacheableModel>(
        _ key: String, as type: M.Type = M.self, in range: Range<Int>? = nil, missing: MissingElements = .miss
    ) async throws(CacheError) -> CacheRead<CollectionRead<M>> {
        try await offThread { () throws(CacheError) in
            try self.readCollection(key, as: type, in: range, missing: missing)
        }
    }

    /// Reads the collection under `key` as the call for `CacheableModel`s does.
    @_disfavoredOverload
    public func fetchCollection<M: SimpleModel & Codable>(
        _ key: String, as type: M.Type = M.self, in range: Range<Int>? = nil, missing: MissingElements = .miss
    ) async throws(CacheError) -> CacheRead<CollectionRead<M>> {
        try await offThread { () throws(CacheError) in
            try self.readCollection(key, as: type, in: range, missing: missing)
        }
    }

    /// Runs `body` on a queue of the cache.
    func offThread<Value: Sendable>(
        _ body: @escaping @Sendable () throws(CacheError) -> Value
    ) async throws(CacheError) -> Value {
        guard !Task.isCancelled else { throw CacheError(.cancelled, "The task was cancelled before the read.") }
        let outcome: Result<Value, CacheError> = await withCheckedContinuation { continuation in
            core.readQueue.async {
                do throws(CacheError) {
                    continuation.resume(returning: .success(try body()))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        }
        return try outcome.get()
    }
}

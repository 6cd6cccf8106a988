public import GroveCache
import GroveCoding
public import GroveModel
import Synchronization

/// A near cache as the cache of a `DataModelManager`: it reads from the local store, and writes to the database.
///
/// Writes are made one after the other, in the order of calls, each in a commit of its own. A read waits for the writes
/// before it, and sees those that succeeded. Commits of other processes show at the next read: the manager is not told
/// of them.
///
/// A model is written and found under its own identifier, whatever the cache key. Lists are not kept: reading a list is
/// an error with code `unsupported`, and setting a list writes nothing.
///
/// ```swift
/// let cache = NearCacheDelegate(near) { identifier, error in
///     log("\(identifier?.rawValue ?? "?") was not saved: \(error)")
/// }
/// let manager = DataModelManager(cacheDelegate: cache)
/// ```
public final class NearCacheDelegate<Store: NodeStore>: CacheDelegate {
    private struct State {
        /// The last write that was called: it waits for those before it.
        var last: Task<Void, Never>?
        /// The number of writes that have ended, and the number of them that a fresh read has seen.
        var ended = 0
        var seen = 0
    }

    private let near: NearCache<Store>
    private let failed: @Sendable (ModelIdentifier?, any Error) -> Void
    private let state = Mutex(State())

    /// Makes the cache of a manager.
    ///
    /// - Parameter failed: called on any thread, once for each write that failed or whose outcome is unknown. It gets
    ///   the model's identifier and a ``SharedError``, or a ``CacheError`` with code `notCacheable`.
    public init(_ near: NearCache<Store>, failed: @escaping @Sendable (ModelIdentifier?, any Error) -> Void) {
        self.near = near
        self.failed = failed
    }

    /// Reads the model whose identifier is the cache key.
    ///
    /// The first read after a write is ``Freshness/fresh``, and the others are ``Freshness/near``.
    public func modelForKey<T: SimpleModel>(
        _ cacheKey: String?, context: (any Sendable)?, completion: @escaping @Sendable (T?, (any Error)?) -> Void
    ) {
        guard let cacheKey else { return completion(nil, nil) }
        guard let type = T.self as? any CacheableModel.Type else { return completion(nil, notCacheable(T.self)) }
        let last = state.withLock(\.last)
        Task { [self] in
            await last?.value
            do throws(SharedError) {
                completion(try await read(ModelIdentifier(cacheKey), type) as? T, nil)
            } catch {
                completion(nil, error)
            }
        }
    }

    /// Writes the model to the database.
    public func setModel(_ model: any SimpleModel, forKey cacheKey: String, context: (any Sendable)?) {
        guard let model = model as? any CacheableModel else {
            return failed(model.modelIdentifier, notCacheable(type(of: model)))
        }
        write(.put(model), model.modelIdentifier)
    }

    /// Deletes the model in the database.
    public func deleteModel(_ model: any SimpleModel, forKey cacheKey: String?, context: (any Sendable)?) {
        if let identifier = model.modelIdentifier { write(.delete(identifier), identifier) }
    }

    /// Lists are not kept: the error has the code `unsupported`.
    public func collectionForKey<T: SimpleModel>(
        _ cacheKey: String?, context: (any Sendable)?, completion: @escaping @Sendable ([T]?, (any Error)?) -> Void
    ) {
        completion(nil, CacheError(.unsupported, "A near cache keeps no lists."))
    }

    /// Does nothing: lists are not kept.
    public func setCollection(_ collection: [any SimpleModel], forKey cacheKey: String, context: (any Sendable)?) {}

    /// Empties the store of this machine; the database keeps what it has.
    public func wipe() async throws(CacheError) { try await near.store.wipe() }

    private func read<M: CacheableModel>(
        _ identifier: ModelIdentifier, _ type: M.Type
    ) async throws(SharedError) -> M? {
        let (ended, seen) = state.withLock { ($0.ended, $0.seen) }
        let model = try await near.model(identifier, as: type, seen < ended ? .fresh : .near)
        state.withLock { $0.seen = max($0.seen, ended) }
        return model
    }

    private func write(_ change: FarChange, _ identifier: ModelIdentifier?) {
        state.withLock { state in
            state.last = Task { [self, last = state.last] in
                await last?.value
                do throws(SharedError) {
                    _ = try await near.write([change])
                } catch {
                    failed(identifier, error)
                }
                // The write may have been made although it failed.
                self.state.withLock { $0.ended += 1 }
            }
        }
    }

    private func notCacheable(_ type: any SimpleModel.Type) -> CacheError {
        CacheError(.notCacheable, "\(type) has no coding: make it @Cacheable, or conform it to CacheableModel.")
    }
}

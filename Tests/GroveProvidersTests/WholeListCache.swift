import Grove
import Synchronization

/// A cache that stores lists whole, as an application's own may, and says what it was called with.
final class WholeListCache: CacheDelegate {
    private struct State {
        var models: [String: any SimpleModel] = [:]
        var lists: [String: [any SimpleModel]] = [:]
        var calls: [String] = []
        var failure: CacheError?
    }

    private let state = Mutex(State())

    init() {}

    /// The calls so far: what was done, and under which key.
    var calls: [String] { state.withLock { $0.calls } }

    func list(_ key: String) -> [Person]? { state.withLock { $0.lists[key]?.compactMap { $0 as? Person } } }

    /// Lets every read fail from now on.
    func fail(_ error: CacheError) { state.withLock { $0.failure = error } }

    func modelForKey<T: SimpleModel>(
        _ cacheKey: String?, context: (any Sendable)?, completion: @escaping @Sendable (T?, (any Error)?) -> Void
    ) {
        let (model, failure) = state.withLock { ($0.models[cacheKey ?? ""], $0.failure) }
        completion(failure == nil ? model as? T : nil, failure)
    }

    func setModel(_ model: any SimpleModel, forKey cacheKey: String, context: (any Sendable)?) {
        state.withLock {
            $0.models[cacheKey] = model
            $0.calls.append("setModel \(cacheKey)")
        }
    }

    func collectionForKey<T: SimpleModel>(
        _ cacheKey: String?, context: (any Sendable)?, completion: @escaping @Sendable ([T]?, (any Error)?) -> Void
    ) {
        let (list, failure) = state.withLock { ($0.lists[cacheKey ?? ""], $0.failure) }
        completion(failure == nil ? list.map { $0.compactMap { $0 as? T } } : nil, failure)
    }

    func setCollection(_ collection: [any SimpleModel], forKey cacheKey: String, context: (any Sendable)?) {
        state.withLock {
            $0.lists[cacheKey] = collection
            $0.calls.append("setCollection \(cacheKey)")
        }
    }

    func deleteModel(_ model: any SimpleModel, forKey cacheKey: String?, context: (any Sendable)?) {
        state.withLock {
            $0.models[cacheKey ?? ""] = nil
            $0.calls.append("deleteModel \(cacheKey ?? "")")
        }
    }
}

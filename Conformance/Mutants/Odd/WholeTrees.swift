import Dispatch
import GroveCache
import GroveConformance
import GroveModel
import Synchronization

/// A correct delegate of another kind: a dictionary of whole trees under their keys, as RocketData allowed.
///
/// A change of a person does not show in the messages that hold it. So it does not claim `normalizes`, and every rule
/// that is left must pass on it.
final class WholeTrees: CacheDelegate {
    private struct State {
        var models: [ModelIdentifier: any SimpleModel] = [:]
        var lists: [ModelIdentifier: [any SimpleModel]] = [:]
        var failure: CacheError?
        var isClosed = false
    }

    private let state = Mutex(State())
    private let answers = DispatchQueue(label: "grove.whole.trees", attributes: .concurrent)

    private func read<Value: Sendable>(
        _ key: String?, _ completion: @escaping @Sendable (Value?, (any Error)?) -> Void, _ find: (State) -> Value?
    ) {
        let (found, error) = state.withLock { state -> (Value?, CacheError?) in
            if state.isClosed { return (nil, CacheError(.closed, "The delegate was closed.")) }
            if key == "" { return (nil, CacheError(.emptyIdentifier, "A key of no bytes names nothing.")) }
            return (find(state), nil)
        }
        answers.async { completion(found, error) }
    }

    func modelForKey<T: SimpleModel>(
        _ cacheKey: String?, context: (any Sendable)?, completion: @escaping @Sendable (T?, (any Error)?) -> Void
    ) {
        read(cacheKey, completion) { state in cacheKey.flatMap { state.models[ModelIdentifier($0)] as? T } }
    }

    func collectionForKey<T: SimpleModel>(
        _ cacheKey: String?, context: (any Sendable)?, completion: @escaping @Sendable ([T]?, (any Error)?) -> Void
    ) {
        read(cacheKey, completion) { state in cacheKey.flatMap { state.lists[ModelIdentifier($0)] as? [T] } }
    }

    private func change(_ body: @Sendable (inout State) -> CacheError?) {
        state.withLock { state in
            let error = state.isClosed ? CacheError(.closed, "The delegate was closed.") : body(&state)
            state.failure = state.failure ?? error
        }
    }

    func setModel(_ model: any SimpleModel, forKey cacheKey: String, context: (any Sendable)?) {
        change { state in
            if cacheKey.isEmpty || model.modelIdentifier?.rawValue.isEmpty == true {
                return CacheError(.emptyIdentifier, "A key of no bytes names nothing.")
            }
            guard model.modelIdentifier != nil else {
                return CacheError(.unidentified, "A model without an identifier cannot be kept by itself.")
            }
            state.models[ModelIdentifier(cacheKey)] = model
            return nil
        }
    }

    func setCollection(_ collection: [any SimpleModel], forKey cacheKey: String, context: (any Sendable)?) {
        change { state in
            if cacheKey.isEmpty { return CacheError(.emptyIdentifier, "A key of no bytes names nothing.") }
            state.lists[ModelIdentifier(cacheKey)] = collection
            return nil
        }
    }

    func deleteModel(_ model: any SimpleModel, forKey cacheKey: String?, context: (any Sendable)?) {
        change { state in
            guard let identifier = model.modelIdentifier else {
                return CacheError(.unidentified, "A model without an identifier is not kept.")
            }
            if identifier.rawValue.isEmpty { return CacheError(.emptyIdentifier, "A key of no bytes names nothing.") }
            state.models[identifier] = nil
            if let cacheKey { state.models[ModelIdentifier(cacheKey)] = nil }
            return nil
        }
    }

    /// Throws the first failure since the last call.
    func flush() throws(CacheError) {
        let failure = state.withLock { state in
            defer { state.failure = nil }
            return state.isClosed ? CacheError(.closed, "The delegate was closed.") : state.failure
        }
        if let failure { throw failure }
    }

    func evict(_ identifier: ModelIdentifier) { state.withLock { $0.models[identifier] = nil } }

    func close() { state.withLock { $0.isClosed = true } }

    func wipeNow() throws(CacheError) {
        let isClosed = state.withLock { state in
            if !state.isClosed { (state.models, state.lists) = ([:], [:]) }
            return state.isClosed
        }
        if isClosed { throw CacheError(.closed, "The delegate was closed.") }
    }
}

/// The harness of ``WholeTrees``.
struct WholeTreesHarness: DelegateHarness {
    let profile = BackendProfile(
        name: "whole-trees", isPersistent: false, survivesCrash: false, isMultiProcess: false, readersNeverStall: true,
        maxValueBytes: 1 << 30)
    let capabilities: Set<Capability> = [.flush, .wipe, .close, .reopen, .evict]

    func makeDelegate() throws -> WholeTrees { WholeTrees() }
    func flush(_ delegate: WholeTrees) throws { try delegate.flush() }
    func wipe(_ delegate: WholeTrees) throws { try delegate.wipeNow() }
    func close(_ delegate: WholeTrees) throws { delegate.close() }
    func reopen(_ delegate: WholeTrees) throws -> WholeTrees { WholeTrees() }
    func evict(_ identifier: ModelIdentifier, from delegate: WholeTrees) throws { delegate.evict(identifier) }
}

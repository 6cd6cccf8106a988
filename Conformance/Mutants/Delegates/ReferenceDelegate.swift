import Dispatch
import GroveCache
import GroveConformance
import GroveModel
import Synchronization

/// The simplest correct delegate: a dictionary of models, whose trees are taken apart by `forEach` and put together by
/// `map`, as an application of RocketData's would.
///
/// It shares no code with `NormalizedCache`: no records, no encoding, no store. Where a rule of the delegates' suite
/// fails on it, the rule is wrong.
final class ReferenceDelegate: CacheDelegate {
    private let forest = Mutex(ReferenceForest())
    private let failure = Mutex<CacheError?>(nil)
    private let isClosed = Mutex(false)

    /// Answers come from here, so that no completion runs under a caller's lock.
    private let answers = DispatchQueue(label: "grove.reference.delegate", attributes: .concurrent)

    func modelForKey<T: SimpleModel>(
        _ cacheKey: String?, context: (any Sendable)?, completion: @escaping @Sendable (T?, (any Error)?) -> Void
    ) {
        answer(completion) { forest in try cacheKey.flatMap { try forest.model(forKey: $0, as: T.self) } }
    }

    func collectionForKey<T: SimpleModel>(
        _ cacheKey: String?, context: (any Sendable)?, completion: @escaping @Sendable ([T]?, (any Error)?) -> Void
    ) {
        answer(completion) { forest in try cacheKey.flatMap { try forest.collection(forKey: $0, as: T.self) } }
    }

    /// Calls `completion` with what `read` finds in the forest as it is now.
    private func answer<Value: Sendable>(
        _ completion: @escaping @Sendable (Value?, (any Error)?) -> Void,
        _ read: @escaping @Sendable (ReferenceForest) throws -> Value?
    ) {
        let isClosed = isClosed.withLock { $0 }
        let forest = forest.withLock { $0 }
        answers.async {
            do {
                if isClosed { throw CacheError(.closed, "The delegate was closed.") }
                completion(try read(forest), nil)
            } catch is ReferenceForest.Missing {
                completion(nil, nil)
            } catch {
                completion(nil, error)
            }
        }
    }

    func setModel(_ model: any SimpleModel, forKey cacheKey: String, context: (any Sendable)?) {
        change { forest throws(CacheError) in try forest.set(model, forKey: cacheKey) }
    }

    func setCollection(_ collection: [any SimpleModel], forKey cacheKey: String, context: (any Sendable)?) {
        change { forest throws(CacheError) in try forest.set(collection, forKey: cacheKey) }
    }

    func deleteModel(_ model: any SimpleModel, forKey cacheKey: String?, context: (any Sendable)?) {
        change { forest throws(CacheError) in try forest.delete(model.modelIdentifier, forKey: cacheKey) }
    }

    private func change(_ body: (inout ReferenceForest) throws(CacheError) -> Void) {
        let failed: CacheError? = forest.withLock { forest in
            do throws(CacheError) {
                if isClosed.withLock({ $0 }) { throw CacheError(.closed, "The delegate was closed.") }
                try body(&forest)
                return nil
            } catch {
                return error
            }
        }
        if let failed { failure.withLock { $0 = $0 ?? failed } }
    }

    /// Throws the first failure since the last call.
    func flush() throws(CacheError) {
        if isClosed.withLock({ $0 }) { throw CacheError(.closed, "The delegate was closed.") }
        let failed = failure.withLock { failure in
            defer { failure = nil }
            return failure
        }
        if let failed { throw failed }
    }

    func wipeNow() throws(CacheError) {
        if isClosed.withLock({ $0 }) { throw CacheError(.closed, "The delegate was closed.") }
        forest.withLock { $0 = ReferenceForest() }
    }

    func evict(_ identifier: ModelIdentifier) { forest.withLock { $0.evict(identifier) } }

    func close() { isClosed.withLock { $0 = true } }
}

/// The harness of a ``ReferenceDelegate``.
struct ReferenceDelegateHarness: DelegateHarness {
    let profile = BackendProfile(
        name: "reference-delegate", isPersistent: false, survivesCrash: false, isMultiProcess: false,
        readersNeverStall: true, maxValueBytes: 1 << 30)
    let capabilities: Set<Capability> = [.flush, .wipe, .close, .reopen, .evict, .normalizes]

    func makeDelegate() throws -> ReferenceDelegate { ReferenceDelegate() }
    func flush(_ delegate: ReferenceDelegate) throws { try delegate.flush() }
    func wipe(_ delegate: ReferenceDelegate) throws { try delegate.wipeNow() }
    func close(_ delegate: ReferenceDelegate) throws { delegate.close() }
    func reopen(_ delegate: ReferenceDelegate) throws -> ReferenceDelegate { ReferenceDelegate() }
    func evict(_ identifier: ModelIdentifier, from delegate: ReferenceDelegate) throws { delegate.evict(identifier) }
}

package import GroveCache
import GroveCoding
package import GroveModel
import Synchronization

/// The backend of a `CacheDelegate` with its harness.
package struct DelegateBackend<Harness: DelegateHarness>: ConformanceBackend {
    private let harness: Harness

    /// The backend's name in reports.
    package let name: String

    /// The command that starts a process to check rules on an equal backend.
    package let worker: WorkerCommand?

    /// Makes a backend from `harness`; its name is the profile's by default.
    package init(_ harness: Harness, name: String? = nil, worker: WorkerCommand? = nil) {
        self.harness = harness
        self.name = name ?? harness.profile.name
        self.worker = worker
    }

    /// The properties that the delegate declares.
    package var profile: BackendProfile { harness.profile }

    /// The suite for delegates.
    package var suite: RuleSuite { .delegate }

    /// The capabilities that the harness supplies, and those that the profile declares.
    package var capabilities: Set<Capability> {
        var all = harness.capabilities.intersection(Capability.ofDelegates)
        if profile.isPersistent { all.insert(.persistent) }
        if profile.isEvicting { all.insert(.evicting) }
        if profile.readersNeverStall { all.insert(.readersNeverStall) }
        return all
    }

    /// The place of a new delegate.
    package func makeSite() throws(CacheError) -> any CacheSite { DelegateSite(harness) }

    /// The place of a new delegate: the kit knows no directory of a delegate.
    package func site(at directory: String) -> any CacheSite { DelegateSite(harness) }
}

/// The place of one delegate.
final class DelegateSite<Harness: DelegateHarness>: CacheSite {
    private let harness: Harness
    private let current = Mutex<DelegateCache<Harness>?>(nil)

    let interceptor = StoreInterceptor()

    init(_ harness: Harness) { self.harness = harness }

    var directory: String? { nil }

    func open(at directory: String?, observer: (any CacheObserver)?) throws(CacheError) -> any ConformanceCache {
        let old = current.withLock { $0 }
        let cache = try typed { () throws in
            guard let old else { return DelegateCache(harness, try harness.makeDelegate()) }
            old.close()
            return DelegateCache(harness, try harness.reopen(old.delegate))
        }
        current.withLock { $0 = cache }
        return cache
    }

    func openStore() throws(CacheError) -> any NodeStore {
        throw CacheError(.unsupported, "A delegate has no store that the kit knows.")
    }

    func closeAll() {
        let old = current.withLock { $0 }
        old?.close()
    }

    func remove() { closeAll() }
}

/// A delegate as rules use it.
///
/// A write sets and then flushes; a read waits for its completion. A delegate does not report why a read missed or
/// which nodes a write changed.
final class DelegateCache<Harness: DelegateHarness>: ConformanceCache, ForwardingDelegate {
    private let harness: Harness
    private let isClosed = Mutex(false)

    let delegate: Harness.Delegate

    init(_ harness: Harness, _ delegate: Harness.Delegate) {
        self.harness = harness
        self.delegate = delegate
    }

    func write<M: CacheableModel>(contentsOf models: [M]) throws(CacheError) -> WrittenChanges {
        for model in models { setModel(model, forKey: model.modelIdentifier?.rawValue ?? "", context: nil) }
        try flush()
        return WrittenChanges()
    }

    func writeInTask<M: CacheableModel>(_ models: [M]) async throws(CacheError) -> WrittenChanges {
        guard !Task.isCancelled else { throw CacheError(.cancelled, "The task was cancelled.") }
        return try write(contentsOf: models)
    }

    func read<M: CacheableModel>(_ identifier: ModelIdentifier, as type: M.Type) throws(CacheError) -> CacheRead<M> {
        let found = try typed { try self.model(forKey: identifier.rawValue, as: type) }
        return found.map { .hit($0) } ?? .miss(CacheMiss(.unsaid, identifier))
    }

    func writeCollection<M: CacheableModel>(_ elements: [M], forKey key: String) throws(CacheError) -> WrittenChanges {
        setCollection(elements, forKey: key, context: nil)
        try flush()
        return WrittenChanges()
    }

    func readCollection<M: CacheableModel>(
        _ key: String, as type: M.Type, missing: MissingElements
    ) throws(CacheError) -> CacheRead<ReadElements<M>> {
        let found = try typed { try self.models(forKey: key, as: type) }
        return found.map { .hit(ReadElements($0)) } ?? .miss(CacheMiss(.unsaid, ModelIdentifier(key)))
    }

    func delete(_ identifier: ModelIdentifier) throws(CacheError) -> WrittenChanges {
        deleteModel(Name(modelIdentifier: identifier), forKey: nil, context: nil)
        try flush()
        return WrittenChanges()
    }

    func evict(_ identifier: ModelIdentifier) throws(CacheError) {
        try typed { try harness.evict(identifier, from: delegate) }
    }

    func wipe() throws(CacheError) { try typed { try harness.wipe(delegate) } }

    func flush() throws(CacheError) { try typed { try harness.flush(delegate) } }

    func size() throws(CacheError) -> StoreSize { throw CacheError(.unsupported, "A delegate does not say its size.") }

    func suspend() throws(CacheError) { throw CacheError(.unsupported, "A delegate cannot be suspended.") }

    func resume() throws(CacheError) { throw CacheError(.unsupported, "A delegate cannot be resumed.") }

    func close() {
        guard isClosed.withLock({ $0.turnTrue() }) else { return }
        try? harness.close(delegate)
    }
}

/// A model that is nothing but its identifier: enough to delete by.
private struct Name: SimpleModel, Equatable {
    let modelIdentifier: ModelIdentifier?
}

extension CacheMiss.Reason {
    /// The reason of a miss of a delegate, which has no way to say one.
    static let unsaid = CacheMiss.Reason("unsaid")
}

extension Bool {
    /// Becomes true.
    ///
    /// - Returns: whether it was not before.
    fileprivate mutating func turnTrue() -> Bool {
        defer { self = true }
        return !self
    }
}

/// Runs `body`; an error of another type comes out as a ``CacheError`` that names it.
func typed<Value>(_ body: () throws -> Value) throws(CacheError) -> Value {
    do {
        return try body()
    } catch {
        throw error as? CacheError ?? CacheError(.other, "\(error)")
    }
}

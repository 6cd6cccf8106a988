import GroveModel
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#endif

/// The stores that are open in this process, by what their directories are rather than how they are spelled.
///
/// Some engines must not be opened twice in one process (LMDB corrupts its locks), so a second handle on one directory,
/// through a symbolic link too, shares the first one's core.
final class CoreRegistry: Sendable {
    static let shared = CoreRegistry()

    private struct Place: Hashable {
        let store: ObjectIdentifier
        let directory: FileIdentity
    }

    private struct Entry {
        let core: CacheCore
        let options: any Sendable
        var handles: Int
    }

    private let entries = Mutex<[Place: Entry]>([:])

    /// The core on `directory`: the one that is open, or a new one.
    func core<Store: NodeStore>(
        _ store: Store.Type, directory: String?, options: Store.Options, policy: OpenPolicy,
        queueLimit: Int, budget: CacheBudget, clock: AgeClock, observer: (any CacheObserver)?
    ) throws(CacheError) -> (core: CacheCore, handle: UInt64) {
        let source = StoreSource(store, directory: directory, options: options, policy: policy)
        guard let directory else { return try CoreRegistry.open(source, queueLimit, budget, clock, observer) }
        try StoreDirectory.make(directory)
        let place = try CoreRegistry.place(of: directory, Store.self)
        while true {
            let found = try share(source, at: place, options, queueLimit, budget, clock, observer)
            guard let handle = found.handle else {
                try found.core.checkReentrance()
                finishClosing(found.core, at: place)
                continue
            }
            return (found.core, handle)
        }
    }

    /// The core at `place`, opened where there is none, or the one that is closing there, which takes no handle.
    private func share<Options: Sendable & Equatable>(
        _ source: StoreSource, at place: Place, _ options: Options, _ queueLimit: Int, _ budget: CacheBudget,
        _ clock: AgeClock, _ observer: (any CacheObserver)?
    ) throws(CacheError) -> (core: CacheCore, handle: UInt64?) {
        try entries.withLock { (entries) throws(CacheError) -> (core: CacheCore, handle: UInt64?) in
            if let entry = entries[place] {
                let core = entry.core
                guard entry.handles > 0 else { return (core, nil) }
                guard let current = entry.options as? Options, current == options,
                    core.index?.budget ?? .unlimited == budget
                else {
                    throw CacheError(
                        .optionsConflict,
                        "The store in \(source.directory ?? "") is open in this process with other options or another budget."
                    )
                }
                entries[place]?.handles += 1
                return (core, core.state.withLock { $0.enter(observer) })
            }
            let (core, handle) = try CoreRegistry.open(source, queueLimit, budget, clock, observer)
            entries[place] = Entry(core: core, options: options, handles: 1)
            return (core, handle)
        }
    }

    /// Gives one handle on `core` back, and closes it with the last one.
    func release(_ core: CacheCore) {
        let (place, isLast) = entries.withLock { entries -> (Place?, Bool) in
            guard let place = entries.first(where: { $0.value.core === core })?.key else { return (nil, true) }
            entries[place]?.handles -= 1
            return (place, entries[place]?.handles == 0)
        }
        guard isLast else { return core.drainNow() }
        // The core stays in the registry until it is closed: nobody may open its directory again before. The registry
        // is not locked meanwhile, for a read that the core waits for may open another store.
        guard let place else { return core.close() }
        finishClosing(core, at: place)
    }

    private func finishClosing(_ core: CacheCore, at place: Place) {
        core.close()
        entries.withLock { entries in
            if entries[place]?.core === core { entries[place] = nil }
        }
    }

    /// Notes that `core` has opened its directory anew, which may be another one of the same name by now.
    ///
    /// - Throws: ``CacheError`` with code `locked` where another core of this process has that one open.
    func relocate(_ core: CacheCore) throws(CacheError) {
        guard let directory = core.source.directory else { return }
        try entries.withLock { (entries) throws(CacheError) in
            guard let place = entries.first(where: { $0.value.core === core })?.key else { return }
            guard let identity = FileIdentity(directory) else {
                throw CacheError(.inputOutput, "The directory \(directory) cannot be read.", engineCode: Int(errno))
            }
            let current = Place(store: place.store, directory: identity)
            guard current != place else { return }
            guard entries[current] == nil else {
                throw CacheError(
                    .locked, "The directory \(directory) was made anew and is open in this process; close this handle.")
            }
            entries[current] = entries.removeValue(forKey: place)
        }
    }

    private static func open(
        _ source: StoreSource, _ queueLimit: Int, _ budget: CacheBudget,
        _ clock: AgeClock, _ observer: (any CacheObserver)?
    ) throws(CacheError) -> (core: CacheCore, handle: UInt64) {
        let core = try CacheCore(source, queueLimit: queueLimit, budget: budget, clock: clock)
        let handle = core.state.withLock { $0.enter(observer) }
        if let failure = core.state.withLock({ $0.opened?.rebuiltAfter }) {
            core.notify { $0.cacheDidRebuild(after: failure) }
        }
        return (core, handle)
    }

    private static func place<Store: NodeStore>(
        of directory: String, _ store: Store.Type
    ) throws(CacheError) -> Place {
        guard let identity = FileIdentity(directory) else {
            throw CacheError(.inputOutput, "The directory \(directory) cannot be read.", engineCode: Int(errno))
        }
        return Place(store: ObjectIdentifier(store), directory: identity)
    }
}

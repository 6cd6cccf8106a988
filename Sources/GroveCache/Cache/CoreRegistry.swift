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
        let device: UInt64
        let inode: UInt64
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
        queueLimit: Int, budget: CacheBudget, observer: (any CacheObserver)?
    ) throws(CacheError) -> CacheCore {
        guard let directory else {
            let core = try CacheCore(
                store: try Store(directory: nil, options: options), directory: nil, queueLimit: queueLimit,
                budget: budget)
            if let observer { core.state.withLock { $0.observers.append(observer) } }
            return core
        }
        try StoreDirectory.make(directory)
        let place = try CoreRegistry.place(of: directory, Store.self)
        while true {
            let found = try share(store, directory, at: place, options, policy, queueLimit, budget, observer)
            guard found.isClosing else { return found.core }
            try found.core.checkReentrance()
            finishClosing(found.core, at: place)
        }
    }

    /// The core at `place`, opened where there is none, or the one that is closing there.
    private func share<Store: NodeStore>(
        _ store: Store.Type, _ directory: String, at place: Place, _ options: Store.Options, _ policy: OpenPolicy,
        _ queueLimit: Int, _ budget: CacheBudget, _ observer: (any CacheObserver)?
    ) throws(CacheError) -> (core: CacheCore, isClosing: Bool) {
        try entries.withLock { (entries) throws(CacheError) -> (core: CacheCore, isClosing: Bool) in
            if let entry = entries[place] {
                let core = entry.core
                guard entry.handles > 0 else { return (core, true) }
                guard let current = entry.options as? Store.Options, current == options,
                    core.index?.budget ?? .unlimited == budget
                else {
                    throw CacheError(
                        .optionsConflict, "The store in \(directory) is open in this process with other options or another budget.")
                }
                entries[place]?.handles += 1
                if let observer { core.state.withLock { $0.observers.append(observer) } }
                return (core, false)
            }
            let core = try CoreRegistry.open(store, directory, options, policy, queueLimit, budget, observer)
            entries[place] = Entry(core: core, options: options, handles: 1)
            return (core, false)
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

    private static func open<Store: NodeStore>(
        _ store: Store.Type, _ directory: String, _ options: Store.Options, _ policy: OpenPolicy,
        _ queueLimit: Int, _ budget: CacheBudget, _ observer: (any CacheObserver)?
    ) throws(CacheError) -> CacheCore {
        let failure: CacheError
        do throws(CacheError) {
            let core = try CacheCore(
                store: try Store(directory: directory, options: options), directory: directory, queueLimit: queueLimit,
                budget: budget)
            if let observer { core.state.withLock { $0.observers.append(observer) } }
            return core
        } catch {
            failure = error
        }
        guard failure.code == .corrupted, policy == .rebuild else { throw failure }
        try StoreDirectory.setAside(directory)
        let core = try CacheCore(
            store: try Store(directory: directory, options: options), directory: directory, queueLimit: queueLimit,
                budget: budget)
        if let observer { core.state.withLock { $0.observers.append(observer) } }
        core.notify { $0.cacheDidRebuild(after: failure) }
        return core
    }

    private static func place<Store: NodeStore>(
        of directory: String, _ store: Store.Type
    ) throws(CacheError) -> Place {
        var status = stat()
        guard unsafe stat(directory, &status) == 0 else {
            throw CacheError(.inputOutput, "The directory \(directory) cannot be read.", engineCode: Int(errno))
        }
        return Place(
            store: ObjectIdentifier(store), device: UInt64(truncatingIfNeeded: status.st_dev),
            inode: UInt64(truncatingIfNeeded: status.st_ino))
    }
}

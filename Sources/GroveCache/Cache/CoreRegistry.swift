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
/// through a symbolic link too, shares the first one's core. A core keeps the path without links: were it to follow one that
/// is moved, a handle on the directory itself would find itself elsewhere. A directory that was renamed is refused under
/// its new name as long as a core has it by the old one, where it will make its store anew.
final class CoreRegistry: Sendable {
    static let shared = CoreRegistry()

    private struct Place: Hashable {
        let store: ObjectIdentifier
        let directory: FileIdentity
        /// Not 0 where the directory is gone and another one has its number.
        var displacement = 0
    }

    private struct Entry {
        let core: CacheCore
        let options: any Sendable
        var handles: Int
    }

    private struct Content {
        var entries: [Place: Entry] = [:]
        private var displacements = 0

        func place(of core: CacheCore) -> Place? { entries.first { $0.value.core === core }?.key }

        /// The entry at `place`; one whose directory was removed, and its number given to that at `place`, makes room.
        mutating func entry(at place: Place) -> Entry? {
            guard let entry = entries[place], !entry.core.isIn(place.directory) else { return entries[place] }
            displacements += 1
            entries[place] = nil
            entries[Place(store: place.store, directory: place.directory, displacement: displacements)] = entry
            return nil
        }
    }

    /// Whose turn it is to open a store in one of the directories that share it.
    private final class Turn: Sendable {
        let mutex = Mutex<Void>(())
    }

    private let content = Mutex(Content())
    /// Who opens a store waits for its directory's turn, so that nobody opens one that is being opened.
    ///
    /// Directories share turns by chance.
    private let turns = (0..<64).map { _ in Turn() }

    private func turn(of directory: FileIdentity) -> Turn {
        turns[Int(UInt(bitPattern: directory.hashValue) % UInt(turns.count))]
    }

    /// The core on `directory`: the one that is open, or a new one.
    func core<Store: NodeStore>(
        _ store: Store.Type, directory: String?, options: Store.Options, policy: OpenPolicy,
        queueLimit: Int, budget: CacheBudget, clock: AgeClock, observer: (any CacheObserver)?
    ) throws(CacheError) -> (core: CacheCore, handle: UInt64) {
        try budget.check(Store.profile)
        guard let named = directory else {
            let source = StoreSource(store, directory: nil, options: options, policy: policy)
            return try CoreRegistry.open(source, nil, queueLimit, budget, clock, observer)
        }
        while true {
            try StoreDirectory.make(named)
            let directory = StoreDirectory.resolve(named)
            let source = StoreSource(store, directory: directory, options: options, policy: policy)
            let identity = try CoreRegistry.identity(of: directory)
            let found = try turn(of: identity).mutex.withLock {
                (_) throws(CacheError) -> (core: CacheCore, handle: UInt64?)? in
                // Whoever waited for long looks again.
                guard FileIdentity(directory) == identity,
                    StoreDirectory.isSame(StoreDirectory.resolve(named), directory)
                else { return nil }
                let place = Place(store: ObjectIdentifier(store), directory: identity)
                try checkPath(of: place, for: named)
                if let found = try enter(place, source, options, budget, observer) { return found }
                let (core, handle) = try CoreRegistry.open(source, identity, queueLimit, budget, clock, observer)
                content.withLock { $0.entries[place] = Entry(core: core, options: options, handles: 1) }
                return (core, handle)
            }
            guard let found else { continue }
            if let handle = found.handle { return (found.core, handle) }
            try found.core.checkReentrance()
            finishClosing(found.core)
        }
    }

    /// Refuses to share a core whose own path does not lead to `place`, or does so by a link that was made since.
    ///
    /// The core goes on where its path leads, which is right for whoever calls the directory that. The turn of `place` is the
    /// caller's.
    ///
    /// - Throws: ``CacheError`` with code `locked`.
    private func checkPath(of place: Place, for directory: String) throws(CacheError) {
        let core = content.withLock { content -> CacheCore? in
            guard let entry = content.entry(at: place), entry.handles > 0 else { return nil }
            return entry.core
        }
        guard let own = core?.source.directory, !StoreDirectory.isSame(own, directory) else { return }
        guard FileIdentity(own) == place.directory, StoreDirectory.isSame(StoreDirectory.resolve(own), own) else {
            throw CacheError(
                .locked,
                "The directory \(directory) is open in this process as \(own), which was moved; close that cache first."
            )
        }
    }

    /// One more handle on the core at `place`, none where it is closing; `nil` where there is no core.
    private func enter<Options: Sendable & Equatable>(
        _ place: Place, _ source: StoreSource, _ options: Options, _ budget: CacheBudget,
        _ observer: (any CacheObserver)?
    ) throws(CacheError) -> (core: CacheCore, handle: UInt64?)? {
        try content.withLock { (content) throws(CacheError) -> (core: CacheCore, handle: UInt64?)? in
            guard let entry = content.entry(at: place) else { return nil }
            guard entry.handles > 0 else { return (entry.core, nil) }
            guard entry.options as? Options == options, entry.core.index?.budget ?? .unlimited == budget else {
                throw CacheError(
                    .optionsConflict,
                    "The store in \(source.directory ?? "") is open in this process with other options or another budget."
                )
            }
            content.entries[place]?.handles += 1
            return (entry.core, entry.core.state.withLock { $0.enter(observer) })
        }
    }

    /// Gives one handle on `core` back, and closes it with the last one.
    func release(_ core: CacheCore) {
        let (isRegistered, isLast) = content.withLock { content -> (Bool, Bool) in
            guard let place = content.place(of: core) else { return (false, true) }
            content.entries[place]?.handles -= 1
            return (true, content.entries[place]?.handles == 0)
        }
        guard isLast else { return core.drainNow() }
        // The core stays in the registry until it is closed: nobody may open its directory again before. The registry
        // is not locked meanwhile, for a read that the core waits for may open another store.
        guard isRegistered else { return core.close() }
        finishClosing(core)
    }

    private func finishClosing(_ core: CacheCore) {
        core.close()
        content.withLock { content in
            // It may have come to be elsewhere.
            if let place = content.place(of: core) { content.entries[place] = nil }
        }
    }

    /// Opens the store of `core` again, which is not open: in the directory of now, which may be another one of the same
    /// name.
    ///
    /// - Throws: ``CacheError`` with code `locked` where another core of this process has that one open, and what opening
    ///   throws.
    func reopen(_ core: CacheCore) throws(CacheError) -> StoreSource.Opened {
        guard let directory = core.source.directory, core.source.isPersistent else { return try core.open() }
        try StoreDirectory.make(directory)
        let identity = try CoreRegistry.identity(of: directory)
        return try turn(of: identity).mutex.withLock { (_) throws(CacheError) -> StoreSource.Opened in
            let other = content.withLock { content -> Entry? in
                guard let former = content.place(of: core) else { return nil }
                let entry = content.entry(at: Place(store: former.store, directory: identity))
                return entry?.core === core ? nil : entry
            }
            if let other {
                throw CacheError(
                    .locked,
                    "The directory \(directory) was made anew and is open in this process; "
                        + (other.handles > 0 ? "close this handle." : "it is being closed: try again."))
            }
            let opened = try core.open(in: identity)
            content.withLock { content in
                guard let former = content.place(of: core) else { return }
                let entry = content.entries.removeValue(forKey: former)
                content.entries[Place(store: former.store, directory: identity)] = entry
            }
            return opened
        }
    }

    private static func open(
        _ source: StoreSource, _ place: FileIdentity?, _ queueLimit: Int, _ budget: CacheBudget,
        _ clock: AgeClock, _ observer: (any CacheObserver)?
    ) throws(CacheError) -> (core: CacheCore, handle: UInt64) {
        let core = try CacheCore(source, in: place, queueLimit: queueLimit, budget: budget, clock: clock)
        let handle = core.state.withLock { $0.enter(observer) }
        if let failure = core.state.withLock({ $0.opened?.rebuiltAfter }) {
            core.notify { $0.cacheDidRebuild(after: failure) }
        }
        return (core, handle)
    }

    private static func identity(of directory: String) throws(CacheError) -> FileIdentity {
        guard let identity = FileIdentity(directory) else {
            throw CacheError(.inputOutput, "The directory \(directory) cannot be read.", engineCode: Int(errno))
        }
        return identity
    }
}

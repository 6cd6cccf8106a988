import Dispatch
import GroveModel
import GrovePlatform
import Synchronization

/// The stores that are open in this process, by their directories.
///
/// Some engines must not be opened twice in one process (LMDB corrupts its locks), so a second handle on one directory
/// shares the first one's core. Directories are one if their paths without links are, or if the system says that they
/// are one. While a core is being opened or closed, callers that want its directory wait for that, and other callers do
/// not.
final class CoreRegistry: Sendable {
    static let shared = CoreRegistry()

    private enum Phase {
        case opening
        case open(CacheCore, options: any Sendable, handles: Int)
        case closing(CacheCore)
    }

    private struct Entry {
        let store: ObjectIdentifier
        let path: String
        /// The directory that the store is open in; `nil` while the store is let go of.
        ///
        /// The directory is not held open then: if it is removed, the system may give its number to another one.
        var directory: FileIdentity?
        var phase = Phase.opening
        /// The group that is left once the core is open or closed.
        let settled = DispatchGroup()

        func isOpen(_ core: CacheCore) -> Bool {
            guard case .open(let own, _, _) = phase else { return false }
            return own === core
        }

        /// Whether both are of one store in one directory.
        func isSame(as wanted: Entry) -> Bool {
            guard store == wanted.store else { return false }
            return StoreDirectory.isSame(path, wanted.path) || (directory ?? FileIdentity(path)) == wanted.directory
        }
    }

    /// The next step of a caller that wants a directory.
    private enum Step {
        case open
        case share(CacheCore, options: any Sendable)
        /// Waits for the opening of a core, or for the closing of this one.
        case wait(DispatchGroup, CacheCore?)
    }

    private let entries = Lock<[Entry]>([])
    /// Whether this process was made by `fork` and has inherited the registry; one made by a bare `clone` or `_Fork` is
    /// not noticed.
    private static let isInherited = Atomic(false)

    private init() {
        // In a child no other thread is there to finish what it began, so that the value is made before a fork.
        CoreRegistry.isInherited.store(false, ordering: .relaxed)
        pthread_atfork(nil, nil) { CoreRegistry.isInherited.store(true, ordering: .relaxed) }
    }

    /// - Throws: ``CacheError`` with code `unsupported` in a child made by `fork`: engines' locks and threads did not
    ///   come along.
    @inline(__always)
    func checkProcess() throws(CacheError) {
        if !isOfThisProcess { throw .isForked }
    }

    /// Whether this is the process that opened the first cache, rather than a child that has inherited its caches.
    @inline(__always)
    var isOfThisProcess: Bool { !CoreRegistry.isInherited.load(ordering: .relaxed) }

    /// A handle on the core of `directory`: the one that is open, or a new one.
    func core<Store: NodeStore>(
        _ store: Store.Type, directory named: String?, options: Store.Options, policy: OpenPolicy,
        queueLimit: Int, budget: CacheBudget, clock: AgeClock, observer: (any CacheObserver)?
    ) throws(CacheError) -> (core: CacheCore, handle: HandleID) {
        try checkProcess()
        try budget.check(Store.profile)
        guard !budget.isLimited || Store.self is any BudgetedStore.Type else {
            throw CacheError(.unsupported, "\(Store.profile.name) cannot keep a budget; its store is no BudgetedStore.")
        }
        func open(_ directory: String?) throws(CacheError) -> CacheCore {
            let source = StoreSource(store, directory: directory, options: options, policy: policy)
            return try CacheCore(source, queueLimit: queueLimit, budget: budget, clock: clock)
        }
        guard let named else {
            let core = try open(nil)
            return (core, core.enter(observer))
        }
        while true {
            try StoreDirectory.make(named)
            let path = StoreDirectory.resolve(named)
            guard let directory = FileIdentity(path) else {
                throw CacheError(.inputOutput, "The directory \(path) cannot be read.", engineCode: Int(errno))
            }
            let entry = Entry(store: ObjectIdentifier(store), path: path, directory: directory)
            switch step(entry) {
            case .wait(let group, let core):
                try core?.checkReentrance()
                group.wait()
            case .share(let core, let others):
                // A directory that was moved is no longer found by the path at which its cache opens it again.
                guard let former = core.source.directory, former == path || FileIdentity(former) == directory else {
                    release(core)
                    throw CacheError(
                        .locked,
                        "The store in \(path) is open in this process under its former path. Close that cache first.")
                }
                guard others as? Store.Options == options, core.evictor?.budget ?? .unlimited == budget else {
                    release(core)
                    throw CacheError(
                        .optionsConflict,
                        "The store in \(path) is open in this process with other options or another budget.")
                }
                // The directory may have been emptied since.
                core.noticeIfReplaced()
                return (core, core.enter(observer))
            case .open:
                let core: CacheCore
                do throws(CacheError) {
                    core = try open(path)
                } catch {
                    remove { $0.settled === entry.settled }
                    throw error
                }
                entries.withLock { entries in
                    guard let index = entries.firstIndex(where: { $0.settled === entry.settled }) else { return }
                    entries[index].phase = .open(core, options: options, handles: 1)
                }
                entry.settled.leave()
                let handle = core.enter(observer)
                core.tellOfRebuild()
                return (core, handle)
            }
        }
    }

    /// Takes a handle on the core of `wanted`, or enters `wanted` if there is none.
    private func step(_ wanted: Entry) -> Step {
        entries.withLock { entries in
            guard let found = entries.firstIndex(where: { $0.isSame(as: wanted) }) else {
                wanted.settled.enter()
                entries.append(wanted)
                return .open
            }
            switch entries[found].phase {
            case .opening: return .wait(entries[found].settled, nil)
            case .closing(let core): return .wait(entries[found].settled, core)
            case .open(let core, let others, let handles):
                entries[found].phase = .open(core, options: others, handles: handles + 1)
                return .share(core, options: others)
            }
        }
    }

    /// Gives one handle on `core` back, and closes it with the last one.
    func release(_ core: CacheCore) {
        let isLast = entries.withLock { entries in
            guard let index = entries.firstIndex(where: { $0.isOpen(core) }),
                case .open(_, let options, let handles) = entries[index].phase
            else { return true }
            guard handles == 1 else {
                entries[index].phase = .open(core, options: options, handles: handles - 1)
                return false
            }
            // The directory stays taken until the core is closed. The registry is not locked meanwhile, for a read that
            // the core waits for may open another store.
            entries[index].settled.enter()
            entries[index].phase = .closing(core)
            return true
        }
        guard isLast else { return core.drainNow() }
        core.close()
        remove { entry in
            guard case .closing(let own) = entry.phase else { return false }
            return own === core
        }
    }

    /// Notes that `core` has opened its store again: another directory may have the path by now.
    func noteReopening(of core: CacheCore) {
        set(core.source.directory.flatMap { FileIdentity($0) }, of: core)
    }

    /// Notes that `core` is about to let go of its store.
    func noteLettingGo(of core: CacheCore) { set(nil, of: core) }

    private func set(_ directory: FileIdentity?, of core: CacheCore) {
        entries.withLock { entries in
            guard let index = entries.firstIndex(where: { $0.isOpen(core) }) else { return }
            entries[index].directory = directory
        }
    }

    /// Removes the entry for which `isIt` is true, and lets the callers that wait for it go on.
    private func remove(where isIt: (Entry) -> Bool) {
        let entry = entries.withLock { entries in
            entries.firstIndex(where: isIt).map { entries.remove(at: $0) }
        }
        entry?.settled.leave()
    }
}

extension CacheError {
    fileprivate static var isForked: CacheError {
        CacheError(
            .unsupported,
            "The process was made by fork after a cache was opened; start one with posix_spawn or exec, and open the cache there."
        )
    }
}

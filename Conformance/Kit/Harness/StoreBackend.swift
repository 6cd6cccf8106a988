package import GroveCache
package import GroveModel

/// The backend of a ``NodeStore`` with its harness: the kit checks it under a ``NormalizedCache``.
package struct StoreBackend<Harness: StoreHarness>: ConformanceBackend {
    private let harness: Harness
    private let decorate: @Sendable (any ConformanceCache) -> any ConformanceCache

    /// The backend's name in reports.
    package let name: String

    /// The command that starts a process for the kit's jobs on this backend.
    package let worker: WorkerCommand?

    /// Makes a backend from `harness`.
    ///
    /// - Parameters:
    ///   - name: the backend's name in reports; the profile's name by default.
    ///   - worker: the command of a process that calls ``ConformanceWorker`` on an equal backend. Without it, rules
    ///     that need a process are skipped.
    ///   - decorate: a function that wraps each cache that is opened; mutants use it.
    package init(
        _ harness: Harness, name: String? = nil, worker: WorkerCommand? = nil,
        decorate: @escaping @Sendable (any ConformanceCache) -> any ConformanceCache = { $0 }
    ) {
        self.harness = harness
        self.name = name ?? Harness.Store.profile.name
        self.worker = worker
        self.decorate = decorate
    }

    /// The properties that the store declares.
    package var profile: BackendProfile { Harness.Store.profile }

    /// The capabilities that the kit supplies for every store, and those that the profile declares.
    package var capabilities: Set<Capability> {
        var all = Capability.ofStores
        let profile = profile
        if profile.isPersistent { all.formUnion([.persistent, .directory]) }
        if profile.isPersistent, worker != nil {
            all.insert(.processes)
            if FaultLibrary.isPossible { all.insert(.systemFaults) }
            if SmallDisk.isPossible { all.insert(.smallDisk) }
        }
        if profile.survivesCrash { all.insert(.survivesCrash) }
        if harness.smallOptions != nil { all.insert(.bounded) }
        if profile.isMultiProcess { all.insert(.multiProcess) }
        if profile.isEvicting { all.insert(.evicting) }
        if profile.readersNeverStall { all.insert(.readersNeverStall) }
        if profile.hasUnverifiedPages { all.insert(.unverifiedPages) }
        if profile.opensOnFullDisk { all.insert(.opensOnFullDisk) }
        return all
    }

    /// A new place for a cache, in a directory of its own.
    package func makeSite() throws(CacheError) -> any CacheSite {
        StoreSite(harness, directory: try harness.makeDirectory(), decorate: decorate)
    }

    /// The place in `directory`.
    package func site(at directory: String) -> any CacheSite {
        StoreSite(harness, directory: directory, decorate: decorate)
    }
}

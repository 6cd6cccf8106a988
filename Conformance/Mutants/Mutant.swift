public import GroveConformance
import GroveHarnesses

/// A store or a cache that is broken on purpose in one way, and that some rule must find out.
public struct Mutant: Sendable {
    /// The name by which rules list it.
    public let name: String
    /// What is wrong with it, in one sentence.
    public let summary: String
    /// It, as the kit runs rules on it.
    public let backend: any ConformanceBackend
    /// How a process is started that checks rules on it.
    public var worker: WorkerCommand?

    /// The same mutant, which `worker` checks.
    func with(_ worker: WorkerCommand?) -> Mutant {
        var mutant = self
        mutant.worker = worker
        return mutant
    }

    /// Makes a mutant of a store.
    static func store<Flaw: StoreFlaw>(
        _ name: String, _ summary: String, _ flaw: Flaw.Type, options: ReferenceOptions = ReferenceOptions()
    ) -> Mutant {
        Mutant(
            name: name, summary: summary,
            backend: StoreBackend(ReferenceHarness<Flaw>(options: options), name: name))
    }

    /// Makes a mutant of a cache over the correct store.
    static func cache<Broken: ForwardingCache>(_ name: String, _ summary: String, _ broken: Broken.Type) -> Mutant {
        Mutant(
            name: name, summary: summary,
            backend: StoreBackend(ReferenceHarness<NoFlaw>(), name: name) { Broken($0) })
    }

    /// Makes a mutant of a cache over the correct persistent store.
    static func log<Broken: ForwardingCache>(_ name: String, _ summary: String, _ broken: Broken.Type) -> Mutant {
        Mutant(name: name, summary: summary, backend: StoreBackend(LogHarness(), name: name) { Broken($0) })
    }

    /// Makes a mutant of a cache over one of the four backends: two are persistent, within a budget and shared by
    /// processes, which no store made for the kit is.
    static func backend<Broken: ForwardingCache>(
        _ backend: String, _ name: String, _ summary: String, _ broken: Broken.Type, _ worker: WorkerCommand?
    ) -> Mutant? {
        Harnesses.backend(backend, worker: worker, as: name) { Broken($0) }
            .map { Mutant(name: name, summary: summary, backend: $0, worker: worker) }
    }

    /// Makes a mutant of the correct persistent store.
    static func log(_ name: String, _ summary: String, _ flaw: LogFlaw, _ worker: WorkerCommand?) -> Mutant {
        Mutant(
            name: name, summary: summary,
            backend: StoreBackend(LogHarness(options: LogOptions(flaw: flaw)), name: name, worker: worker),
            worker: worker)
    }

    /// Makes a mutant of a cache over the correct persistent store.
    static func log<Broken: ForwardingCache>(
        _ name: String, _ summary: String, _ broken: Broken.Type, _ worker: WorkerCommand?
    ) -> Mutant {
        Mutant(
            name: name, summary: summary,
            backend: StoreBackend(LogHarness(), name: name, worker: worker) { Broken($0) },
            worker: worker)
    }
}

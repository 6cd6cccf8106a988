package import GroveConformance
import GroveHarnesses

/// A store or a cache that is broken on purpose in one way, which at least one rule must detect.
package struct Mutant: Sendable {
    /// The name under which rules list the mutant.
    package let name: String
    /// The defect, in one sentence.
    package let summary: String
    /// The backend on which the kit checks rules.
    package let backend: any ConformanceBackend
    /// The command of a process that checks rules on the mutant; `nil` if there is none.
    package var worker: WorkerCommand?

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

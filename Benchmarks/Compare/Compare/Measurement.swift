import GroveCache
import GroveModel

/// What is measured, on which backends and of which data.
package struct Measurement {
    /// How the models are coded.
    package enum Coding: String, CaseIterable {
        case specialised
        case codable
    }

    /// What the caches hold.
    package enum Source {
        /// The trees of a document, which is called so.
        case document(Document, name: String)
        /// A generated feed of so many nodes.
        case feed(nodes: Int)
    }

    private let workloads: [Workload]
    private let backends: [BackendName]
    private let codings: [Coding]
    private let isFull: Bool
    private let seed: UInt64
    private let budget: Int?
    private let directory: TemporaryDirectory

    /// - Parameters:
    ///   - codings: where it is empty, both are measured, the second in those workloads where it shows.
    ///   - isFull: whether there are more and longer repetitions than a first look needs.
    ///   - budget: bytes on disk that each cache may take; `nil` without a limit.
    ///   - directory: where stores are made.
    package init(
        _ workloads: [Workload], _ backends: [BackendName], codings: [Coding], isFull: Bool, seed: UInt64,
        budget: Int?, in directory: TemporaryDirectory
    ) {
        (self.workloads, self.backends, self.codings) = (workloads, backends, codings)
        (self.isFull, self.seed, self.budget, self.directory) = (isFull, seed, budget, directory)
    }

    /// Measures with the data of `source`.
    ///
    /// - Parameter isStopped: asked before each workload; then the report has what was measured until then.
    package func run(_ source: Source, until isStopped: @escaping () -> Bool = { false }) throws -> CompareReport {
        var report = CompareReport()
        defer { Terminal.progress("") }
        let both = codings.isEmpty ? workloads.count(where: \.dependsOnCoding) : workloads.count * (codings.count - 1)
        let progress = MeasurementProgress(
            steps: backends.count * (workloads.count + both + 1), until: isStopped)
        report.budget = budget
        report.isInMemory = FilePlace.isInMemory(directory.path)
        switch source {
        case .document(let document, let name):
            let data = DocumentData(document)
            report.dataSet = "\(name): \(data.count) trees, \(document.nodes) nodes, as dynamic values"
            try run(data, data.codable, progress, into: &report)
        case .feed(let nodes):
            let data = FeedData(messages: max(nodes * 10 / 11, 1), seed: seed)
            report.dataSet = "\(data.count.grouped) messages by \(data.people.grouped) people, seed \(seed)"
            try run(data, CodableFeedData(feed: data), progress, into: &report)
        }
        report.isInterrupted = report.isInterrupted || progress.isOver
        return report
    }

    /// Measures the same data in each of the codings.
    private func run(
        _ specialised: some CompareData, _ codable: some CompareData, _ progress: MeasurementProgress,
        into report: inout CompareReport
    ) throws {
        for (index, coding) in (codings.isEmpty ? Coding.allCases : codings).enumerated() {
            switch coding {
            case .specialised: try run(specialised, workloads, isFirst: index == 0, progress, into: &report)
            case .codable:
                let workloads = codings.isEmpty ? workloads.filter(\.dependsOnCoding) : workloads
                try run(codable, workloads, isFirst: index == 0, progress, into: &report)
            }
        }
    }

    private func run<Data: CompareData>(
        _ data: Data, _ workloads: [Workload], isFirst: Bool, _ progress: MeasurementProgress,
        into report: inout CompareReport
    ) throws {
        let settings =
            isFull
            ? CompareSettings.full(seed: seed, trees: data.count)
            : CompareSettings.standard(seed: seed, trees: data.count)
        for backend in backends {
            let run = CompareRun(
                backend: backend, data: data, workloads: workloads, settings: settings, directory: directory,
                isFirst: isFirst, budget: budget.map { CacheBudget(bytes: $0) } ?? .unlimited)
            do {
                if progress.isOver {
                    report.isInterrupted = true
                    return
                }
                try run.run(progress, into: &report)
            } catch let error as CacheError {
                throw ToolError(error, "comparing \(backend.rawValue)")
            }
        }
    }
}

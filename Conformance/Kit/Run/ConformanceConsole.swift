import GrovePlatform

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A check of backends as a user sees it: what the tool and the executable of a backend's author have in common.
package struct ConformanceConsole {
    /// Globs of the rules to check; all of them if there is none.
    package var globs: [String] = []
    /// The seed of everything random.
    package var seed = UInt64.random(in: 1...UInt64(UInt32.max))
    /// How the report is written.
    package var format = ReportFormat.pretty
    /// How much the readable report says.
    package var detail = PrettyReport.Detail.normal
    /// Whether only those rules are checked that were broken the last time.
    package var isOfFailed = false
    /// Whether the run ends at the first broken rule.
    package var isFailingFast = false
    /// Whether the readable report has colours.
    package var isColoured = false
    /// Rules that are known to be broken.
    package var excuses: [RuleExcuse] = []
    /// What is typed to check the backend of a name, before `--rule`.
    package var command: (String) -> String = { "grove conformance --backend \($0)" }
    /// Shows the line in place of the last one; an empty one clears it.
    package var show: (String) -> Void = ConformanceConsole.show
    /// Prints a line that stays above what is shown.
    package var tell: (String) -> Void = ConformanceConsole.tell
    /// Where it is remembered which rules were broken; by default the user's folder of caches.
    package var memory: String?

    /// Makes a console.
    package init() {}

    /// The rules that the globs pick.
    ///
    /// - Throws: ``CheckFailure`` if a glob picks none: beside another that does, it is a mistake too.
    package static func rules(_ globs: [String], of backends: [any ConformanceBackend] = []) throws(CheckFailure)
        -> [Rule]
    {
        for glob in globs where Rules.matching([glob]).isEmpty {
            throw CheckFailure("no rule matches \(glob); --list shows them")
        }
        let rules = Rules.matching(globs)
        guard let backend = backends.first, backends.count == 1 else { return rules }
        for glob in globs where !Rules.matching([glob]).contains(where: { $0.suites.contains(backend.suite) }) {
            throw CheckFailure("no rule for a \(backend.suite.rawValue) matches \(glob); --list shows them")
        }
        return rules.filter { $0.suites.contains(backend.suite) }
    }

    /// Checks `backends`, and shows on a terminal how far it came.
    ///
    /// - Parameter rules: rules to check instead of the kit's, for tests of a runner.
    package func run(
        _ backends: [any ConformanceBackend], rules: [Rule]? = nil, until interruption: Interruption = Interruption()
    ) throws(CheckFailure) -> ConformanceReport {
        let rules = if let rules { rules } else { try ConformanceConsole.rules(globs, of: backends) }
        let memories = Dictionary(
            backends.map { ($0.name, LastFailures(of: $0.name, executable: $0.worker?.executable ?? "", in: memory)) },
            uniquingKeysWith: { first, _ in first })
        var plans = backends.map { (backend: $0, rules: rules) }
        if isOfFailed {
            plans = plans.map { plan in
                let failed = memories[plan.backend.name]?.rules ?? []
                return (plan.backend, plan.rules.filter { failed.contains($0.id) })
            }.filter { !$0.rules.isEmpty }
            guard !plans.isEmpty else {
                throw CheckFailure("nothing to check: no rule was broken the last time; leave --failed out")
            }
        }
        let count = plans.reduce(0) { sum, plan in
            sum + plan.rules.count { $0.suites.contains(plan.backend.suite) }
        }
        var (done, broken) = (0, 0)
        let start = ContinuousClock.now
        var reports: [BackendReport] = []
        for plan in plans where interruption.signal == nil && !(isFailingFast && broken > 0) {
            let order = plan.rules.filter {
                $0.suites.contains(plan.backend.suite)
            }
            var current = 0
            func progress() {
                let name = current < order.count ? order[current].id : ""
                let state = broken == 0 ? "none broken" : "\(broken) broken"
                show(
                    "\(done) of \(count), \(state), \(Prose.seconds(ContinuousClock.now - start))  \(plan.backend.name) \(name)"
                )
            }
            let runner = IsolatedRunner(rules: plan.rules, seed: seed, excuses: excuses)
            let report = try runner.run([plan.backend], until: interruption, isFailingFast: isFailingFast) {
                backend, result in
                guard let result else { return progress() }
                done += 1
                current += 1
                if result.isBroken {
                    broken += 1
                    tell("\(backend.name): \(result.rule.id) \(result.outcome.word): \(result.rule.text)")
                }
                progress()
            }
            reports += report.backends.map { report in
                var report = report
                report.command = command(report.backend)
                memories[report.backend]?.update(report.results)
                return report
            }
        }
        show("")
        return ConformanceReport(seed: seed, backends: reports)
    }

    /// `words` as they are typed into a shell.
    package static func command(_ words: String...) -> String { words.map(Prose.shell).joined(separator: " ") }

    /// The report as the user wants to see it.
    package func text(_ report: ConformanceReport) -> String {
        format == .pretty
            ? PrettyReport(report, isColoured: isColoured, detail: detail).text : report.text(format)
    }

    /// The exit status of the process.
    ///
    /// It is 0 if every backend conforms by the rules that were asked for, 1 if not, and 2 if nothing was checked. If
    /// the run was interrupted, it is 128 plus the number of the signal.
    package static func status(_ report: ConformanceReport, _ interruption: Interruption) -> Int32 {
        if let signal = interruption.signal { return 128 + signal }
        if !report.hasRun { return 2 }
        return report.isConformant ? 0 : 1
    }

    // MARK: The terminal

    private static let isTerminal = isatty(STDERR_FILENO) != 0

    /// Whether standard output is a terminal that wants colours.
    static var hasColour: Bool {
        let variables = ProcessInfo.processInfo.environment
        return isatty(STDOUT_FILENO) != 0 && variables["NO_COLOR"] == nil && variables["TERM"] != "dumb"
    }

    private static func show(_ line: String) {
        guard isTerminal else { return }
        ConformanceWorker.print("\r\u{1B}[K\(line.prefix(Prose.columns - 1))", to: STDERR_FILENO)
    }

    private static func tell(_ line: String) {
        guard isTerminal else { return }
        ConformanceWorker.print("\r\u{1B}[K\(line.prefix(Prose.columns - 1))\n", to: STDERR_FILENO)
    }
}

/// A runner that checks rules in child processes, so that a trap or a hang fails its rule and does not end the run.
///
/// One child checks the rules in order and reports when each begins and how it ends. If the child dies or hangs, the
/// rule that it had begun is broken, and a new child goes on with the next rule.
package struct IsolatedRunner: Sendable {
    private let rules: [Rule]
    private let seed: UInt64
    private let excuses: [RuleExcuse]

    /// The time between a rule's own limit and the end of its process, which is then killed.
    private static let grace = Duration.seconds(5)

    /// Makes a runner of `rules`; those in `excuses` are known to be broken.
    package init(rules: [Rule] = Rules.all, seed: UInt64, excuses: [RuleExcuse] = []) {
        self.rules = rules
        self.seed = seed
        self.excuses = excuses
    }

    /// Checks every rule on `backends`, each of which needs a worker.
    ///
    /// - Parameter progress: called with each result as it comes.
    package func run(
        _ backends: [any ConformanceBackend], progress: (String, RuleResult) -> Void = { _, _ in }
    ) throws(CheckFailure) -> ConformanceReport {
        try run(backends, until: Interruption(), isFailingFast: false) { backend, result in
            if let result { progress(backend.name, result) }
        }
    }

    /// Checks every rule on `backends`, until the user interrupts the run or, if it fails fast, until one is broken.
    ///
    /// - Parameter progress: called with each result as it comes, and with `nil` several times a second while a rule
    ///   runs.
    func run(
        _ backends: [any ConformanceBackend], until interruption: Interruption, isFailingFast: Bool,
        progress: (any ConformanceBackend, RuleResult?) -> Void
    ) throws(CheckFailure) -> ConformanceReport {
        let place: String
        do {
            // The name has no space: the system splits its list of libraries to preload at spaces.
            place = try TemporaryDirectory.make("grove-conformance-run-")
        } catch {
            throw CheckFailure("\(error)")
        }
        defer { TemporaryDirectory.remove(place) }
        var reports: [BackendReport] = []
        var isOver = false
        for backend in backends where !isOver {
            // Rules that do not apply to a delegate are left out.
            let rules = rules.filter { $0.suites.contains(backend.suite) }
            var results: [RuleResult] = []
            while results.count < rules.count, !isOver {
                let child = try start(Array(rules[results.count...]), backend, in: place)
                try follow(child, Array(rules[results.count...]), backend, until: interruption) { result in
                    if let result {
                        let result = RuleExcuse.apply(excuses, to: result)
                        results.append(result)
                        progress(backend, result)
                        if isFailingFast, result.isBroken { isOver = true }
                    } else {
                        progress(backend, nil)
                    }
                    return isOver
                }
                if interruption.signal != nil { isOver = true }
            }
            var report = BackendReport(
                backend: backend.name, results: results,
                isWhole: results.count == rules.count && Rules.areWhole(rules, for: backend), asked: rules.count,
                total: Rules.all(of: backend.suite).count, isInterrupted: interruption.signal != nil)
            report.claims = backend.profile.claims
            reports.append(report)
        }
        return ConformanceReport(seed: seed, backends: reports)
    }

    private func start(
        _ rules: [Rule], _ backend: any ConformanceBackend, in place: String
    ) throws(CheckFailure) -> ChildProcess {
        guard let worker = backend.worker else {
            throw CheckFailure("\(backend.name) has no worker to check rules in.")
        }
        return try ChildProcess(
            worker, ["rules", "\(seed)"] + rules.map(\.id), environment: TemporaryDirectory.environment(within: place))
    }

    /// Follows one child until it has checked everything, or until one rule was its end.
    ///
    /// - Parameter report: called with each result, and with `nil` in between; it returns whether to stop.
    private func follow(
        _ child: ChildProcess, _ rules: [Rule], _ backend: any ConformanceBackend, until interruption: Interruption,
        _ report: (RuleResult?) -> Bool
    ) throws(CheckFailure) {
        for rule in rules {
            let start = ContinuousClock.now
            let deadline = start + rule.timeLimit + Self.grace
            var result: RuleResult?
            while result == nil {
                if interruption.signal != nil { return child.kill() }
                let left = ContinuousClock.now.duration(to: deadline)
                switch child.nextLine(within: min(left, .milliseconds(200))) {
                case .line(let line):
                    guard case .end(rule.id, let outcome, let checks, let milliseconds, let message) = RuleMessage(line)
                    else { continue }
                    result = RuleResult(
                        rule, outcome, checks: checks, message: message, duration: .milliseconds(milliseconds))
                case .ended:
                    let ending = child.wait()
                    // A terminal interrupts both the child and this process, which may get the signal a moment later.
                    if [.exited(130), .exited(143), .signalled(2), .signalled(15)].contains(ending) {
                        for _ in 0..<50 where interruption.signal == nil { BlockingExecutor.pause(milliseconds: 20) }
                        if interruption.signal != nil { return }
                    }
                    let words = IsolatedRunner.lastWords(child)
                    _ = report(
                        RuleResult(
                            rule, .crashed, message: "Its process ended with \(ending)\(words).",
                            duration: ContinuousClock.now - start))
                    return
                case .timedOut where ContinuousClock.now < deadline: _ = report(nil)
                case .timedOut:
                    let message =
                        "It did not end within \(Prose.count(Int(rule.timeLimit.components.seconds), "second")); it was killed."
                    child.kill()
                    _ = report(RuleResult(rule, .timedOut, message: message, duration: ContinuousClock.now - start))
                    return
                }
            }
            guard let result else { return }
            let isEnough = report(
                result.outcome == .skipped ? ConformanceRunner.skip(of: rule, on: backend) ?? result : result)
            // A rule that hangs goes on in the child and would disturb the next rule.
            if isEnough || result.outcome == .timedOut { return child.kill() }
        }
        child.wait()
    }

    /// The process's error text: the sentence of the trap, if there is one.
    private static func lastWords(_ child: ChildProcess) -> String {
        let lines = child.errorText.split(separator: "\n")
        guard let line = lines.first(where: { $0.contains("Fatal error") || $0.contains("failed:") }) ?? lines.first
        else { return "" }
        let words = line.prefix(300)
        return ": \(words.hasSuffix(".") ? words.dropLast() : words)"
    }
}

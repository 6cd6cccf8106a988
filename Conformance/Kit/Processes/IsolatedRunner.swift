/// Runs rules in child processes, so that a trap or a hang is a verdict on its rule and not the end of the run.
///
/// One child checks rule after rule and says when each begins and how it ended; when it dies or hangs, the rule that it
/// had begun is to blame, and a new child goes on with the next.
public struct IsolatedRunner: Sendable {
    private let rules: [Rule]
    private let seed: UInt64
    private let excuses: [RuleExcuse]

    /// How much longer than its own limit a rule may take before its process is killed.
    private static let grace = Duration.seconds(5)

    /// Makes a runner of `rules`, of which those in `excuses` are known to be broken.
    public init(rules: [Rule] = Rules.all, seed: UInt64, excuses: [RuleExcuse] = []) {
        self.rules = rules
        self.seed = seed
        self.excuses = excuses
    }

    /// Checks every rule on `backends`, each of which needs a worker.
    ///
    /// - Parameter progress: told of each result as it comes.
    public func run(
        _ backends: [any ConformanceBackend], progress: (String, RuleResult) -> Void = { _, _ in }
    ) throws(CheckFailure) -> ConformanceReport {
        try run(backends, until: Interruption(), isFailingFast: false) { backend, result in
            if let result { progress(backend.name, result) }
        }
    }

    /// Checks every rule on `backends`, until the user interrupts the run or, if it fails fast, until one is broken.
    ///
    /// - Parameter progress: told of each result as it comes, and with `nil` while a rule is at work, some times a second.
    func run(
        _ backends: [any ConformanceBackend], until interruption: Interruption, isFailingFast: Bool,
        progress: (any ConformanceBackend, RuleResult?) -> Void
    ) throws(CheckFailure) -> ConformanceReport {
        let place: String
        do {
            // No space: the system preloads libraries from lists that spaces end.
            place = try TemporaryDirectory.make("grove-conformance-run-")
        } catch {
            throw CheckFailure("\(error)")
        }
        defer { TemporaryDirectory.remove(place) }
        var reports: [BackendReport] = []
        var isOver = false
        for backend in backends where !isOver {
            // What a delegate cannot be asked is no question about it.
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
    /// - Parameter report: told of each result, and with `nil` in between; it returns whether that is enough.
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
                    // A terminal interrupts the child as it does this process, which may hear of it a moment later.
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
            // What hangs in the child goes on there, and would disturb the next rule.
            if isEnough || result.outcome == .timedOut { return child.kill() }
        }
        child.wait()
    }

    /// What the process complained of: the trap's own sentence, where there is one.
    private static func lastWords(_ child: ChildProcess) -> String {
        let lines = child.errorText.split(separator: "\n")
        guard let line = lines.first(where: { $0.contains("Fatal error") || $0.contains("failed:") }) ?? lines.first
        else { return "" }
        let words = line.prefix(300)
        return ": \(words.hasSuffix(".") ? words.dropLast() : words)"
    }
}

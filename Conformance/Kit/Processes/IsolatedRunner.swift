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
        var reports: [BackendReport] = []
        for backend in backends {
            var results: [RuleResult] = []
            while results.count < rules.count {
                try runChild(Array(rules[results.count...]), backend) { result in
                    let result = RuleExcuse.apply(excuses, to: result)
                    results.append(result)
                    progress(backend.name, result)
                }
            }
            let isWhole = Rules.areWhole(rules, for: backend)
            reports.append(BackendReport(backend: backend.name, results: results, isWhole: isWhole))
        }
        return ConformanceReport(seed: seed, backends: reports)
    }

    /// Runs one child until it has checked everything, or until one rule was its end.
    private func runChild(
        _ rules: [Rule], _ backend: any ConformanceBackend, _ report: (RuleResult) -> Void
    ) throws(CheckFailure) {
        guard let worker = backend.worker else {
            throw CheckFailure("\(backend.name) has no worker to check rules in.")
        }
        let child = try ChildProcess(worker, ["rules", "\(seed)"] + rules.map(\.id))
        for rule in rules {
            let start = ContinuousClock.now
            let deadline = start + rule.timeLimit + Self.grace
            var result: RuleResult?
            while result == nil {
                switch child.nextLine(within: ContinuousClock.now.duration(to: deadline)) {
                case .line(let line):
                    guard case .end(rule.id, let outcome, let checks, let milliseconds, let message) = RuleMessage(line)
                    else { continue }
                    result = RuleResult(
                        rule, outcome, checks: checks, message: message, duration: .milliseconds(milliseconds))
                case .ended:
                    let words = IsolatedRunner.lastWords(child)
                    report(
                        RuleResult(
                            rule, .crashed, message: "Its process ended with \(child.wait())\(words).",
                            duration: ContinuousClock.now - start))
                    return
                case .timedOut:
                    let message = "It did not end within \(rule.timeLimit.components.seconds) seconds; it was killed."
                    child.kill()
                    report(RuleResult(rule, .timedOut, message: message, duration: ContinuousClock.now - start))
                    return
                }
            }
            guard let result else { return }
            report(result.outcome == .skipped ? ConformanceRunner.skip(of: rule, on: backend) ?? result : result)
            // What hangs in the child goes on there, and would disturb the next rule.
            if result.outcome == .timedOut { return child.kill() }
        }
        child.wait()
    }

    /// What the process complained of: the trap's own sentence, where there is one.
    private static func lastWords(_ child: ChildProcess) -> String {
        let lines = child.errorText.split(separator: "\n")
        guard let line = lines.first(where: { $0.contains("Fatal error") || $0.contains("failed:") }) ?? lines.first
        else { return "" }
        return ": \(line.prefix(300))"
    }
}

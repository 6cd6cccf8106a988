import GroveModel
import Synchronization

/// A runner that checks rules on backends in this process, one after the other.
package struct ConformanceRunner: Sendable {
    /// The rules, in the order in which they run.
    package let rules: [Rule]
    /// The seed of everything random.
    package let seed: UInt64
    private let excuses: [RuleExcuse]

    /// Makes a runner.
    ///
    /// - Parameters:
    ///   - rules: all of the kit's by default.
    ///   - seed: the same seed replays the run.
    ///   - excuses: rules that are known to be broken.
    package init(rules: [Rule] = Rules.all, seed: UInt64, excuses: [RuleExcuse] = []) {
        self.rules = rules
        self.seed = seed
        self.excuses = excuses
    }

    /// Checks every rule on `backends`.
    ///
    /// - Parameter progress: called with each result as it comes.
    package func run(
        _ backends: [any ConformanceBackend], progress: (String, RuleResult) -> Void = { _, _ in }
    ) async -> ConformanceReport {
        var reports: [BackendReport] = []
        for backend in backends {
            var results: [RuleResult] = []
            for rule in rules {
                let result = RuleExcuse.apply(excuses, to: await check(rule, on: backend))
                progress(backend.name, result)
                results.append(result)
            }
            let isWhole = Rules.areWhole(rules, for: backend)
            reports.append(BackendReport(backend: backend.name, results: results, isWhole: isWhole))
        }
        return ConformanceReport(seed: seed, backends: reports)
    }

    /// Checks one rule in a task of its own, and stops waiting for the task at the rule's time limit.
    package func check(_ rule: Rule, on backend: any ConformanceBackend) async -> RuleResult {
        if let skip = ConformanceRunner.skip(of: rule, on: backend) { return skip }
        let trial = Trial(rule.id, on: backend, seed: seed)
        let start = ContinuousClock.now
        let race = Race<RuleResult>()
        Task.detached(executorPreference: BlockingExecutor.shared) {
            let failure = await ConformanceRunner.failure(of: rule, trial)
            trial.finish()
            let checks = trial.checks
            let duration = ContinuousClock.now - start
            if let failure {
                race.finish(RuleResult(rule, .failed, checks: checks, message: failure, duration: duration))
            } else if checks == 0 {
                let message = "The rule made no check; one that looks at nothing proves nothing."
                race.finish(RuleResult(rule, .failed, message: message, duration: duration))
            } else {
                let notes = trial.notes.joined(separator: "; ")
                race.finish(RuleResult(rule, .passed, checks: checks, message: notes, duration: duration))
            }
        }
        let limit = rule.timeLimit
        let alarm = Task {
            guard (try? await Task.sleep(for: limit)) != nil else { return }
            let message = "It did not end within \(Prose.count(Int(limit.components.seconds), "second"))."
            race.finish(RuleResult(rule, .timedOut, checks: trial.checks, message: message, duration: limit))
        }
        let result = await race.value()
        alarm.cancel()
        return result
    }

    /// The result of a rule that needs a missing capability; `nil` for a rule that can be checked.
    static func skip(of rule: Rule, on backend: any ConformanceBackend) -> RuleResult? {
        let missing = rule.requires.subtracting(backend.capabilities)
        guard !missing.isEmpty else { return nil }
        let names = missing.map(\.description).sorted().joined(separator: ", ")
        return RuleResult(
            rule, .skipped, message: "needs \(names)",
            isApplicable: missing.isDisjoint(with: Capability.ofProfiles) && rule.suites.contains(backend.suite))
    }

    private static func failure(of rule: Rule, _ trial: Trial) async -> String? {
        do {
            try await rule.check(trial)
            return nil
        } catch let failure as CheckFailure {
            return failure.description
        } catch let end as Tolerated {
            trial.note("it ended early: \(end.sentence)")
            return nil
        } catch {
            if let code = trial.backend.leniency.failsWith, (error as? CacheError)?.code == code {
                trial.countCheck()
                trial.note("it ended early, with the error \(code)")
                return nil
            }
            return "Expected the calls of the rule to succeed, got the error \(error)."
        }
    }
}

/// A value that several tasks may set, of which the first counts, and for which one task waits.
private final class Race<Value: Sendable>: Sendable {
    private struct State {
        var value: Value?
        var waiter: CheckedContinuation<Value, Never>?
    }

    private let state = Mutex(State())

    func finish(_ value: Value) {
        let waiter: CheckedContinuation<Value, Never>? = state.withLock { state in
            guard state.value == nil else { return nil }
            state.value = value
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume(returning: value)
    }

    func value() async -> Value {
        await withCheckedContinuation { continuation in
            let value: Value? = state.withLock { state in
                if state.value == nil { state.waiter = continuation }
                return state.value
            }
            if let value { continuation.resume(returning: value) }
        }
    }
}

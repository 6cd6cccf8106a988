import GrovePlatform

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Rule: CustomStringConvertible {
    /// The identifier, the level and the text.
    public var description: String { "\(id) \(level.rawValue) \(text)" }
}

/// Rules under a test framework, one test a rule:
///
/// ```swift
/// @Test(.serialized, arguments: Rules.checkable(on: MyHarness(), worker: worker))
/// func conforms(_ rule: Rule) async throws { try await rule.verify(on: MyHarness(), worker: worker) }
/// ```
///
/// ``Rules/checkable(on:worker:)`` leaves out what cannot be checked, and prints what that is: a rule that is
/// skipped inside a test would count as one that passed.
extension Rule {
    /// Checks the rule on the store of `harness`.
    ///
    /// - Parameters:
    ///   - worker: how a process is started that calls ``ConformanceWorker`` on an equal backend, such as an executable
    ///     whose `main.swift` is `await ConformanceMain.run(MyHarness.self)`; without one, rules that start
    ///     processes are skipped.
    ///   - excuses: rules that are known to be broken.
    /// - Returns: what became of it. If it was skipped, a line on standard error says so, as a test framework takes the
    ///   skip for a pass.
    /// - Throws: ``CheckFailure`` where it is broken, with the seed that replays it.
    @discardableResult
    public func verify<Harness: StoreHarness>(
        on harness: Harness, worker: WorkerCommand? = nil, excuses: [RuleExcuse] = []
    ) async throws -> RuleResult {
        try await verify(on: StoreBackend(harness, worker: worker), excuses: excuses)
    }

    /// Checks the rule on the delegate of `harness`; see ``verify(on:worker:excuses:)``.
    @discardableResult
    public func verify<Harness: DelegateHarness>(
        on harness: Harness, excuses: [RuleExcuse] = []
    ) async throws -> RuleResult {
        try await verify(on: DelegateBackend(harness), excuses: excuses)
    }

    /// Checks the rule on `backend`; see ``verify(on:worker:excuses:)``.
    ///
    /// - Parameter seed: by default the environment's `GROVE_SEED`, or one for the process.
    @discardableResult
    public func verify(
        on backend: any ConformanceBackend, seed: UInt64 = Rule.environmentSeed, excuses: [RuleExcuse] = []
    ) async throws -> RuleResult {
        let result = RuleExcuse.apply(
            excuses, to: await ConformanceRunner(rules: [self], seed: seed).check(self, on: backend))
        guard !result.isBroken else {
            throw CheckFailure(
                "\(id) on \(backend.name), seed \(seed): \(text) It \(result.outcome.rawValue): \(result.message)")
        }
        if result.outcome == .skipped {
            ConformanceWorker.print("SKIPPED \(id) on \(backend.name): \(result.message)\n", to: STDERR_FILENO)
        }
        return result
    }

    /// The seed that `GROVE_SEED` gives, or one chosen for this process.
    public static let environmentSeed: UInt64 =
        ProcessInfo.processInfo.environment["GROVE_SEED"].flatMap { UInt64($0) } ?? .random(in: 1...UInt64(UInt32.max))
}

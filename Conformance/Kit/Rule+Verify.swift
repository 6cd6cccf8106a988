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

/// Rules under a test framework, one test for each rule:
///
/// ```swift
/// @Test(.serialized, arguments: Rules.checkable(on: MyHarness(), worker: worker))
/// func conforms(_ rule: Rule) async throws { try await rule.verify(on: MyHarness(), worker: worker) }
/// ```
///
/// ``Rules/checkable(on:worker:)`` leaves out the rules that cannot be checked, and prints their number and the
/// reasons. A rule that is skipped inside a test would count as passed.
extension Rule {
    /// Checks the rule on the store of `harness`.
    ///
    /// - Parameters:
    ///   - worker: the command of an executable whose `main.swift` is `await ConformanceMain.run(MyHarness.self)`.
    ///     Without it, rules that need a process are skipped.
    ///   - excuses: rules that are known to be broken.
    /// - Throws: an error if the rule is broken, which names the seed that replays it. A skip is printed on standard
    ///   error, since a test framework takes it for a pass.
    public func verify<Harness: StoreHarness>(
        on harness: Harness, worker: WorkerCommand? = nil, excuses: [RuleExcuse] = []
    ) async throws {
        try await verify(on: StoreBackend(harness, worker: worker), excuses: excuses)
    }

    /// Checks the rule on the delegate of `harness`; see ``verify(on:worker:excuses:)``.
    public func verify<Harness: DelegateHarness>(on harness: Harness, excuses: [RuleExcuse] = []) async throws {
        try await verify(on: DelegateBackend(harness), excuses: excuses)
    }

    /// Checks the rule on `backend`; see ``verify(on:worker:excuses:)``.
    ///
    /// - Parameter seed: the seed of everything random; ``Rule/environmentSeed`` by default.
    @discardableResult
    package func verify(
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

    /// The value of the environment variable `GROVE_SEED`, or a random seed for this process.
    package static let environmentSeed: UInt64 =
        ProcessInfo.processInfo.environment["GROVE_SEED"].flatMap { UInt64($0) } ?? .random(in: 1...UInt64(UInt32.max))
}

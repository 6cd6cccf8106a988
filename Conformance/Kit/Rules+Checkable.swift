import GrovePlatform

extension Rules {
    /// The rules that can be checked on the store of `harness`, for the arguments of a test.
    ///
    /// The others are left out, since a skip inside a test would count as a pass. Their number and the missing
    /// capabilities are printed on standard error.
    ///
    /// - Parameter worker: the command of a process, as for ``Rule/verify(on:worker:excuses:)``.
    public static func checkable<Harness: StoreHarness>(on harness: Harness, worker: WorkerCommand? = nil) -> [Rule] {
        told(all, on: StoreBackend(harness, worker: worker))
    }

    /// The rules that can be checked on the delegate of `harness`; see ``checkable(on:worker:)``.
    public static func checkable<Harness: DelegateHarness>(on harness: Harness) -> [Rule] {
        told(all(of: .delegate), on: DelegateBackend(harness))
    }

    /// Those of `rules` that can be checked on `backend`, and a sentence about the others; `nil` if there are none.
    package static func checkable(
        _ rules: [Rule] = all, on backend: any ConformanceBackend
    ) -> (rules: [Rule], missing: String?) {
        let skips = rules.compactMap { ConformanceRunner.skip(of: $0, on: backend) }
        let skipped = Set(skips.map(\.rule.id))
        guard !skips.isEmpty else { return (rules, nil) }
        let reasons = Dictionary(grouping: skips, by: \.message).sorted {
            ($0.value.count, $1.key) > ($1.value.count, $0.key)
        }
        .map { reason, results in
            "\(Prose.needs(results.count, reason))\(results[0].isApplicable ? "" : ", which it does not claim")"
        }
        let missing =
            "NOT CHECKED on \(backend.name): \(Prose.count(skips.count, "rule")) of \(rules.count): "
            + reasons.joined(separator: "; ") + "."
        return (rules.filter { !skipped.contains($0.id) }, missing)
    }

    private static func told(_ rules: [Rule], on backend: any ConformanceBackend) -> [Rule] {
        let (rules, missing) = checkable(rules, on: backend)
        if let missing { ConformanceWorker.print(missing + "\n", to: STDERR_FILENO) }
        return rules
    }
}

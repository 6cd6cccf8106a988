/// What became of one trace under several policies and capacities, as a table.
package struct TraceReport {
    private let trace: AccessTrace
    private let isWeighted: Bool
    private var replays: [TraceReplay] = []

    /// Replays `trace` with each of `policies` in each of `capacities`.
    ///
    /// - Parameters:
    ///   - isWeighted: whether hits are counted in bytes, too.
    ///   - backend: where whole caches are measured, what they lie over; the policy alone is measured otherwise.
    ///   - directory: where their stores are made.
    /// - Throws: ``ToolError`` where a store fails.
    package init(
        _ trace: AccessTrace, _ policies: [TracePolicy], capacities: [Int], isWeighted: Bool,
        through backend: BackendName?, in directory: TemporaryDirectory?
    ) throws(ToolError) {
        (self.trace, self.isWeighted) = (trace, isWeighted)
        for capacity in capacities {
            for policy in policies {
                Terminal.progress("\(policy.rawValue), \(capacity.grouped)")
                if let backend, let directory {
                    replays.append(
                        try TraceReplay(trace, policy, capacity: capacity, through: backend, in: directory))
                } else {
                    replays.append(TraceReplay(trace, policy, capacity: capacity))
                }
            }
        }
    }

    /// The hit ratio comes last.
    package var table: String {
        let requests = trace.requests.count
        var facts = TextTable(nil, alignment: [.left, .right])
        facts.append(["requests", requests.grouped])
        facts.append(["distinct keys", trace.distinct.grouped])
        guard replays.count > 1, let first = replays.first else {
            for replay in replays {
                facts.append(["capacity", replay.capacity.grouped])
                facts.append(["policy", replay.policy.rawValue])
                facts.append(["evictions", replay.evictions.grouped])
                if isWeighted {
                    facts.append(["byte hit ratio", TraceReplay.percent(replay.hitBytes, of: replay.bytes)])
                }
                facts.append(["hits", replay.hits.grouped])
                facts.append(["hit ratio", TraceReplay.percent(replay.hits, of: requests)])
            }
            return facts.description
        }
        if isWeighted { facts.append(["bytes", first.bytes.grouped]) }
        let header =
            ["capacity", "policy", "evictions"] + (isWeighted ? ["byte hit ratio"] : []) + ["hits", "hit ratio"]
        var table = TextTable(header, alignment: header.map { $0 == "policy" ? .left : .right })
        for replay in replays {
            table.append(
                [replay.capacity.grouped, replay.policy.rawValue, replay.evictions.grouped]
                    + (isWeighted ? [TraceReplay.percent(replay.hitBytes, of: replay.bytes)] : [])
                    + [replay.hits.grouped, TraceReplay.percent(replay.hits, of: requests)])
        }
        return "\(facts)\n\n\(table)"
    }
}

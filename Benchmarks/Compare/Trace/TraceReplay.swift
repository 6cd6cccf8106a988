import GroveCache
import GroveModel

/// What became of a trace under one policy with one capacity.
struct TraceReplay {
    let policy: TracePolicy
    let capacity: Int
    private(set) var hits = 0
    private(set) var evictions = 0
    /// Bytes asked for, and those of them that were there.
    private(set) var bytes = 0
    private(set) var hitBytes = 0

    /// Asks for every key in turn, and inserts what is not there.
    init(_ trace: AccessTrace, _ policy: TracePolicy, capacity: Int) {
        self.policy = policy
        self.capacity = capacity
        run(trace, policy.type)
    }

    /// Asks a cache over `backend` for every key in turn, and writes what is not there: one record for each key.
    ///
    /// - Throws: ``ToolError`` where the store fails.
    init(
        _ trace: AccessTrace, _ policy: TracePolicy, capacity: Int, through backend: BackendName,
        in directory: TemporaryDirectory
    ) throws(ToolError) {
        self.policy = policy
        self.capacity = capacity
        guard policy == .default else {
            throw .input("a cache has the policy default; \(policy.rawValue) replays without --through")
        }
        let place =
            backend.isPersistent ? try directory.make("\(backend.rawValue)-\(policy.rawValue)-\(capacity)") : nil
        do throws(CacheError) {
            let cache = try backend.open(place, budget: CacheBudget(nodes: capacity))
            defer { cache.close() }
            for number in trace.requests { if try cache.request("Item:\(number)") { hits += 1 } }
            evictions = try cache.usage().evictions
        } catch {
            throw ToolError(error, "replaying the trace through \(backend.rawValue)")
        }
        (bytes, hitBytes) = (trace.requests.count, hits)
    }

    private mutating func run<Policy: SimulatedPolicy>(_ trace: AccessTrace, _ type: Policy.Type) {
        var policy = type.init(capacity: capacity)
        var (hits, evictions, bytes, hitBytes) = (0, 0, 0, 0)
        for (place, number) in trace.requests.enumerated() {
            let weight = trace.weights.isEmpty ? 1 : Int(trace.weights[place])
            bytes += weight
            if policy.access(UInt64(number)) {
                hits += 1
                hitBytes += weight
            } else {
                _ = policy.insert(UInt64(number), weight: weight) { _ in evictions += 1 }
            }
        }
        (self.hits, self.evictions, self.bytes, self.hitBytes) = (hits, evictions, bytes, hitBytes)
    }

    /// Hits in a hundred of `requests`, two decimals and a sign.
    static func percent(_ hits: Int, of requests: Int) -> String {
        (Double(hits) * 100 / Double(max(requests, 1))).fixed(2) + "%"
    }
}

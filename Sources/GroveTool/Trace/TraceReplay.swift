import GroveCache

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

    private mutating func run<Policy: EvictionPolicy>(_ trace: AccessTrace, _ type: Policy.Type) {
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

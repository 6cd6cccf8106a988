/// A policy by the name that the user gives it.
package enum TracePolicy: String, CaseIterable {
    case lru
    case sieve
    case arc
    case wtinylfu
    case s3fifo
    case `default`

    /// The policy itself.
    var type: any SimulatedPolicy.Type {
        switch self {
        case .lru: LRU.self
        case .sieve: SIEVE.self
        case .arc: ARC.self
        case .wtinylfu: WTinyLFU.self
        case .s3fifo: S3FIFO.self
        case .default: HandsPolicy.self
        }
    }

    /// The policies of that name, all of them for `all`.
    package static func named(_ name: String) throws(ToolError) -> [TracePolicy] {
        if name == "all" { return allCases }
        guard let policy = TracePolicy(rawValue: name) else {
            let names = allCases.map(\.rawValue).joined(separator: ", ")
            throw .input("there is no policy \(name); there are \(names), and all")
        }
        return [policy]
    }
}

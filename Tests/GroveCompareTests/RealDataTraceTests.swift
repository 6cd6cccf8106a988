import Foundation
@testable import GroveCompare
import Testing

// `make real-data` runs these, and `make test` does not.
@Suite("Recorded traces", .enabled(if: SharedTraces.isThere, "needs shared/data/traces beside the checkout"))
struct RealDataTraceTests {
    @Test("LRU's hit ratios are the published ones to the digit", arguments: SharedTraces.all)
    func lru(table: SharedTraces.Table) throws {
        let trace = try table.trace
        #expect(trace.requests.count == table.requests && trace.distinct == table.distinct)
        for (capacity, expected) in table.lru {
            let replay = TraceReplay(trace, .lru, capacity: capacity)
            #expect(TraceReplay.percent(replay.hits, of: table.requests) == expected.fixed(2) + "%")
        }
    }

    @Test("SIEVE's hit ratios are the published ones to the digit", arguments: SharedTraces.all)
    func sieve(table: SharedTraces.Table) throws {
        let trace = try table.trace
        for (capacity, expected) in zip(table.lru.map(\.0), table.sieve) {
            let replay = TraceReplay(trace, .sieve, capacity: capacity)
            #expect(TraceReplay.percent(replay.hits, of: table.requests) == expected.fixed(2) + "%")
        }
    }

    @Test("Through a whole backend the ratios are the policy's within a point", arguments: BackendName.allCases)
    func backends(_ backend: BackendName) throws {
        let table = try #require(SharedTraces.all.first { $0.name == "web12" })
        let trace = AccessTrace(try table.trace, prefix: 4_000)
        let directory = try TemporaryDirectory()
        for policy in [TracePolicy.default] {
            let bare = TraceReplay(trace, policy, capacity: 300)
            let whole = try TraceReplay(trace, policy, capacity: 300, through: backend, in: directory)
            let difference = Double(abs(bare.hits - whole.hits)) * 100 / Double(trace.requests.count)
            #expect(difference <= 1, "\(policy.rawValue): \(bare.hits) and \(whole.hits)")
            #expect(whole.evictions > 0)
        }
    }

    @Test("The default is never 1.5 points below LRU, and 5 above it on average")
    func theDefault() throws {
        var gains: [Double] = []
        for table in SharedTraces.all {
            let trace = try table.trace
            for (capacity, lru) in table.lru {
                let replay = TraceReplay(trace, .default, capacity: capacity)
                let gain = Double(replay.hits) * 100 / Double(table.requests) - lru
                #expect(gain >= -1.5, "\(table.name) \(capacity)")
                if table.name != "loop" { gains.append(gain) }
            }
        }
        let average = gains.reduce(0, +) / Double(gains.count)
        #expect(average >= 5, "\(average)")
    }
}

/// Access traces that lie beside a checkout in development, and what is known of them.
enum SharedTraces {
    struct Table: Sendable, CustomTestStringConvertible {
        let name: String
        let requests: Int
        let distinct: Int
        let lru: [(Int, Double)]
        let sieve: [Double]
        var testDescription: String { name }

        var trace: AccessTrace {
            get throws {
                let file = "\(directory)/\(name).keys"
                return try AccessTrace(InputFile.read(file, as: "trace"), file: file, isWeighted: false)
            }
        }
    }

    static let all = [
        Table(
            name: "oltp", requests: 914_145, distinct: 186_880,
            lru: [(250, 16.47), (1_000, 32.83), (2_000, 42.47), (10_000, 60.70)], sieve: [11.81, 32.56, 41.19, 60.47]),
        Table(
            name: "glimpse", requests: 6_015, distinct: 2_529, lru: [(500, 0.95), (1_000, 11.21), (2_000, 57.41)],
            sieve: [1.38, 31.34, 57.41]),
        Table(name: "loop", requests: 505_500, distinct: 1_011, lru: [(512, 0), (768, 0)], sieve: [0, 0]),
        Table(
            name: "web12", requests: 95_607, distinct: 13_756,
            lru: [(75, 33.23), (300, 49.01), (1_200, 66.85), (3_000, 76.48)], sieve: [31.71, 51.84, 70.18, 78.18]),
    ]

    static let directory = URL(fileURLWithPath: SharedData.directory).deletingLastPathComponent()
        .appendingPathComponent("traces").path

    /// Whether the traces are there.
    static let isThere = FileManager.default.fileExists(atPath: "\(directory)/loop.keys")
}

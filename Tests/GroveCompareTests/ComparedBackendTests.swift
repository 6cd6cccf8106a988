@testable import GroveCompare
import GroveMemory
import GroveModel
import Synchronization
import Testing

@Suite("A backend of others in a comparison")
struct ComparedBackendTests {
    /// An engine of a dictionary, which may get a value's length wrong.
    private final class Dictionary: Sendable {
        let isWrong: Bool
        private let values = Mutex<[[UInt8]: [UInt8]]>([:])

        init(isWrong: Bool) { self.isWrong = isWrong }

        var calls: BareEngine {
            BareEngine(
                put: { records in self.values.withLock { for (key, value) in records { $0[key] = value } } },
                get: { keys in
                    self.values.withLock { values in keys.reduce(self.isWrong ? 1 : 0) { $0 + (values[$1]?.count ?? 0) }
                    }
                })
        }
    }

    private func report(_ engine: Dictionary?) throws -> CompareReport {
        let store = ComparedStore<MemoryStore>(options: MemoryOptions()) { _ in engine?.calls }
        return try Measurement(
            [.readTree, .modelForKey], [.memory, .other(store)], codings: [.specialised], isFull: false, seed: 1,
            budget: nil, in: try TemporaryDirectory()
        ).run(.feed(nodes: 110))
    }

    @Test("It is measured beside Grove's own, and beside its engine if there is one")
    func measured() throws {
        for engine in [nil, Dictionary(isWrong: false)] {
            let report = try report(engine)
            #expect(report.results.count == 4 && report.backends.count == 2)
            let reads = try #require(report.results.last { $0.workload == .readTree })
            #expect(reads.operationsPerSecond > 0)
            #expect((reads.tax != nil) == (engine != nil))
            // This one is beside Grove's own other way.
            #expect(report.results.last?.workload == .modelForKey && report.results.last?.tax != nil)
        }
    }

    @Test("An engine that does not give back what it was given makes the run void")
    func wrongEngine() { #expect(throws: ToolError.self) { _ = try report(Dictionary(isWrong: true)) } }
}

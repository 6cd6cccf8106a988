import GroveMemory
import GroveShared
import GroveSharedRules
import Testing

@Suite("A history of eight workers")
struct SharedHistoryTests {
    /// Lets the other workers go first so many times.
    private func lag(_ turns: Int) async { for _ in 0..<turns { await Task.yield() } }

    /// Four machines of two workers each; one message in twenty is lost, and one in four is late.
    private func history(_ mutation: TierMutant.Mutation? = nil, steps: Int) async throws -> SharedHistory {
        let world = MemoryWorld(mutation)
        world.gated.gate { message throws(SharedError) in
            guard mutation == nil else {
                if message == .answer(.fetch) { await lag(20) }
                return
            }
            if Int.random(in: 0..<4) == 0 { await lag(Int.random(in: 1...50)) }
            // A lost answer of a write would be a write that another worker reads: a tier has its own loss for that.
            if message != .answer(.write), Int.random(in: 0..<20) == 0 { throw SharedError(.unreachable, "lost") }
        }
        let history = SharedHistory()
        let stores = try (0..<4).map { _ in try MemoryCache() }
        await withTaskGroup(of: Void.self) { group in
            for worker in 0..<8 {
                let near = NearCache(store: stores[worker / 2], far: world.far, patience: .milliseconds(2))
                group.addTask { await history.work(worker, near, steps: steps) }
            }
        }
        return history
    }

    @Test("Fresh reads are linearizable for each key, and no worker reads back in time")
    func holds() async throws {
        let history = try await history(steps: 100)
        #expect(history.found.isEmpty, "\(history.found.prefix(5))")
        #expect(history.totals.reads > 200)
        #expect(history.totals.writes > 50)
    }

    @Test("It finds a feed that was not read in the snapshot")
    func finds() async throws {
        // Whether a commit falls between the two is chance.
        for _ in 0..<50 {
            let history = try await history(.feedOutsideSnapshot, steps: 50)
            if !history.found.isEmpty { return }
        }
        Issue.record("No history found it.")
    }
}

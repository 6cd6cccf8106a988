import Dispatch
import GroveMemory
import GroveShared
import GroveSharedRules
import Synchronization
import Testing

@Suite("A history of eight workers")
struct SharedHistoryTests {
    /// Lets the other workers go first so many times.
    private func lag(_ turns: Int) async { for _ in 0..<turns { await Task.yield() } }

    /// Four machines of two workers each; one message in twenty is lost, and one in four is late.
    private func history(_ mutation: TierMutant.Mutation? = nil, steps: Int) async throws -> SharedHistory {
        let world = MemoryWorld(mutation)
        try await world.commit(SharedWorker<MemoryStore>.beginning)
        world.gated.gate { message throws(SharedError) in
            guard mutation == nil else {
                if message == .answer(.fetch) { await lag(20) }
                return
            }
            if Int.random(in: 0..<4) == 0 { await lag(Int.random(in: 1...50)) }
            // A lost answer of a write would be a write that another worker reads: a tier has its own loss for that.
            if message != .answer(.write), Int.random(in: 0..<20) == 0 { throw SharedError(.unreachable, "lost") }
        }
        let history = Recorder()
        let stores = try (0..<4).map { _ in try MemoryCache() }
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                let near = NearCache(store: stores[number / 2], far: world.far, patience: .milliseconds(2))
                group.addTask {
                    var worker = SharedWorker(near, key: number, now: { DispatchTime.now().uptimeNanoseconds }) {
                        history.add($0, of: number)
                    }
                    for _ in 0..<steps { await worker.step() }
                }
            }
        }
        return history.checked()
    }

    @Test("Fresh reads are linearizable for each key, reads near are bounded, and no worker reads back in time")
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

    /// What the history says of a read, behind a write of 1 from 10 to 20, one of 2 from 30 to 40, one of 3 at 50 that
    /// failed, and one of 4 at 60 whose outcome is unknown.
    private func found(_ reads: SharedHistory.Event...) -> [String] {
        var history = SharedHistory(patience: 100)
        for (value, from, to, isCommitted) in [
            (1, 10, 20, true), (2, 30, 40, true), (3, 50, 55, false), (4, 60, 65, nil),
        ] as [(Int, UInt64, UInt64, Bool?)] {
            history.add(.sent(key: 0, value: value, at: from), of: 0)
            history.add(.written(key: 0, value: value, at: to, isCommitted: isCommitted), of: 0)
        }
        for read in reads { history.add(read, of: 1) }
        history.check()
        return history.found
    }

    private func read(_ halves: Int..., isFresh: Bool = true, from: UInt64, to: UInt64) -> SharedHistory.Event {
        .read(key: 0, halves: halves, isFresh: isFresh, from: from, to: to)
    }

    @Test("A read of what may be there is no lie")
    func truth() {
        #expect(found(read(0, 0, from: 5, to: 12)).isEmpty)
        #expect(found(read(1, 1, from: 15, to: 16), read(2, 2, from: 35, to: 36)).isEmpty)
        #expect(found(read(1, 1, from: 35, to: 45)).isEmpty)
        #expect(found(read(2, 2, from: 70, to: 71), read(4, 4, from: 72, to: 73)).isEmpty)
        #expect(found(read(1, 1, isFresh: false, from: 139, to: 141)).isEmpty)
    }

    @Test("A write that its writer gave up may be committed behind the next one")
    func givenUp() {
        var history = SharedHistory(patience: 100)
        for (value, isCommitted) in [(1, nil), (2, true)] as [(Int, Bool?)] {
            history.add(.sent(key: 0, value: value, at: 10 * UInt64(value)), of: 0)
            history.add(.written(key: 0, value: value, at: 10 * UInt64(value) + 5, isCommitted: isCommitted), of: 0)
        }
        history.add(read(2, 2, from: 30, to: 31), of: 1)
        history.add(read(1, 1, from: 40, to: 41), of: 1)
        history.check()
        #expect(history.found.isEmpty)
    }

    @Test("Each kind of lie is found")
    func lies() {
        #expect(found(read(1, 1, from: 41, to: 42)).count == 1, "a fresh read of what was before")
        #expect(found(read(4, 4, from: 70, to: 71), read(2, 2, from: 72, to: 73)).count == 2, "and after another read")
        #expect(found(read(1, 1, isFresh: false, from: 141, to: 142)).count == 1, "a read near after patience")
        #expect(
            found(read(2, 2, isFresh: false, from: 45, to: 46), read(1, 1, isFresh: false, from: 47, to: 48)).count
                == 1, "back in time")
        #expect(found(read(3, 3, from: 70, to: 71)).count == 1, "what failed")
        #expect(found(read(2, 2, from: 25, to: 28)).count == 1, "what was not sent yet")
        #expect(found(read(5, 5, from: 70, to: 71)).count == 1, "what was never sent")
        #expect(found(read(2, 1, from: 41, to: 42)).count == 1, "a mixture")
    }
}

/// A history to which tasks add.
private final class Recorder: Sendable {
    private let history = Mutex(SharedHistory(patience: 2_000_000))

    func add(_ event: SharedHistory.Event, of worker: Int) { history.withLock { $0.add(event, of: worker) } }

    func checked() -> SharedHistory {
        history.withLock { history in
            history.check()
            return history
        }
    }
}

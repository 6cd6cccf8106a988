import Foundation
import GroveCache
import GroveMemory
import GroveModel
import GroveShared
import Synchronization

/// What is read, and of which moment it is.
extension SharedRule {
    static let content = [
        SharedRule(
            name: "SHR-01", promise: "A tree is of one moment of the database.",
            reason: "Half of a transfer is money that is nowhere.", kills: [.twoSnapshots]
        ) { trial in
            let world = trial.world
            func both(_ number: Int) -> [FarChange] { [.put(Note("a", "\(number)")), .put(Note("b", "\(number)"))] }
            try await world.commit(both(0) + [.put(Pair("p", Note("a", ""), Note("b", "")))])
            let writer = Task {
                var number = 1
                while !Task.isCancelled {
                    try await world.commit(both(number))
                    number += 1
                    try? await Task.sleep(for: .microseconds(200))
                }
            }
            defer { writer.cancel() }
            for _ in 1...40 {
                let pair = try await trial.near.model("Pair:p", as: Pair.self, .fresh)
                try trial.expect(pair?.left.text, pair?.right.text, "the halves of a pair")
            }
            writer.cancel()
            try await writer.value
        },
        SharedRule(
            name: "SHR-02", promise: "An answer that comes late does not hide a newer value.",
            reason: "It would be served until the next change of the model.", kills: [.feedOutsideSnapshot]
        ) { trial in
            try await trial.put("x", "1")
            _ = try await trial.near.advance()
            let barrier = Barrier()
            trial.world.gated.gate { message throws(SharedError) in
                if message == .answer(.fetch) { await barrier.pass() }
            }
            let late = Task { try await trial.text("x") }
            await barrier.arrival()
            try await trial.put("x", "2")
            _ = try await trial.near.advance()
            barrier.open()
            _ = try await late.value
            try trial.expect(try await trial.text("x"), "2", "a read after a late answer")
        },
        SharedRule(
            name: "SHR-03", promise: "A server that is behind is refused, and no older value is served.",
            reason: "After a fail-over to a replica that lags, time would go back.", kills: [.claimsLastNumber]
        ) { trial in
            try await trial.put("x", "1")
            try await trial.world.keepReplica()
            try await trial.put("x", "2")
            try trial.expect(try await trial.text("x", .fresh), "2", "a fresh read")
            try await trial.world.failOver()
            try trial.expect(try await trial.text("x"), "2", "a read near within patience")
            try await trial.expect([.behind], "a fresh read of a server that is behind") {
                try await trial.text("x", .fresh)
            }
            _ = try await trial.store.evict("Note:x")
            try await trial.expect([.behind], "a miss at a server that is behind") { try await trial.text("x") }
        },
        SharedRule(
            name: "SHR-04", promise: "A fresh read sees every commit that returned before it began.",
            reason: "It is what a caller pays the trip for.", kills: [.feedOfBefore]
        ) { trial in
            for number in 1...20 {
                try await trial.put("x", "\(number)")
                try trial.expect(try await trial.text("x", .fresh), "\(number)", "a fresh read")
                try trial.expect(try await trial.text("x"), "\(number)", "the read near after it")
            }
        },
        SharedRule(
            name: "SHR-05",
            promise: "A read of at least a write's number sees the write, and one of a later number is refused.",
            reason: "Users who do not see what they saved save it again.", kills: [.numberTooLow]
        ) { trial in
            for number in 1...10 {
                let commit = try await trial.near.write([.put(Note("x", "\(number)"))])
                try trial.expect(try await trial.text("x", .atLeast(commit)), "\(number)", "a read of an own write")
                let later = FeedNumber(commit.rawValue + 1_000)
                try await trial.expect([.behind], "a read of a commit to come") {
                    try await trial.text("x", .atLeast(later))
                }
            }
        },
        SharedRule(
            name: "SHR-06", promise: "What is deleted is gone, and is there again when it is written again.",
            reason: "A deletion that is not told of is served for ever.", kills: [.feedWithoutDeletions]
        ) { trial in
            try await trial.put("x", "1")
            try trial.expect(try await trial.text("x"), "1", "a read")
            try await trial.world.commit([.delete("Note:x")])
            try trial.expect(try await trial.text("x", .fresh), nil, "a read of what was deleted")
            let asked = trial.world.gated.count(of: .request(.fetch))
            try trial.expect(try await trial.text("x"), nil, "the same near")
            try trial.expect(
                trial.world.gated.count(of: .request(.fetch)), asked, "requests for what is known to be deleted")
            try await trial.put("x", "3")
            try trial.expect(try await trial.text("x", .fresh), "3", "a read of what was written again")
            try await trial.store.wipe()
            try trial.expect(try await trial.text("x"), "3", "a read after a wipe of the local store")
        },
        SharedRule(
            name: "SHR-13", promise: "A miss accounts for every change up to the commit that it brings.",
            reason: "What was near before would be read beside it, as if it were of the same moment.",
            kills: [.silentFetch]
        ) { trial in
            try await trial.put("x", "1")
            try await trial.put("y", "1")
            try trial.expect(try await trial.text("x"), "1", "a read")
            let number = try await trial.put("x", "2")
            try trial.expect(try await trial.text("y"), "1", "a miss within patience")
            try trial.expect(
                try await trial.text("x", .atLeast(number)), "2", "a read of what was committed before the miss")
        },
        SharedRule(
            name: "SHR-14",
            promise:
                "A deletion reaches every machine; a wipe and a budget of one machine cost it trips, and nothing else.",
            reason: "A machine with little room must not bring back what others deleted.",
            kills: [.feedWithoutDeletions]
        ) { trial in
            let store = try MemoryCache(budget: CacheBudget(nodes: 10))
            let small = trial.machine(store)
            func text(_ id: Int, _ freshness: Freshness = .near) async throws -> String? {
                let note = try await small.model(ModelIdentifier("Note:\(id)"), as: Note.self, freshness)
                return note?.text
            }
            for id in 0..<40 { try await trial.put("\(id)", "1") }
            // Three in four are read by both, and a budget of ten keeps few of them.
            for id in Array(0..<30) + Array(0..<30) {
                try trial.expect(try await trial.text("\(id)"), "1", "a read")
                try trial.expect(try await text(id), "1", "a read within a budget")
            }
            try trial.expect(try small.applied() != nil, true, "a budget keeps the position")
            let kept = try (0..<30).filter { try store.model(ModelIdentifier("Note:\($0)"), as: Note.self) != nil }
            try trial.expect(kept.count <= 10 && !kept.isEmpty, true, "\(kept.count) of 30 kept")
            try await trial.world.commit((0..<20).map { .delete(ModelIdentifier("Note:\($0)")) })
            _ = try await small.advance()
            _ = try await trial.near.advance()
            // Of what was deleted a budget evicts the marks, too.
            for id in Array(0..<40) + Array(0..<40) {
                try trial.expect(try await text(id), id < 20 ? nil : "1", "a read after the deletion")
                try trial.expect(try await trial.text("\(id)"), id < 20 ? nil : "1", "the same without a budget")
            }
            let fetches = trial.world.gated.count(of: .request(.fetch))
            try await store.wipe()
            try trial.expect(try await trial.text("30"), "1", "a read beside a machine that was emptied")
            try trial.expect(trial.world.gated.count(of: .request(.fetch)), fetches, "requests of that machine")
            try trial.expect(try await text(0), nil, "a read of what was deleted before the wipe")
            try await trial.put("30", "2")
            try trial.expect(try await text(30, .fresh), "2", "a read of what was written after the wipe")
            let tiny = trial.machine(try MemoryCache(budget: CacheBudget(nodes: 1)))
            for id in 20..<30 {
                let note = try await tiny.model(ModelIdentifier("Note:\(id)"), as: Note.self)
                try trial.expect(note?.text, "1", "a read with room for one")
            }
        },
        SharedRule(
            name: "SHR-15", promise: "At each moment every record near is of the commit that is accounted for.",
            reason: "A worker beside it, or one that starts after a kill, takes the records for what the number says.",
            kills: [.lastCommitOnly]
        ) { trial in
            // The text after each commit.
            let texts = Mutex<[FeedNumber: String]>([:])
            func commit(_ id: String, _ text: String, _ now: String) async throws {
                let number = try await trial.put(id, text)
                texts.withLock { $0[number] = now }
            }
            try await commit("x", "0", "0")
            let isOver = Mutex(false)
            let broken = Mutex<String?>(nil)
            // Another worker of the machine, which only looks.
            let (store, looker) = (trial.store, DispatchQueue(label: "looker"))
            looker.async {
                while !isOver.withLock({ $0 }) {
                    let seen: (commit: FeedNumber, text: String)? = try? store.read { view in
                        guard let applied = try NearState.read(view),
                            case .hit(let note) = try view.read("Note:x", as: Note.self)
                        else { return nil }
                        return (applied.number, note.text)
                    }
                    guard let seen, let text = texts.withLock({ $0[seen.commit] }), seen.text != text else { continue }
                    broken.withLock { $0 = "\(seen.text) instead of \(text), at commit \(seen.commit)" }
                }
            }
            defer {
                isOver.withLock { $0 = true }
                looker.sync {}
            }
            var text = "0"
            for number in 1...300 where broken.withLock({ $0 == nil }) {
                // One commit in three is of another note, and one in three is heard of with the next one.
                if number.isMultiple(of: 3) {
                    try await commit("y", "\(number)", text)
                } else {
                    text = "\(number)"
                    try await commit("x", text, text)
                }
                guard number % 3 != 2 else { continue }
                if number.isMultiple(of: 2) { try await trial.near.advance() }
                try trial.expect(try await trial.text("x", .fresh), text, "a read")
            }
            try trial.expect(broken.withLock { $0 }, nil, "the text near")
        },
    ]
}

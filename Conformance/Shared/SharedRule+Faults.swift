import GroveModel
import GroveShared

/// What servers, networks and processes do.
extension SharedRule {
    private static func cut(_ message: GatedTier.Message) throws(SharedError) {
        throw SharedError(.unreachable, "The test has cut the network.")
    }

    static let faults = [
        SharedRule(
            name: "SHR-07", promise: "Without a word from the database, reads near end after `patience`.",
            reason: "A worker that is cut off would serve yesterday's data.", kills: [.answersFromMemory]
        ) { trial in
            try await trial.put("x", "1")
            try trial.expect(try await trial.text("x"), "1", "a read")
            trial.world.gated.gate(cut)
            try await trial.put("x", "2")
            trial.pass(.milliseconds(900))
            try trial.expect(try await trial.text("x"), "1", "a read within patience")
            trial.pass(.milliseconds(200))
            try await trial.expect([.notHeard], "a read after patience") { try await trial.text("x") }
            let stale = try await trial.text("x", .stale(atMost: .seconds(60)))
            try trial.expect(stale, "1", "a read that may be stale")
            // An answer is of when it was asked for.
            trial.world.gated.gate { message throws(SharedError) in
                if message == .answer(.feed) { trial.pass(.milliseconds(900)) }
            }
            try trial.expect(try await trial.text("x"), "2", "a read when the network is back")
            trial.world.gated.gate(cut)
            trial.pass(.milliseconds(200))
            try await trial.expect([.notHeard], "a read long after the answer was asked for") {
                try await trial.text("x")
            }
        },
        SharedRule(
            name: "SHR-08", promise: "Numbers of another feed are not taken for those of this one.",
            reason: "A restored backup counts again from where it was.", kills: [.oneIdentity]
        ) { trial in
            for number in 1...3 { try await trial.put("x", "\(number)") }
            try trial.expect(try await trial.text("x"), "3", "a read")
            try await trial.world.renew()
            try await trial.put("y", "1")
            try await trial.put("x", "other")
            try trial.expect(try await trial.text("x", .fresh), "other", "a read of the other feed")
            trial.pass(.seconds(2))
            try trial.expect(try await trial.text("x"), "other", "a read near of the other feed")
        },
        SharedRule(
            name: "SHR-09", promise: "Where the feed was trimmed, everything may have changed.",
            reason: "A worker that slept through a commit would never hear of it.", kills: [.silentGap]
        ) { trial in
            try await trial.put("x", "1")
            try trial.expect(try await trial.text("x"), "1", "a read")
            try await trial.put("x", "2")
            try await trial.world.trim()
            try trial.expect(try await trial.text("x", .fresh), "2", "a read after a gap")
        },
        SharedRule(
            name: "SHR-10",
            promise: "A worker that starts on an old store accounts for all commits since, before it reads.",
            reason: "Workers are killed and started at any time.", kills: [.lastCommitOnly]
        ) { trial in
            try await trial.put("x", "1")
            try trial.expect(try await trial.text("x"), "1", "a read")
            try await trial.put("x", "2")
            try await trial.put("y", "1")
            let text = try await trial.secondWorker().model("Note:x", as: Note.self)?.text
            try trial.expect(text, "2", "the first read of a second worker")
        },
        SharedRule(
            name: "SHR-11", promise: "A write whose connection was lost in the commit is settled by its ticket.",
            reason: "A guess either loses the write or makes it twice.", kills: [.guessesOutcome, .unknownIsFailure]
        ) { trial in
            for loss in [MemoryFarTier.Loss.afterCommit, .beforeCommit] {
                try await trial.put("x", "old")
                try await trial.world.loseNextWrite(loss)
                do throws(SharedError) {
                    _ = try await trial.near.write([.put(Note("x", "new"))])
                    throw SharedError(.refused, "no error")
                } catch {
                    try trial.expect(error.code, .outcomeUnknown, "a write whose connection was lost")
                    guard let ticket = error.ticket else { throw SharedBroken(description: "no ticket") }
                    switch (loss, try await trial.world.far.outcome(of: ticket)) {
                    case (.afterCommit, .committed(let number)):
                        try trial.expect(try await trial.text("x", .atLeast(number)), "new", "what was committed")
                    case (.beforeCommit, .notCommitted):
                        try trial.expect(try await trial.text("x", .fresh), "old", "what was not committed")
                    case (_, let outcome): throw SharedBroken(description: "lost \(loss), and settled as \(outcome)")
                    }
                }
            }
        },
        SharedRule(
            name: "SHR-12",
            promise:
                "A database that fails or is silent is a typed error within the time limit, and never an absent model.",
            reason: "What a model is said not to be is made again.", kills: [.failureIsAbsence]
        ) { trial in
            try await trial.put("x", "1")
            _ = try await trial.near.advance()
            trial.world.gated.gate { message throws(SharedError) in if message == .request(.fetch) { try cut(message) }
            }
            try await trial.expect([.unreachable], "a miss without a network") { try await trial.text("x") }
            let barrier = Barrier()
            defer { barrier.open() }
            trial.world.gated.gate { _ throws(SharedError) in await barrier.pass() }
            let hasty = trial.secondWorker(timeLimit: .milliseconds(50))
            try await trial.expect([.notHeard], "a read from a server that is silent") {
                try await hasty.model("Note:x", as: Note.self)
            }
            try await trial.expect([.timedOut], "a trip to a server that is silent") { try await hasty.advance() }
            try await trial.expect([.outcomeUnknown], "a write to a server that is silent") {
                try await hasty.write([.put(Note("y", "1"))])
            }
        },
    ]
}

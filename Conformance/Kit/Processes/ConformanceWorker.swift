import GrovePlatform

/// The jobs of a child process that a ``WorkerCommand`` started.
package enum ConformanceWorker {
    /// Does the job that `words` describe on `backend`.
    ///
    /// - Returns: the exit status of the process.
    package static func run(_ words: [String], on backend: any ConformanceBackend) async -> Int32 {
        switch words.first {
        case "rules" where words.count > 2:
            guard let seed = UInt64(words[1]) else { return 2 }
            await checkRules(Array(words[2...]), seed, backend)
            return 0
        case "program" where words.count == 4:
            guard let fileSize = Int(words[3]) else { return 2 }
            return ProgramProcess.work(words[1], words[2], fileSize: fileSize, backend)
        case "look" where words.count == 2: return PeerProcess.look(words[1], backend)
        case "hold" where words.count == 2: return PeerProcess.hold(words[1], backend)
        case "stall" where words.count == 2: return PeerProcess.stall(words[1], backend)
        case "rest" where words.count == 3: return PeerProcess.rest(words[1], Int(words[2]) ?? 0, backend)
        case "set" where words.count == 4: return PeerProcess.set(words[1], words[2], Int(words[3]) ?? 0, backend)
        case "copy" where words.count == 3: return await PeerProcess.copy(words[1], words[2], backend)
        case "fork" where words.count == 2: return ForkProcess.run(words[1], backend)
        case "wipe" where words.count == 3: return PeerProcess.empty(words[1], words[2], removes: false, backend)
        case "replace" where words.count == 3: return PeerProcess.empty(words[1], words[2], removes: true, backend)
        case "see" where words.count == 3: return PeerProcess.see(words[1], words[2], backend)
        case "ask" where words.count == 2: return PeerProcess.ask(words[1], backend)
        case "cycle" where words.count == 3: return PeerProcess.cycle(words[1], Int(words[2]) ?? 0, backend)
        case "edit" where words.count == 4: return PeerProcess.edit(words[1], words[2], Int(words[3]) ?? 0, backend)
        case "budget" where words.count == 4:
            return BudgetProcess.work(words[1], words[2], Int(words[3]) ?? 0, backend)
        case "update" where words.count == 2: return PeerProcess.update(words[1], backend)
        case "commit" where words.count == 2: return PeerProcess.commit(words[1], backend)
        case "looks" where words.count == 1: return PeerProcess.lookOften(backend)
        case "durable" where words.count == 3: return PowerLossCheck.work(words[1], words[2], backend)
        case "sync" where words.count == 3: return SyncProcess.work(words[1], log: words[2], backend)
        case "full" where words.count == 2: return FullDiskProcess.work(words[1], backend)
        case "fullRead" where words.count == 2: return FullDiskProcess.read(words[1], backend)
        default: return 2
        }
    }

    private static func checkRules(_ ids: [String], _ seed: UInt64, _ backend: any ConformanceBackend) async {
        for id in ids {
            guard let rule = (Rules.all + Rules.bad).first(where: { $0.id == id }) else { continue }
            say(RuleMessage.begin(id).line)
            let result = await ConformanceRunner(rules: [rule], seed: seed).check(rule, on: backend)
            let (seconds, attoseconds) = result.duration.components
            say(
                RuleMessage.end(
                    id, result.outcome, checks: result.checks,
                    milliseconds: seconds * 1_000 + attoseconds / 1_000_000_000_000_000, message: result.message
                ).line)
            if result.outcome == .timedOut { return }
        }
    }

    /// Prints a line at once.
    package static func say(_ line: String) {
        print(line + "\n", to: STDOUT_FILENO)
    }

    /// Writes `text` to a descriptor at once.
    static func print(_ text: String, to descriptor: Int32) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 || errno == EINTR else { return }
            rest = rest.dropFirst(max(count, 0))
        }
    }
}

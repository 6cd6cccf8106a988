#if Tool
    import ArgumentParser
    import GroveCache

    /// `grove trace`: what the eviction policies make of a recorded sequence of requests.
    struct TraceCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "trace",
            abstract: "Replays an access trace through eviction policies and prints hit ratios.",
            discussion: """
                The trace has one key on every line, in the order of the requests. A key that is not resident is \
                inserted. Entries weigh 1, so that the capacity is a number of entries; with --weights every line ends in \
                a weight in bytes, and the capacity is in bytes.

                The policies: lru; sieve (NSDI 2024); arc (FAST 2003); wtinylfu (W-TinyLFU, TOS 2017); s3fifo (SOSP 2023); \
                default, which is S3-FIFO with a small queue that finds its own size; all compares them.

                With --backend, every key is a record of a cache over that backend, with a budget of so many records: what \
                the policy promises is what the cache keeps. Every miss is a commit, so a memory file system is fast.

                The last number is the hit ratio.

                EXAMPLES
                  grove trace web.keys --capacity 1000
                  grove trace web.keys --capacity 300 --capacity 3000 --policy all
                  grove trace web.keys --capacity 1000 --backend lmdb
                  grove trace web.keys --capacity 50000000 --weights --policy lru --policy default
                """)

        @Argument(help: ArgumentHelp("The trace, one key per line.", valueName: "file"))
        var file: String

        @Option(help: ArgumentHelp("What fits; repeat for several.", valueName: "n"))
        var capacity: [Int] = []

        @Option(help: ArgumentHelp("A policy to replay with; repeat for several.", valueName: "name"))
        var policy: [String] = ["default"]

        @Option(help: "Replays through a whole cache over this backend instead of the bare policy.")
        var backend: BackendName?

        @Option(help: ArgumentHelp("Where temporary stores are made.", valueName: "dir"))
        var directory: String?

        @Flag(help: "Reads the weight in bytes at the end of every line.")
        var weights = false

        func run() async throws {
            var policies: [TracePolicy] = []
            for name in policy { policies += try TracePolicy.named(name).filter { !policies.contains($0) } }
            guard !capacity.isEmpty else { throw ToolError.input("how much fits? Say --capacity and a number") }
            guard capacity.allSatisfy({ $0 > 0 }) else { throw ToolError.input("--capacity is above 0") }
            guard backend == nil || !weights else {
                throw ToolError.input("--backend replays records of one size; leave --weights out")
            }
            let trace = try AccessTrace(InputFile.read(file, as: "trace"), file: file, isWeighted: weights)
            let place = try backend.map { _ throws(ToolError) in try TemporaryDirectory(in: directory) }
            var replays: [TraceReplay] = []
            for capacity in capacity {
                for policy in policies {
                    Terminal.progress("\(policy.rawValue), \(capacity.grouped)")
                    if let backend, let place {
                        replays.append(
                            try TraceReplay(trace, policy, capacity: capacity, through: backend, in: place))
                    } else {
                        replays.append(TraceReplay(trace, policy, capacity: capacity))
                    }
                }
            }
            Terminal.progress("")
            try OutputFile.write(Array(report(trace, replays).utf8), to: nil)
        }

        private func report(_ trace: AccessTrace, _ replays: [TraceReplay]) -> String {
            let requests = trace.requests.count
            var facts = TextTable(nil, alignment: [.left, .right])
            facts.append(["requests", requests.grouped])
            facts.append(["distinct keys", trace.distinct.grouped])
            guard replays.count > 1, let first = replays.first else {
                for replay in replays {
                    facts.append(["capacity", replay.capacity.grouped])
                    facts.append(["policy", replay.policy.rawValue])
                    facts.append(["evictions", replay.evictions.grouped])
                    if weights {
                        facts.append(["byte hit ratio", TraceReplay.percent(replay.hitBytes, of: replay.bytes)])
                    }
                    facts.append(["hits", replay.hits.grouped])
                    facts.append(["hit ratio", TraceReplay.percent(replay.hits, of: requests)])
                }
                return facts.description
            }
            if weights { facts.append(["bytes", first.bytes.grouped]) }
            let header =
                ["capacity", "policy", "evictions"] + (weights ? ["byte hit ratio"] : []) + ["hits", "hit ratio"]
            var table = TextTable(header, alignment: header.map { $0 == "policy" ? .left : .right })
            for replay in replays {
                table.append(
                    [replay.capacity.grouped, replay.policy.rawValue, replay.evictions.grouped]
                        + (weights ? [TraceReplay.percent(replay.hitBytes, of: replay.bytes)] : [])
                        + [replay.hits.grouped, TraceReplay.percent(replay.hits, of: requests)])
            }
            return "\(facts)\n\n\(table)"
        }
    }
#endif

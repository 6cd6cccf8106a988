#if Tool
    import ArgumentParser
    import GroveCompare

    /// `grove trace`: the hit ratios of the eviction policies for a recorded sequence of requests.
    struct TraceCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "trace",
            abstract: "Replays an access trace through eviction policies and prints hit ratios.",
            discussion: """
                The trace has one key on every line, in the order of the requests. A key that is not resident is \
                inserted. Entries weigh 1, so that the capacity is a number of entries; with --weights every line ends in \
                a weight in bytes, and the capacity is in bytes.

                The policies: lru; sieve (NSDI 2024); arc (FAST 2003); wtinylfu (W-TinyLFU, TOS 2017); s3fifo (SOSP 2023); \
                default, which is what a cache does: hands that sweep the store; all compares them.

                With --backend, every key is a record of a cache over that backend, with a budget of so many records: what \
                the policy promises is what the cache keeps. Every miss is a commit, so a memory file system is fast.

                The last number is the hit ratio.

                EXAMPLES
                  grove trace web.keys --capacity 1000
                  grove trace web.keys --capacity 300 --capacity 3000 --policy all
                  grove trace web.keys --capacity 1000 --backend lmdb
                  grove trace web.keys --capacity 50000000 --weights --policy lru --policy default
                  grove trace --families
                """)

        @Argument(help: ArgumentHelp("The trace, one key per line.", valueName: "file"))
        var file: String?

        @Flag(
            help: "Replays generated traces of eight families instead of a file, against lru and s3fifo at equal bytes."
        )
        var families = false

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
            if families { return try OutputFile.write(Array(FamilyReport().table.utf8), to: nil) }
            guard let file else { throw ToolError.input("which trace? Name a file, or say --families") }
            var policies: [TracePolicy] = []
            for name in policy { policies += try TracePolicy.named(name).filter { !policies.contains($0) } }
            guard !capacity.isEmpty else { throw ToolError.input("how much fits? Say --capacity and a number") }
            guard capacity.allSatisfy({ $0 > 0 }) else { throw ToolError.input("--capacity is above 0") }
            guard backend == nil || !weights else {
                throw ToolError.input("--backend replays records of one size; leave --weights out")
            }
            let trace = try AccessTrace(InputFile.read(file, as: "trace"), file: file, isWeighted: weights)
            let place = try backend.map { _ throws(ToolError) in try TemporaryDirectory(in: directory) }
            let report = try TraceReport(
                trace, policies, capacities: capacity, isWeighted: weights, through: backend, in: place)
            Terminal.progress("")
            try OutputFile.write(Array(report.table.utf8), to: nil)
        }
    }
#endif

import GroveCache
import GroveModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The bare store in a process whose disk is recorded: what is there after the power went at some moment.
struct PowerLossCheck {
    private static let rounds = 24

    private let trial: Trial
    private let trace: DiskTrace
    private let directory: String
    private(set) var lost = 0

    /// Lets a process write, and records what it told the disk.
    init(_ trial: Trial) throws {
        self.trial = trial
        guard let worker = trial.backend.worker else { throw CheckFailure("There is no worker.") }
        let library = try FaultLibrary()
        let directory = try TemporaryDirectory.makeFast()
        self.directory = directory
        defer { TemporaryDirectory.remove(directory) }
        let (log, path) = (try library.makeLog(), try library.makeLog())
        try TemporaryDirectory.writeFile(path, [])
        let child = try ChildProcess(
            worker, ["durable", directory, path], environment: library.environment(.none, log: log, trace: path))
        _ = child.lines(within: .seconds(60))
        try trial.expect(
            child.wait() == .exited(0), "a process that writes: expected it to end by itself, got \(child.errorText).")
        trace = try DiskTrace(path)
        try trial.expect(
            trace.events.count > PowerLossCheck.rounds * 3,
            "what the disk was told: expected several calls a round, got \(trace.events.count).")
    }

    /// Writes in rounds, and says in the trace when each began and was committed, and when it was durable.
    static func work(_ directory: String, _ trace: String, _ backend: any ConformanceBackend) -> Int32 {
        guard let store = try? backend.site(at: directory).openStore() else { return 3 }
        for round in 1...rounds {
            DiskTrace.mark("begun", in: trace)
            do {
                try store.transact { (transaction) throws(CacheError) in
                    for entry in content(round) { try transaction.put(entry.key, entry.value) }
                    if round % 5 == 0 { try transaction.remove([1, 99]) }
                }
                DiskTrace.mark("committed", in: trace)
                guard round % 4 == 0 else { continue }
                try store.synchronize()
                DiskTrace.mark("durable", in: trace)
            } catch {
                return 4
            }
        }
        store.close()
        return 0
    }

    /// What round `round` puts: three keys of its generation, and one that the next fifth round removes.
    private static func content(_ round: Int) -> [(key: [UInt8], value: [UInt8])] {
        let sizes = [10, 700, 5_000]
        var entries = (0..<3).map { index in
            (key: [1, UInt8(index)], value: [UInt8](repeating: UInt8(round), count: sizes[(index + round) % 3]))
        }
        entries.append((key: [1, 99], value: [UInt8(round)]))
        entries.append((key: [2, UInt8(round)], value: [UInt8](repeating: UInt8(round), count: 1_300)))
        return entries
    }

    /// The content after `round` rounds.
    private static func state(_ round: Int) -> [[UInt8]: [UInt8]] {
        var state: [[UInt8]: [UInt8]] = [:]
        for number in 0..<round {
            for entry in content(number + 1) { state[entry.key] = entry.value }
            if (number + 1) % 5 == 0 { state[[1, 99]] = nil }
        }
        return state
    }

    /// Tears some writes one by one, and opens what is left.
    ///
    /// The power goes just before the file's next sync, when everything else has reached the disk. A write is torn in
    /// its middle, then before its last sector.
    ///
    /// - Returns: how often the power went.
    mutating func tearWrites() throws -> Int {
        let writes = trace.largeWrites
        let step = max(1, writes.count / 40)
        let chosen = stride(from: 0, to: writes.count, by: step).map { writes[$0] }
        for write in chosen {
            for inHalf in [true, false] {
                let remains = trace.remains(of: directory, after: write.end, tearing: write.index, inHalf: inHalf)
                try losePower(after: write.end, leaving: remains)
            }
        }
        return chosen.count * 2
    }

    /// Lets the power go at a random moment, and opens what is left.
    mutating func losePower(using generator: inout SeededGenerator) throws {
        let count = Int.random(in: 0...trace.events.count, using: &generator)
        try losePower(after: count, leaving: trace.remains(of: directory, after: count, using: &generator))
    }

    private mutating func losePower(after count: Int, leaving remains: [String: [UInt8]]) throws {
        var (begun, durable) = (0, 0)
        for event in trace.events.prefix(count) {
            guard case .mark(let text) = event else { continue }
            if text == "begun" { begun += 1 }
            if text == "durable" { durable = begun }
        }
        let place = try TemporaryDirectory.makeFast()
        defer { TemporaryDirectory.remove(place) }
        for (name, bytes) in remains {
            try TemporaryDirectory.writeFile("\(place)/\(name)", bytes)
        }
        let what = "after the power went at call \(count) of \(trace.events.count), seed \(trial.seed)"
        let came: [[UInt8]: [UInt8]]
        do {
            came = try content(of: place, what)
        } catch let error as CacheError {
            // A store that was being made, and in which nothing was durable yet, may be no store.
            return try trial.expect(
                durable == 0,
                "\(what): expected a store with \(durable) durable commits to open, got the error \(error).")
        }
        let possible = (durable...begun).last { PowerLossCheck.state($0) == came }
        guard let possible else {
            let nearest = (0..<durable).last { PowerLossCheck.state($0) == came }
            let got = nearest.map { "the one after \($0)" } ?? "a mixture of \(came.count) entries"
            throw CheckFailure(
                "\(what): expected the state after one of the commits \(durable), which was durable, to \(begun), "
                    + "got \(got).")
        }
        lost += begun - possible
        try trial.expect(true, "")
    }

    /// What a store opened at `place` holds, which it goes on to hold when it is written to and opened again.
    private func content(of place: String, _ what: String) throws -> [[UInt8]: [UInt8]] {
        func open(_ body: (any NodeStore) throws -> Void) throws -> [[UInt8]: [UInt8]] {
            let site = trial.backend.site(at: place)
            defer { site.closeAll() }
            let store = try site.openStore()
            let view = try store.view()
            defer { view.end() }
            let entries = try view.entries()
            try body(store)
            return Dictionary(entries.map { ($0.key, $0.value) }) { $1 }
        }
        let found = try open { try $0.put([9], [9]) }
        var again = try open { _ in }
        try trial.expectEqual(again.removeValue(forKey: [9]), [9], "\(what): what was written then")
        try trial.expect(again == found, "\(what), after another commit: expected the same entries, got others.")
        return found
    }
}

// A measurement of Grove by its public interface, as an application would make it. The feed and the workloads are those
// of `grove compare`; `make agreement` compares the figures of the two.
//
//     swift run -c release Measurement lmdb 100000
//
// It prints a line for each workload: its name, operations per second, and the median of single calls in microseconds.
// The rate is the median of five repetitions, each after a turn that does not count. Other processes disturb the single
// calls less. An operation is a tree for read-tree, and a node for the others.
import Foundation
import GroveCache
import GroveLMDB
import GroveLevelDB
import GroveMemory
import GroveModel
import GroveSQLite

struct Measurement<Store: NodeStore> {
    let cache: NormalizedCache<Store>
    let feed: Feed
    let directory: String

    /// The number of trees per call, and the number of repetitions of each workload.
    static var batch: Int { 500 }
    static var repetitions: Int { 5 }

    func run() throws {
        let trees = feed.trees(version: 0, in: 0..<feed.messages)
        let batches = Measurement.batches(of: trees.count).map { trees[$0] }
        for batch in batches { try cache.write(contentsOf: batch) }
        try settle()
        try readTrees(trees)
        try rewriteUnchanged(batches)
        try writeBatches()
    }

    /// Reads single trees by random identifiers.
    private func readTrees(_ trees: [Message]) throws {
        let identifiers = trees.compactMap(\.modelIdentifier)
        var random = SplitMix(state: 7)
        let order = (0..<min(trees.count, 20_000)).map { _ in Int(random.next() % UInt64(trees.count)) }
        let read = { (index: Int) in
            guard case .hit = try cache.read(identifiers[index], as: Message.self) else { throw Lost() }
        }
        let turn = { try time { for index in order { try read(index) } } }
        var rates: [Double] = []
        for _ in 0..<Self.repetitions {
            _ = try turn()
            rates.append(Double(order.count) / (try turn()))
        }
        report("read-tree", rates, calls: try order.map { index in try time { try read(index) } })
    }

    /// Writes batches of trees that are stored already.
    private func rewriteUnchanged(_ batches: [ArraySlice<Message>]) throws {
        let nodes = batches.reduce(0) { $0 + Self.distinctNodes(of: $1) }
        var rates: [Double] = []
        var calls: [Double] = []
        for _ in 0..<Self.repetitions {
            for batch in batches { try cache.write(contentsOf: batch) }
            let times = try batches.map { batch in try time { try cache.write(contentsOf: batch) } }
            rates.append(Double(nodes) / times.reduce(0, +))
            calls += times
        }
        report("rewrite-unchanged", rates, calls: calls)
    }

    /// Writes batches of trees in which every node has changed since the last batch, the shared people too.
    private func writeBatches() throws {
        var rates: [Double] = []
        var calls: [Double] = []
        var version = 0
        for repetition in 0...Self.repetitions {
            var (nodes, times): (Int, [Double]) = (0, [])
            for range in Measurement.batches(of: feed.messages) {
                version += 1
                let changed = feed.trees(version: version, in: range)
                nodes += Self.distinctNodes(of: changed[...])
                times.append(try time { try cache.write(contentsOf: changed) })
            }
            guard repetition > 0 else { continue }
            rates.append(Double(nodes) / times.reduce(0, +))
            calls += times
        }
        report("write-batch", rates, calls: calls)
    }

    private static func batches(of count: Int) -> [Range<Int>] {
        stride(from: 0, to: count, by: batch).map { $0..<min($0 + batch, count) }
    }

    private static func distinctNodes(of trees: ArraySlice<Message>) -> Int {
        trees.count + Set(trees.map(\.sender.id)).count
    }

    /// Waits until the engine's own threads have finished: until no file has changed for half a second.
    private func settle() throws {
        var last: [String: Int]?
        while true {
            let files = try? FileManager.default.contentsOfDirectory(atPath: directory)
            var sizes: [String: Int] = [:]
            for file in files ?? [] {
                let attributes = try? FileManager.default.attributesOfItem(atPath: directory + "/" + file)
                sizes[file] = attributes?[.size] as? Int
            }
            if sizes == last { return }
            last = sizes
            Thread.sleep(forTimeInterval: 0.5)
        }
    }

    /// The time that `body` takes, in seconds.
    private func time(_ body: () throws -> Void) rethrows -> Double {
        let time = try ContinuousClock().measure(body)
        return Double(time.components.seconds) + Double(time.components.attoseconds) / 1e18
    }

    /// Prints the median rate, and the median of single calls in microseconds without the time of the clock itself.
    private func report(_ name: String, _ rates: [Double], calls: [Double]) {
        let clock = (0..<1_001).map { _ in time {} }.sorted()[500]
        print(name, Int(rates.sorted()[rates.count / 2]), (calls.sorted()[calls.count / 2] - clock) * 1e6)
    }
}

/// The error of a cache that lost a written value.
struct Lost: Error {}

let arguments = CommandLine.arguments
guard arguments.count == 3, let messages = Int(arguments[2]), messages > 0 else {
    print("usage: Measurement memory|lmdb|sqlite|leveldb MESSAGES")
    exit(2)
}
let directory = FileManager.default.temporaryDirectory.appendingPathComponent("measurement-\(UUID())").path
defer { try? FileManager.default.removeItem(atPath: directory) }
let feed = Feed(messages: messages)
switch arguments[1] {
case "memory": try Measurement(cache: MemoryCache(), feed: feed, directory: directory).run()
case "lmdb": try Measurement(cache: LMDBCache(directory: directory), feed: feed, directory: directory).run()
case "sqlite": try Measurement(cache: SQLiteCache(directory: directory), feed: feed, directory: directory).run()
case "leveldb": try Measurement(cache: LevelDBCache(directory: directory), feed: feed, directory: directory).run()
default:
    print("there is no backend \(arguments[1])")
    exit(2)
}

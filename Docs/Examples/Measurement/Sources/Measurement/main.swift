// What an application would measure of Grove, through nothing but its public interface: the same feed and the same
// workloads as `grove compare`, so that each can be held against the other (`make agreement`).
//
//     swift run -c release Measurement lmdb 100000
//
// Prints a line for each workload, its name and operations a second: the median of five repetitions after one that does
// not count. Trees for read-tree, nodes for the others.
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

    func run() throws {
        let trees = feed.trees(version: 0)
        let nodes = try write(trees)
        try settle()
        report("read-tree", try readTrees(trees))
        report("rewrite-unchanged", try median { Double(nodes) / (try seconds { _ = try write(trees) }) })
        var version = 0
        report(
            "write-batch",
            try median {
                version += 1
                let changed = feed.trees(version: version)
                let time = try seconds { _ = try write(changed) }
                // A person that several calls bring is written by the first.
                return Double(changed.count + Set(changed.map(\.sender.id)).count) / time
            })
    }

    /// Waits until the engine's own threads have nothing left to do: until no file changes any more.
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
            Thread.sleep(forTimeInterval: 0.2)
        }
    }

    /// Single trees of random identifiers.
    private func readTrees(_ trees: [Message]) throws -> Double {
        var random = SplitMix(state: 7)
        let identifiers = (0..<min(trees.count, 20_000)).map { _ in
            ModelIdentifier("Message:\(trees[Int(random.next() % UInt64(trees.count))].id)")
        }
        return try median {
            let time = try seconds {
                for identifier in identifiers {
                    guard try cache.model(identifier, as: Message.self) != nil else { throw Lost() }
                }
            }
            return Double(identifiers.count) / time
        }
    }

    /// Writes 500 trees to a call; returns how many distinct nodes the calls had in all.
    private func write(_ trees: [Message]) throws -> Int {
        var nodes = 0
        for start in stride(from: 0, to: trees.count, by: 500) {
            let batch = trees[start..<min(start + 500, trees.count)]
            try cache.write(contentsOf: batch)
            nodes += batch.count + Set(batch.map(\.sender.id)).count
        }
        return nodes
    }

    private func median(_ measure: () throws -> Double) rethrows -> Double {
        _ = try measure()
        return try (0..<5).map { _ in try measure() }.sorted()[2]
    }

    private func seconds(_ body: () throws -> Void) rethrows -> Double {
        let time = try ContinuousClock().measure(body)
        return Double(time.components.seconds) + Double(time.components.attoseconds) / 1e18
    }

    private func report(_ name: String, _ rate: Double) { print(name, Int(rate)) }
}

/// The cache does not have what was written to it.
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

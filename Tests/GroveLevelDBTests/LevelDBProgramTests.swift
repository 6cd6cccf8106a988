import Foundation
import GroveCache
import GroveLevelDB
import GroveModel
import Testing

@Suite("Programs against the store on LevelDB")
struct LevelDBProgramTests {
    @Test("Random programs agree with a dictionary, and old views keep showing their state", arguments: 0..<6)
    func programsAgree(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let directory = try TemporaryDirectory()
        let options = LevelDBOptions(writeBufferBytes: 64 << 10, syncsEachCommit: seed % 3 == 0)
        var store = try directory.open(options)
        var model: [[UInt8]: [UInt8]] = [:]
        var views: [(view: LevelDBView, content: [[UInt8]: [UInt8]])] = []
        for _ in 0..<120 {
            let commits = Int.random(in: 0..<4, using: &random) > 0
            var next = model
            do {
                try store.write { (transaction) throws(CacheError) in
                    for _ in 0..<Int.random(in: 0..<60, using: &random) {
                        let key = random.key()
                        switch Int.random(in: 0..<3, using: &random) {
                        case 0:
                            try transaction.remove(key)
                            next[key] = nil
                        case 1:
                            #expect(try transaction.get(key) == next[key])
                        default:
                            let value = random.value()
                            try transaction.put(key, value)
                            next[key] = value
                        }
                    }
                    #expect(try transaction.dictionary() == next)
                    let keys = try transaction.all(prefix: [0x61]).map(\.key)
                    #expect(keys == next.keys.filter { $0.first == 0x61 }.sorted { $0.lexicographicallyPrecedes($1) })
                    if !commits { throw CacheError(.cancelled, "On purpose.") }
                }
                model = next
            } catch { #expect(!commits) }
            if Bool.random(using: &random) { views.append((try store.view(), model)) }
            if views.count > 5 {
                let (view, content) = views.remove(at: Int.random(in: 0..<views.count, using: &random))
                #expect(try view.dictionary() == content)
                for (key, value) in content { #expect(try view.get(key) == value) }
                view.end()
            }
            #expect(try store.size().entries == model.count)
            guard Int.random(in: 0..<25, using: &random) == 0 else { continue }
            for (view, content) in views {
                #expect(try view.dictionary() == content)
                view.end()
            }
            views = []
            if Bool.random(using: &random) {
                try store.wipe()
                model = [:]
            } else {
                store.close()
                store = try directory.open(options)
            }
        }
        for (view, content) in views {
            #expect(try view.dictionary() == content)
            view.end()
        }
    }

    @Test("Readers beside a writer see whole commits only")
    func readersSeeWholeCommits() async throws {
        let directory = try TemporaryDirectory()
        let store = try directory.open(LevelDBOptions(writeBufferBytes: 64 << 10, syncsEachCommit: false))
        let keys = (0..<200).map { "key \($0)" }
        try store.write { (transaction) throws(CacheError) in for key in keys { try transaction.put(key, "0") } }
        let isDone = Flag()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<3 {
                group.addTask {
                    var last = 0
                    while !isDone.isSet {
                        let values = try? store.read { (view) throws(CacheError) in
                            var values: Set<String?> = []
                            for key in keys { values.insert(try view.get(key)) }
                            return values
                        }
                        #expect(values?.count == 1)
                        let now = values?.first?.flatMap { Int($0) } ?? -1
                        #expect(now >= last)
                        last = now
                        await Task.yield()
                    }
                }
            }
            group.addTask {
                for round in 1...200 {
                    try? store.write { (transaction) throws(CacheError) in
                        for key in keys { try transaction.put(key, "\(round)") }
                    }
                }
                isDone.set()
            }
        }
        #expect(try store.read { (view) throws(CacheError) in try view.get("key 7") } == "200")
    }
}

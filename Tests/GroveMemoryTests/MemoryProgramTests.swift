import GroveCache
import GroveModel
import Testing

@testable import GroveMemory

@Suite("Programs against the store in memory")
struct MemoryProgramTests {
    @Test("Random programs agree with a dictionary, and old views keep showing their state", arguments: 0..<24)
    func programsAgree(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let store = MemoryStore(hash: MemoryStoreTests.hashes[Int(seed % 3)])
        var model: [[UInt8]: [UInt8]] = [:]
        var views: [(view: MemoryView, content: [[UInt8]: [UInt8]])] = []
        for _ in 0..<150 {
            let commits = Int.random(in: 0..<4, using: &random) > 0
            var next = model
            do {
                try store.write { (transaction) throws(CacheError) in
                    for _ in 0..<Int.random(in: 0..<30, using: &random) {
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
                    if !commits { throw CacheError(.cancelled, "On purpose.") }
                }
                model = next
            } catch { #expect(!commits) }
            if Int.random(in: 0..<40, using: &random) == 0 {
                try store.wipe()
                model = [:]
            }
            if Bool.random(using: &random) { views.append((try store.view(), model)) }
            if views.count > 5 {
                let (view, content) = views.remove(at: Int.random(in: 0..<views.count, using: &random))
                #expect(try view.dictionary() == content)
                for (key, value) in content { #expect(try view.get(key) == value) }
                view.end()
            }
            let size = try store.size()
            #expect(size.entries == model.count)
            #expect(size.payloadBytes == model.reduce(0) { $0 + $1.key.count + $1.value.count })
        }
        for (view, content) in views { #expect(try view.dictionary() == content) }
    }

    @Test("Readers beside a writer see whole commits only")
    func readersSeeWholeCommits() async throws {
        let store = try MemoryStore()
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
                for round in 1...300 {
                    try? store.write { (transaction) throws(CacheError) in
                        for key in keys { try transaction.put(key, "\(round)") }
                    }
                }
                isDone.set()
            }
        }
        #expect(try store.read { (view) throws(CacheError) in try view.get("key 7") } == "300")
    }
}

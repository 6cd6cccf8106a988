import GroveMemory
import GroveModel
import Testing

@testable import GroveCache

@Suite("Pins that the store remembers")
struct PinSharingTests {
    private typealias Cache = NormalizedCache<SharedStore>

    private func open(_ disk: SharedStore.Disk, _ nodes: Int? = 20) throws -> Cache {
        try Cache(
            directory: nil, options: SharedStore.Options(disk: disk),
            budget: nodes.map { CacheBudget(nodes: $0) } ?? .unlimited)
    }

    /// Writes so many nodes that nothing else stays.
    private func flood(_ cache: Cache) throws {
        for number in 0..<100 { try cache.write(Person(id: "flood-\(number)", name: "", age: 0)) }
    }

    private func areThere(_ cache: Cache, _ identifiers: String...) throws -> [Bool] {
        try identifiers.map { try cache.storedRecord(.node, $0) != nil }
    }

    @Test("They hold after reopening, and the others do not")
    func reopening() throws {
        let disk = try SharedStore.Disk()
        var cache = try open(disk)
        try cache.write(contentsOf: [Fork("a", Fork("b")), Fork("c")])
        try cache.retain("Fork:a", acrossReopening: true)
        try cache.retain("Fork:c")
        cache.close()
        cache = try open(disk)
        try flood(cache)
        #expect(try areThere(cache, "Fork:a", "Fork:b", "Fork:c") == [true, true, false])
        #expect(try cache.usage().pinnedEntries == 2)
        // A write under it is held to the budget from the first transaction on.
        cache.close()
        cache = try open(disk)
        let children = (0..<25).map { Fork("\($0)") }
        var tree = Fork("end")
        for child in children { tree = Fork("p\(child.id)", child, tree) }
        #expect(throws: CacheError.self) { try cache.write(Fork("b", tree)) }
        try cache.release("Fork:a")
        try flood(cache)
        #expect(try areThere(cache, "Fork:a", "Fork:b") == [true, true])
        try cache.release("Fork:a", acrossReopening: true)
        cache.close()
        cache = try open(disk)
        try flood(cache)
        #expect(try areThere(cache, "Fork:a", "Fork:b") == [false, false])
    }

    @Test("A write of another process under a pin is noticed also where it changes no size")
    func sameSize() throws {
        let disk = try SharedStore.Disk()
        let (one, other) = (try open(disk), try open(disk))
        try one.write(contentsOf: [Fork("h", Fork("1")), Fork("2")])
        try one.retain("Fork:h")
        try other.write(Person(id: "x", name: "", age: 0))
        try one.write(Person(id: "y", name: "", age: 0))
        try other.write(Person(id: "x", name: "", age: 1))
        try one.write(Person(id: "y", name: "", age: 1))
        try other.write(Fork("h", Fork("2")))
        try flood(one)
        #expect(try areThere(one, "Fork:h", "Fork:1", "Fork:2") == [true, false, true])
    }

    @Test("Retaining again what a smaller budget has no room for is refused, as at first")
    func smaller() throws {
        let disk = try SharedStore.Disk()
        var tree = Fork("end")
        for number in 0..<30 { tree = Fork("\(number)", tree) }
        var cache = try open(disk, 100)
        try cache.write(tree)
        try cache.retain("Fork:29", acrossReopening: true)
        cache.close()
        cache = try open(disk, 10)
        for isPersistent in [true, false] {
            let error = #expect(throws: CacheError.self) {
                try cache.retain("Fork:29", acrossReopening: isPersistent)
            }
            #expect(error?.code == .overBudget)
        }
        try cache.release("Fork:29", acrossReopening: true)
        try cache.write(Fork("a", Fork("b")))
        try cache.retain("Fork:a", acrossReopening: true)
        try flood(cache)
        #expect(try areThere(cache, "Fork:a", "Fork:b") == [true, true])
    }

    @Test("They are kept by others that have the store open, also what others write under them")
    func others() throws {
        let disk = try SharedStore.Disk()
        let (one, other) = (try open(disk), try open(disk))
        try flood(other)
        try one.write(Fork("a", Fork("b")))
        try one.write(Fork("c"))
        try one.retain("Fork:a", acrossReopening: true)
        try flood(other)
        #expect(try areThere(other, "Fork:a", "Fork:b", "Fork:c") == [true, true, false])
        try other.write(Fork("d"))
        try other.write(Fork("b", Fork("d")))
        try flood(one)
        #expect(try areThere(one, "Fork:a", "Fork:b", "Fork:d") == [true, true, true])
        try one.write(Fork("e"))
        try one.write(ForkLink(id: "d", left: ForkStub(id: "e")))
        try flood(other)
        #expect(try areThere(one, "Fork:a", "Fork:b", "Fork:d", "Fork:e") == [true, true, true, true])
        // What one retains for itself, another may evict.
        try one.write(Fork("f"))
        try one.retain("Fork:f")
        try flood(other)
        #expect(try areThere(one, "Fork:f") == [false])
        try other.release("Fork:a", acrossReopening: true)
        try flood(one)
        #expect(try areThere(one, "Fork:a", "Fork:b", "Fork:d", "Fork:e") == [false, false, false, false])
    }

    @Test("One that has no budget leaves them for those that have")
    func unlimited() throws {
        let disk = try SharedStore.Disk()
        let unlimited = try open(disk, nil)
        try unlimited.write(contentsOf: [Fork("a", Fork("b")), Fork("c")])
        try unlimited.retain("Fork:a", acrossReopening: true)
        let cache = try open(disk)
        try flood(cache)
        #expect(try areThere(cache, "Fork:a", "Fork:b", "Fork:c") == [true, true, false])
        let size = try disk.base.size()
        #expect(try cache.usage().payloadBytes == size.payloadBytes && cache.usage().entries == size.entries)
        try unlimited.release("Fork:a", acrossReopening: true)
        try flood(cache)
        #expect(try areThere(cache, "Fork:a", "Fork:b") == [false, false])
    }

    @Test("Under a smaller budget what fits of them is held, and the budget holds")
    func shrunk() throws {
        let disk = try SharedStore.Disk()
        var cache = try open(disk)
        for number in 0..<10 {
            try cache.write(Fork("\(number)"))
            try cache.retain(ModelIdentifier("Fork:\(number)"), acrossReopening: true)
        }
        cache.close()
        cache = try open(disk, 4)
        try flood(cache)
        let left = try (0..<10).filter { try cache.storedRecord(.node, "Fork:\($0)") != nil }.count
        #expect(left == 4)
        #expect(try cache.usage().pinnedEntries == 4)
    }
}

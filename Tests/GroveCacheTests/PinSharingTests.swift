import GroveCache
import GroveInspect
import GroveMemory
import GroveModel
import Testing

@Suite("Pins and other processes")
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
}

import GroveCache
import GroveCoding
import GroveModel
import Synchronization
import Testing

/// The old value of what a call could not store is not read as current, and what others have written since stays.
@Suite("Calls that were refused, beside others")
struct RefusedCallsTests {
    /// Two projections of one record, with a field each.
    private struct Profile: CodableModel, Equatable {
        var id: Int
        var name: String
        var modelIdentifier: ModelIdentifier? { "User:\(id)" }
        static let recordName = "User"
    }

    private struct Account: CodableModel, Equatable {
        var id: Int
        var mail: String
        var modelIdentifier: ModelIdentifier? { "User:\(id)" }
        static let recordName = "User"
    }

    private final class Witness: CacheObserver {
        let lists = Mutex<Set<ModelIdentifier>>([])

        func cacheDidCommit(_ changes: ChangeSet) {
            lists.withLock { $0.formUnion(changes.changedCollectionKeys) }
        }
    }

    private let disk: SharedStore.Disk
    private let cache: NormalizedCache<SharedStore>
    /// Of another process, as far as numbers go.
    private let other: NormalizedCache<SharedStore>
    private let witness = Witness()

    init() throws {
        disk = try SharedStore.Disk()
        cache = try NormalizedCache(directory: nil, options: SharedStore.Options(disk: disk), observer: witness)
        other = try disk.open()
    }

    private func people(_ range: Range<Int>) -> [Person] {
        range.map { Person(id: "\($0)", name: "number \($0)", age: $0) }
    }

    @Test("Of a record that another process has changed as another projection, that one stays")
    func projections() throws {
        try cache.write(Profile(id: 1, name: "old"))
        try cache.write(Account(id: 1, mail: "old"))
        try cache.suspend()
        cache.setModel(Profile(id: 1, name: "new"), forKey: "User:1", context: nil)
        try other.write(Account(id: 1, mail: "theirs"))
        try cache.resume()
        try? cache.flush()
        #expect(try cache.model("User:1", as: Profile.self) == nil)
        #expect(try cache.model("User:1", as: Account.self) == Account(id: 1, mail: "theirs"))
    }

    @Test("A list that another process has set since is there again, and that is told")
    func list() async throws {
        try overwrite()
        await cache.followersTold()
        #expect(try cache.collection("list", of: Person.self) == people(4..<6))
        #expect(witness.lists.withLock { $0.contains("list") })
    }

    /// Writes a list whose next value is refused, and a value of another process.
    private func overwrite() throws {
        try cache.writeCollection(people(0..<2), as: "list")
        disk.faults.withLock { $0.refusesWrites = true }
        cache.setCollection(people(2..<4), forKey: "list", context: nil)
        #expect(throws: CacheError.self) { try cache.flush() }
        disk.faults.withLock { $0.refusesWrites = false }
        try other.writeCollection(people(4..<6), as: "list")
        #expect(try cache.collection("list", of: Person.self) == nil)
        witness.lists.withLock { $0 = [] }
        try cache.write(people(9..<10)[0])
    }

    @Test("A list of a later version does not keep others from being forgotten")
    func futureList() throws {
        try cache.write(people(3..<4)[0])
        try cache.writeCollection(people(1..<3), as: "list")
        try disk.makeFuture(key: [Namespace.collection] + Array("list".utf8))
        cache.setCollection([Person(id: "3", name: "new", age: 3)], forKey: "list", context: nil)
        #expect(throws: CacheError.self) { try cache.flush() }
        try cache.write(people(9..<10)[0])
        #expect(try other.model("Person:3", as: Person.self) == nil)
    }
}

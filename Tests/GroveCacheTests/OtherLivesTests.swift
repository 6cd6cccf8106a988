import GroveCache
import GroveModel
import StoreTesting
import Synchronization
import Testing

/// What a process is told of a store that another one has emptied, if nothing but the store itself says so.
@Suite("News of another life of the store")
struct OtherLivesTests {
    private final class Listener: CacheObserver {
        let changes = Mutex<[ChangeSet]>([])
        func cacheDidCommit(_ set: ChangeSet) { changes.withLock { $0.append(set) } }
    }

    private let listener = Listener()
    private let disk: SharedStore.Disk
    private let cache: NormalizedCache<SharedStore>

    init() throws {
        disk = try SharedStore.Disk()
        cache = try NormalizedCache(
            directory: nil, options: SharedStore.Options(disk: disk), observer: listener)
    }

    private func person(_ number: Int, _ age: Int) -> Person { Person(id: "\(number)", name: "P", age: age) }

    /// What was told during `body`.
    private func told(_ body: () throws -> Void) rethrows -> [ChangeSet] {
        cache.awaitTold()
        listener.changes.withLock { $0 = [] }
        try body()
        cache.awaitTold()
        return listener.changes.withLock { $0 }
    }

    @Test("What others commit after a wipe of theirs is told, though the store's numbers began anew")
    func afterWipe() throws {
        for age in 0..<9 { try cache.write(person(1, age)) }
        let other = try disk.open()
        try other.wipe()
        try other.write(person(2, 1))
        let first = try told { try cache.write(person(3, 1)) }
        #expect(first.count == 2 && first.first?.changesEverything == true, "\(first)")
        // From now on others' commits are known by their numbers again.
        try other.write(person(2, 2))
        let second = try told { try cache.write(person(3, 2)) }
        #expect(second.count == 2 && second.first?.changesEverything == true, "\(second)")
        let third = try told { try cache.write(person(3, 3)) }
        #expect(third.count == 1 && third.first?.changesEverything == false, "\(third)")
    }

    @Test("A wipe of others after which nothing was written is told too")
    func emptied() throws {
        try cache.write(person(1, 1))
        try disk.open().wipe()
        let sets = try told { try cache.write(person(3, 1)) }
        #expect(sets.first?.changesEverything == true, "\(sets)")
    }
}

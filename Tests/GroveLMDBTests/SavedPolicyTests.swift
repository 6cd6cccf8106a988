@testable import GroveCache
import GroveLMDB
import GroveModel
import StoreTesting
import TestSupport
import Testing

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// What an earlier process left of the policy, and when it is read.
@Suite("A saved policy")
struct SavedPolicyTests {
    @Test("Opening and reading leave it where it is; the first write takes it up, with everything that was in it")
    func firstWrite() throws {
        let directory = try TemporaryDirectory()
        func open() throws(CacheError) -> NormalizedCache<LMDBStore> {
            try NormalizedCache(
                directory: directory.path, options: LMDBOptions(), budget: CacheBudget(bytes: 8 << 20))
        }
        let first = try open()
        let notes = (0..<500).map(Item.init)
        try first.write(contentsOf: notes)
        let held = try #require(first.core.index?.policy.count)
        #expect(held >= notes.count)
        first.close()
        #expect(EvictionIndex.readSaved(in: directory.path) != nil)

        let second = try open()
        let index = try #require(second.core.index)
        for note in notes { #expect(try second.model(#require(note.modelIdentifier), as: Item.self) == note) }
        #expect(try second.usage().entries ?? held >= notes.count)
        #expect(!index.isLoaded && index.policy.count == 0)
        try second.write(Item(id: 1_000))
        #expect(index.isLoaded && index.policy.count == held + 1)
        second.close()
    }

    @Test("What was saved under a larger budget is taken up, and leaves no file that a smaller one has no room for")
    func smallerBudget() throws {
        let directory = try TemporaryDirectory()
        func open(_ bytes: Int) throws(CacheError) -> NormalizedCache<LMDBStore> {
            try NormalizedCache(
                directory: directory.path, options: LMDBOptions(), budget: CacheBudget(bytes: bytes))
        }
        let first = try open(8_000_000)
        try first.write(contentsOf: (0..<3_000).map(Item.init))
        let held = try #require(first.core.index?.policy.count)
        first.close()
        #expect(try #require(EvictionIndex.readSaved(in: directory.path)).count > 1_000_000 / 21)
        let second = try open(1_000_000)
        #expect(EvictionIndex.readSaved(in: directory.path) == nil)
        let index = try #require(second.core.index)
        index.restorePolicy()
        #expect(index.policy.count == held)
        second.close()
    }

    @Test("Saving takes the place of what was saved: there are never two files at once")
    func oneFile() throws {
        let directory = try TemporaryDirectory()
        let index = EvictionIndex(CacheBudget(bytes: 8 << 20))
        index.begin(capacity: 4 << 20, saved: nil)
        index.removeAll()
        var numbers: Set<UInt64> = []
        for size in [1_000, 2_000, 4_000] {
            for hash in 0..<UInt64(size) { _ = index.policy.insert(hash, weight: 100) { _ in } }
            index.save(in: directory.path)
            var status = stat()
            #expect(unsafe stat(directory.path + "/grove-eviction", &status) == 0)
            numbers.insert(UInt64(status.st_ino))
            #expect(EvictionIndex.readSaved(in: directory.path) == index.policy.save())
            #expect(try directory.files() == ["grove-eviction"])
        }
        #expect(numbers.count == 1)
    }
}

private struct Item: CodableModel, Equatable {
    var id: Int
    var modelIdentifier: ModelIdentifier? { "Item:\(id)" }
}

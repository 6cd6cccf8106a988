@testable import GroveCache
import GroveLMDB
import GroveModel
import GrovePlatform
import StoreTesting
import Testing
import TestSupport

/// What an earlier process left of what was asked for, and when it is read.
@Suite("Saved touches")
struct SavedTouchesTests {
    private func open(_ directory: TemporaryDirectory, _ bytes: Int) throws(CacheError) -> NormalizedCache<LMDBStore> {
        try NormalizedCache(directory: directory.path, options: LMDBOptions(), budget: CacheBudget(bytes: bytes))
    }

    @Test("Opening and reading leave them where they are; the first write takes them up")
    func firstWrite() throws {
        let directory = try TemporaryDirectory()
        let first = try open(directory, 8 << 20)
        let notes = (0..<500).map(Item.init)
        try first.write(contentsOf: notes)
        for note in notes { #expect(try first.model(#require(note.modelIdentifier), as: Item.self) == note) }
        first.close()
        #expect(Evictor.readSaved(in: directory.path) != nil)

        let second = try open(directory, 8 << 20)
        let evictor = try #require(second.core.evictor)
        for note in notes { #expect(try second.model(#require(note.modelIdentifier), as: Item.self) == note) }
        #expect(evictor.saved.in != nil)
        try second.write(Item(id: 1_000))
        #expect(evictor.saved.in == nil)
        let known = notes.count { note in
            let key = [Namespace.node] + Array((note.modelIdentifier?.rawValue ?? "").utf8)
            return evictor.policy.main.seen.find(unsafe key.withUnsafeBytes { unsafe Evictor.hash($0) }) != nil
        }
        #expect(known == notes.count)
        second.close()
    }

    @Test("What was saved under a larger budget leaves no file that a smaller one has no room for")
    func smallerBudget() throws {
        let directory = try TemporaryDirectory()
        let first = try open(directory, 8_000_000)
        let notes = (0..<3_000).map(Item.init)
        try first.write(contentsOf: notes)
        for _ in 0..<2 {
            for note in notes { _ = try first.model(#require(note.modelIdentifier), as: Item.self) }
            try first.write(Item(id: 9_000))
        }
        first.close()
        let saved = try #require(Evictor.readSaved(in: directory.path))
        let second = try open(directory, 720_000)
        #expect((Evictor.readSaved(in: directory.path) == nil) == (saved.count > 720_000 / 21))
        #expect(second.core.evictor?.saved.in != nil)
        try second.write(Item(id: 9_001))
        #expect(second.core.evictor?.saved.in == nil)
        second.close()
    }

    @Test("Saving takes the place of what was saved: there are never two files at once, and damage is nothing saved")
    func oneFile() throws {
        let directory = try TemporaryDirectory()
        let evictor = Evictor(CacheBudget(bytes: 8 << 20))
        evictor.begin(capacity: 4 << 20, saved: nil)
        evictor.begin(at: StoreState())
        var numbers: Set<UInt64> = []
        for size in [1_000, 2_000, 4_000] {
            for hash in 0..<UInt64(size) {
                evictor.keep(hash &* 0x9e37_79b9_7f4a_7c15, weight: 100, number: .zero, isNew: false, now: 1)
            }
            evictor.save(in: directory.path)
            var status = stat()
            #expect(unsafe stat(directory.path + "/grove-eviction", &status) == 0)
            numbers.insert(UInt64(status.st_ino))
            #expect(Evictor.readSaved(in: directory.path) == evictor.save())
            #expect(try directory.files() == ["grove-eviction"])
        }
        #expect(numbers.count == 1)
        let saved = try #require(evictor.save())
        for place in stride(from: 0, to: saved.count, by: 997) {
            var damaged = saved
            damaged[place] ^= 0x10
            let other = Evictor(CacheBudget(bytes: 8 << 20))
            StoreDirectory.write(damaged, to: Evictor.fileName, in: directory.path)
            other.begin(capacity: 4 << 20, saved: directory.path)
            other.begin(at: StoreState())
            #expect(other.policy.main.seen.slots.allSatisfy { $0 == 0 })
        }
    }
}

private struct Item: CodableModel, Equatable {
    var id: Int
    var modelIdentifier: ModelIdentifier? { "Item:\(id)" }
}

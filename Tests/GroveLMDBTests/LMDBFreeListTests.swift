import CLMDB
import GroveCache
import StoreTesting
import Synchronization
import TestSupport
import Testing

@testable import GroveLMDB

@Suite("Which pages are free")
struct LMDBFreeListTests {
    @Test("What is kept from commit to commit is what LMDB's list says, whatever was written", arguments: 0..<6)
    func keptFromCommitToCommit(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let directory = try TemporaryDirectory()
        let store = try directory.open()
        defer { store.close() }
        if seed % 2 == 1 {
            // Sparse pages are filled then, as if there were few of them.
            _ = try store.setBudget(64 << 20)
            store.pageLimit.store(60, ordering: .relaxed)
        }
        var held: [LMDBView] = []
        for _ in 0..<250 {
            try store.write { transaction throws(CacheError) in
                for _ in 0..<Int.random(in: 1...60, using: &random) {
                    let key = Array("\(Int.random(in: 0..<600, using: &random))".utf8)
                    guard random.next() % 3 > 0 else {
                        try transaction.remove(key)
                        continue
                    }
                    let count = random.next() % 20 == 0 ? 9_000 : Int.random(in: 0...900, using: &random)
                    try transaction.put(key, [UInt8](repeating: 1, count: count))
                }
            }
            // Some commits are looked at, and some pages are kept from being used again meanwhile.
            if random.next() % 4 == 0, held.count < 3 { held.append(try store.view()) }
            if random.next() % 6 == 0, !held.isEmpty { held.remove(at: Int(random.next() % UInt64(held.count))).end() }
            guard random.next() % 3 > 0 else { continue }
            let view = try store.view()
            defer { view.end() }
            try Self.expectCurrent(view)
            for older in held { try Self.expectCurrent(older) }
        }
        for view in held { view.end() }
    }

    @Test("Every page is a header's, in use, or free")
    func everyPage() throws {
        var random = SeededGenerator(seed: 1)
        let directory = try TemporaryDirectory()
        let store = try directory.open()
        defer { store.close() }
        for _ in 0..<60 {
            try store.write { transaction throws(CacheError) in
                for _ in 0..<40 {
                    let key = Array("\(Int.random(in: 0..<300, using: &random))".utf8)
                    try transaction.put(key, [UInt8](repeating: 1, count: Int.random(in: 0...6_000, using: &random)))
                }
            }
            let view = try store.view()
            defer { view.end() }
            let free = try view.freePages()
            #expect(
                try view.environment.usedPages() + view.pagesOfFreeList() + free.listed.count + 2 == Int(free.last) + 1)
        }
    }

    /// What is kept of a view's free pages is what somebody finds who reads them all.
    private static func expectCurrent(_ view: LMDBView) throws {
        let kept = try view.freePages()
        let read = try unsafe LMDBFreeList().pages(view.transaction, view.environment)
        #expect(kept.commit == read.commit)
        #expect(kept.listed == read.listed)
    }
}

extension LMDBView {
    /// How many pages the list itself takes.
    fileprivate func pagesOfFreeList() -> Int {
        var statistics = MDB_stat()
        _ = unsafe mdb_stat(transaction, 0, &statistics)
        return Int(statistics.ms_branch_pages + statistics.ms_leaf_pages + statistics.ms_overflow_pages)
    }
}

import GroveCache
import GroveMemory
import GroveModel
import Testing
import TestSupport

@Suite("Gaps in lists")
struct GapTests {
    private func people(_ range: Range<Int>) -> [Person] {
        range.map { Person(id: "\($0)", name: "number \($0)", age: $0) }
    }

    private func readList(
        _ cache: some CacheReader, _ range: Range<Int>? = nil, _ missing: MissingElements = .skip
    ) throws -> CacheRead<CollectionRead<Person>> {
        try cache.readCollection("list", of: Person.self, in: range, missing: missing)
    }

    /// A cache of a list of `count`, of which some chunks were lost.
    private func cache(_ count: Int, without chunks: [Int] = []) throws -> NormalizedCache<SharedStore> {
        let disk = try SharedStore.Disk()
        let cache = try disk.open()
        try cache.writeCollection(people(0..<count), as: "list")
        let keys = chunks.isEmpty ? [] : try #require(try cache.head("list")).chunkKeys
        for chunk in chunks {
            try disk.base.write { (transaction) throws(CacheError) in
                try unsafe keys[chunk].withUnsafeBytesTyped { (key) throws(CacheError) in
                    try unsafe transaction.remove(key)
                }
            }
        }
        return cache
    }

    private static let gap = CacheRead<CollectionRead<Person>>.miss(CacheMiss(.gap, "list"))

    // MARK: Chunks that were lost

    @Test("A read that comes to a lost part is a miss that says so, or passes over it and says where")
    func lost() throws {
        let cache = try cache(700, without: [1, 2, 4])
        #expect(try readList(cache, nil, .miss) == Self.gap)
        #expect(try readList(cache, 100..<200, .miss) == Self.gap)
        let whole = try #require(try readList(cache).value)
        #expect(whole.elements == people(0..<128) + people(384..<512) + people(640..<700))
        #expect(whole.gaps == [128..<384, 512..<640])
        #expect(whole.skipped.isEmpty && whole.nextRange == nil)
        let page = try #require(try readList(cache, 100..<300).value)
        #expect(page.elements == people(100..<128) && page.gaps == [128..<300])
        #expect(page.nextRange == 300..<500)
        let empty = try #require(try readList(cache, 200..<250).value)
        #expect(empty.elements.isEmpty && empty.gaps == [200..<250] && empty.nextRange == 250..<300)
        #expect(try readList(cache, 0..<128, .miss).value?.gaps == [])
        #expect(try cache.count(ofCollection: "list") == 700)
        #expect(try cache.knownCount(ofCollection: "list") == 700)
    }

    @Test("A read beside queued edits says the same")
    func queued() throws {
        let cache = try cache(700, without: [1, 2, 4])
        let followed = cache.followed { _ in }
        try cache.whileWriterRests { () throws in
            followed.queue(.insert(people(700..<702), .last))
            try expectEqual(readList(cache, nil, .miss), Self.gap)
            let whole = try #require(try readList(cache).value)
            #expect(whole.elements == people(0..<128) + people(384..<512) + people(640..<702))
            #expect(whole.gaps == [128..<384, 512..<640])
            let page = try #require(try readList(cache, 100..<300).value)
            #expect(page.gaps == [128..<300] && page.nextRange == 300..<500)
            try expectEqual(cache.count(ofCollection: "list"), 702)
            try expectEqual(cache.knownCount(ofCollection: "list"), 702)
        }
        try cache.flush()
        #expect(try readList(cache).value?.elements == people(0..<128) + people(384..<512) + people(640..<702))
    }

    // MARK: Pages

    @Test("A walk by `nextRange` comes to the end of every list, however many of its elements are deleted")
    func pages() throws {
        for count in [0, 1, 49, 50, 51, 130, 300] {
            let cache = try cache(count)
            for number in 40..<250 { try cache.delete(ModelIdentifier("Person:\(number)")) }
            var (range, found, steps): (Range<Int>?, [Person], Int) = (0..<50, [], 0)
            while let page = range {
                let read = try #require(try readList(cache, page, .miss).value)
                found += read.elements
                range = read.nextRange
                steps += 1
            }
            #expect(found == people(0..<count).filter { !(40..<250).contains($0.age) }, "\(count)")
            #expect(steps == max((count + 49) / 50, 1), "\(count)")
        }
    }

    @Test("Ranges that no list has are no reason to go on")
    func oddRanges() throws {
        let cache = try cache(10)
        #expect(try readList(cache, 5..<5).value?.nextRange == nil)
        #expect(try readList(cache, 10..<20).value?.nextRange == nil)
        #expect(try readList(cache, -5..<5).value?.nextRange == 5..<10)
        #expect(try readList(cache, .min..<0).value?.nextRange == nil)
        #expect(try readList(cache, 0..<Int.max).value?.nextRange == nil)
        #expect(try readList(cache, .min..<5).value?.nextRange == 5..<10)
    }

    // MARK: Gaps without a length

    private func cache(_ count: Int, gaps: [Int]) throws -> NormalizedCache<SharedStore> {
        let cache = try cache(count)
        try cache.write { tx in
            for gap in gaps { try tx.openGap(in: "list", before: gap) }
        }
        return cache
    }

    @Test(
        "A part that was never fetched has no length and takes no position",
        arguments: [0, 1, 100, 300], [[0], [1], [50, 51], [128], [300], [0, 60, 200, 300]])
    func unfetched(count: Int, places: [Int]) throws {
        let places = Set(places.map { min($0, count) }).sorted()
        let cache = try cache(count, gaps: places)
        #expect(try cache.count(ofCollection: "list") == nil)
        #expect(try cache.knownCount(ofCollection: "list") == count)
        #expect(try readList(cache, nil, .miss) == Self.gap)
        let whole = try #require(try readList(cache).value)
        #expect(whole.elements == people(0..<count))
        #expect(whole.gaps == places.map { $0..<$0 })
        // Of pages that follow each other exactly one comes to each gap.
        var (range, gaps): (Range<Int>?, [Range<Int>]) = (0..<50, [])
        while let page = range {
            let read = try #require(try readList(cache, page).value)
            #expect(read.elements == Array(people(0..<count)[page.clamped(to: 0..<count)]))
            #expect(try readList(cache, page, .miss).value == nil || read.gaps.isEmpty)
            gaps += read.gaps
            range = read.nextRange
        }
        #expect(gaps == places.map { $0..<$0 })
        let twice = try cache.write { tx in
            for gap in places { try tx.openGap(in: "list", before: gap) }
            return try tx.readCollection("list", of: Person.self, missing: .skip).value?.gaps
        }
        #expect(twice == whole.gaps)
    }

    @Test("An edit of a list with such a part leaves it where it is", arguments: [3, 300])
    func edited(count: Int) throws {
        let middle = count / 2
        let (new, all) = (people(1_000..<1_002), people(0..<count))
        let edits: [(PositionEdit, elements: [Person], gap: Int)] = [
            (.append(new), all + new, middle),
            (.replace(0..<0, new), new + all, middle + 2),
            // Beside the gap it follows the element before.
            (.replace(middle..<middle, new), all[..<middle] + new + all[middle...], middle + 2),
            (.replace(middle + 1..<middle + 1, new), all[...middle] + new + all[(middle + 1)...], middle),
            (.replace(0..<1, []), Array(all[1...]), middle - 1),
            (.replace(middle..<count, []), Array(all[..<middle]), middle),
            (.replace(0..<middle, []), Array(all[middle...]), 0),
        ]
        for (edit, elements, gap) in edits {
            let cache = try cache(count, gaps: [middle])
            try edit.make(in: cache)
            try check(cache, elements, gap)
        }
    }

    @Test(
        "What is queued for a list with such a part leaves it where it is, and so does the commit", arguments: [3, 300])
    func queuedEdits(count: Int) throws {
        let middle = count / 2
        let (new, all) = (people(1_000..<1_002), people(0..<count))
        let seen = SeenPeople(all)
        func removal(_ range: Range<Int>) -> [ListEdit] {
            range.map { .replace(seen.element($0, at: range.lowerBound), with: nil) }
        }
        let edits: [([ListEdit], elements: [Person], gap: Int)] = [
            ([.insert(new, .last)], all + new, middle),
            ([.insert(new, .first)], new + all, middle + 2),
            ([.insert(new, .after(seen.element(middle - 1)))], all[..<middle] + new + all[middle...], middle + 2),
            ([.insert(new, .before(seen.element(middle)))], all[..<middle] + new + all[middle...], middle + 2),
            ([.insert(new, .after(seen.element(middle)))], all[...middle] + new + all[(middle + 1)...], middle),
            (removal(0..<1), Array(all[1...]), middle - 1),
            (removal(middle..<count), Array(all[..<middle]), middle),
            (removal(0..<middle), Array(all[middle...]), 0),
        ]
        for (edits, elements, gap) in edits {
            let cache = try cache(count, gaps: [middle])
            let followed = cache.followed { _ in }
            try cache.whileWriterRests { () throws in
                for edit in edits { followed.queue(edit) }
                try check(cache, elements, gap)
            }
            try cache.flush()
            try check(cache, elements, gap)
        }
    }

    private func check(_ cache: NormalizedCache<SharedStore>, _ elements: [Person], _ gap: Int) throws {
        let read = try #require(try readList(cache).value)
        #expect(read.elements.map(\.id) == elements.map(\.id))
        #expect(read.gaps == [gap..<gap])
        #expect(try readList(cache, nil, .miss) == Self.gap)
        #expect(try cache.count(ofCollection: "list") == nil)
        #expect(try cache.knownCount(ofCollection: "list") == elements.count)
    }

    @Test("What is behind the last element goes behind a gap that ends the list only if it is appended")
    func atEnd() throws {
        for count in [0, 3, 200] {
            let cache = try cache(count, gaps: [count])
            try cache.append(people(500..<501), toCollection: "list")
            try cache.append(people(501..<502), toCollection: "list")
            try cache.insert(people(400..<401), at: count, inCollection: "list")
            try cache.insert(people(401..<402), at: count + 1, inCollection: "list")
            let read = try #require(try readList(cache).value)
            #expect(read.elements == people(0..<count) + people(400..<402) + people(500..<502), "\(count)")
            #expect(read.gaps == [count + 2..<count + 2], "\(count)")
        }
    }

    @Test("An edit across such a part is refused, and a new list has none")
    func refused() throws {
        let cache = try cache(300, gaps: [150])
        let error = #expect(throws: CacheError.self) { try cache.removeElements(in: 140..<160, ofCollection: "list") }
        #expect(error?.code == .outOfRange && error?.identifier == "list")
        #expect(try cache.knownCount(ofCollection: "list") == 300)
        try cache.moveElement(from: 0, to: 299, inCollection: "list")
        #expect(try readList(cache).value?.gaps == [149..<149])
        try cache.writeCollection(people(0..<300), as: "list")
        #expect(try readList(cache, nil, .miss).value?.elements == people(0..<300))
        #expect(try cache.count(ofCollection: "list") == 300)
        #expect(try cache.chunkKeys() == Set(cache.head("list")?.chunkKeys ?? []))
        try cache.removeCollection("list")
        #expect(try cache.chunkKeys() == [])
    }
}

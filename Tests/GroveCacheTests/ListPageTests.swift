import GroveMemory
import GroveModel
import TestSupport
import Testing

import GroveCache

/// Pages of the network in lists with gaps, which are written as "a b | c d".
@Suite("Pages and gaps")
struct ListPageTests {
    typealias Rule = (list: String, page: String, place: String, list2: String)

    /// Rows before or behind the list, so that it is in one record, or in chunks.
    private static let fillers = [0, 300]

    private struct Seen: SeenList {
        let names: [String]
        var count: Int { names.count }
        func identifier(at index: Int) -> ModelIdentifier? { ModelIdentifier("Person:\(names[index])") }
    }

    private func person(_ id: String) -> Person { Person(id: id, name: "", age: 0) }
    private func people(_ ids: some Sequence<String>) -> [Person] { ids.map(person) }

    private func write(_ list: [String], _ cache: MemoryCache) throws {
        try cache.writeCollection(people(list.filter { $0 != "|" }), as: "list")
        var position = 0
        for word in list {
            if word == "|" { try cache.write { try $0.openGap(in: "list", before: position) } } else { position += 1 }
        }
    }

    private func read(_ cache: MemoryCache) throws -> [String] {
        guard let read = try cache.readCollection("list", of: Person.self, missing: .skip).value else { return [] }
        var words = read.elements.map(\.id)
        for gap in read.gaps.reversed() { words.insert("|", at: gap.lowerBound) }
        // Whole-list readers do not see a list that has a gap.
        #expect(try cache.collection("list", of: Person.self)?.map(\.id) == (words.contains("|") ? nil : words))
        return words
    }

    /// Puts a page in, and says what comes of the list.
    private func put(
        _ page: [String], _ place: ListPlace, _ fit: PageFit, into list: [String]
    ) async throws -> [String] {
        let cache = try MemoryCache()
        if !list.isEmpty { try write(list, cache) }
        let followed = cache.followed { _ in }
        let outcome = await withCheckedContinuation { continuation in
            followed.edit(
                .page(people(page), place, fit), forKey: "list", ticket: EditTicket(rawValue: 1), asOf: nil,
                fillsOnly: false, madeAt: nil
            ) { continuation.resume(returning: $0) }
        }
        if case .refused(let error, _) = outcome { throw error }
        return try read(cache)
    }

    private func check(_ rule: Rule, _ fit: PageFit, isTurned: Bool, _ location: SourceLocation) async throws {
        func words(_ text: String) -> [String] {
            let words = text.split(separator: " ").map(String.init)
            return isTurned ? words.reversed() : words
        }
        for filler in Self.fillers {
            // Beyond the end to which the page goes, so that the rule is of the rows of the table.
            let rest = filler == 0 || rule.list.isEmpty ? [] : ["|"] + (0..<filler).map(String.init)
            func whole(_ words: [String]) -> [String] { isTurned ? rest.reversed() + words : words + rest }
            let list = whole(words(rule.list))
            let names = list.filter { $0 != "|" }
            let parts = rule.place.split(separator: " ").map(String.init)
            let place: ListPlace
            if parts.count == 2 {
                let index = try #require(names.firstIndex(of: parts[1]))
                let element = ListElement(person(parts[1]), at: index, of: Seen(names: names))
                place = (parts[0] == "after") != isTurned ? .after(element) : .before(element)
            } else {
                place = (parts[0] == "first") != isTurned ? .first : .last
            }
            let found = try await put(words(rule.page), place, fit, into: list)
            let isDropped = fit == .dropping && !rule.list2.hasSuffix("…")
            let wanted = words(rule.list2.replacing(" …", with: ""))
            #expect(
                found == (isDropped ? wanted : whole(wanted)), "\(rule), turned: \(isTurned), \(filler)",
                sourceLocation: location)
        }
    }

    private func check(_ rules: [Rule], _ fit: PageFit, _ location: SourceLocation = #_sourceLocation) async throws {
        for rule in rules {
            for isTurned in [false, true] { try await check(rule, fit, isTurned: isTurned, location) }
        }
    }

    @Test("A page beside a row joins the part that it reaches, and leaves a gap before what it does not")
    func besideARow() async throws {
        try await check(
            [
                // A gap is filled from its edge, and closed by the page that reaches the other side.
                ("a b | e f", "c d", "after b", "a b c d | e f"),
                ("a b | e f", "c d e", "after b", "a b c d e f"),
                ("a b | e f", "e", "after b", "a b e f"),
                ("a b | e f", "c d e f", "after b", "a b c d e f"),
                // What lies between goes: the server has no more of it.
                ("a b | e f", "c f", "after b", "a b c f"),
                ("a b | x y | e f", "c e", "after b", "a b c e f"),
                // A row that has moved is no sign that the page reaches the others.
                ("a b | e f g h", "c h", "after b", "a b c h | e f g"),
                ("a b | e f", "c e d", "after b", "a b c e d | f"),
                ("a b c | e f", "d a", "after c", "b c d a | e f"),
                // What lies between its rows goes, though its last one is new.
                ("a b c d | e f", "b d x", "after a", "a b d x | e f"),
                // Between rows that follow each other.
                ("a b c d", "c d", "after b", "a b c d"),
                ("a b c d", "d", "after b", "a b d"),
                // One row is not enough to reach over two others.
                ("a b c d e", "e", "after b", "a b e | c d"),
                ("a b c d e", "d e", "after b", "a b d e"),
                ("a b c d", "x c", "after b", "a b x c d"),
                ("a b c d", "x y", "after b", "a b x y | c d"),
                ("a | f", "g", "after f", "a | f g"),
                // Several rows that are all of the page, and the last of a part, have not moved there one by one.
                ("a | c d e f g h", "g h", "after a", "a g h"),
            ], .joining)
    }

    @Test("A page whose place has changed since it was looked for, or whose row is gone, is not put in among parts")
    func moved() async throws {
        let list = ["a", "|", "m", "|", "z"]
        func put(
            _ place: (ListElement) -> ListPlace, _ row: String, at position: Int, _ fit: PageFit = .apart
        ) async throws -> [String] {
            let element = ListElement(person(row), at: 0, of: Seen(names: [row]), position: position)
            return try await self.put(["c", "d"], place(element), fit, into: list)
        }
        #expect(try await put(ListPlace.before, "z", at: 2) == ["a", "|", "m", "|", "c", "d", "|", "z"])
        // As it was looked for when `m` had not come, and when nothing was behind it.
        #expect(try await put(ListPlace.before, "z", at: 1) == list)
        #expect(try await put(ListPlace.after, "m", at: 1) == list)
        for fit in [PageFit.dropping, .joining, .apart] {
            #expect(try await put(ListPlace.after, "gone", at: 1, fit) == list)
        }
    }

    @Test("No rows beside a row say that the list ends there")
    func noRows() async throws {
        func after(_ row: String, _ list: [String]) async throws -> [String] {
            let names = list.filter { $0 != "|" }
            let index = try #require(names.firstIndex(of: row))
            let element = ListElement(person(row), at: index, of: Seen(names: names))
            return try await put([], .after(element), .joining, into: list)
        }
        #expect(try await after("b", ["a", "b", "|", "c", "|", "d"]) == ["a", "b"])
        #expect(try await after("c", ["a", "b", "|", "c", "|", "d"]) == ["a", "b", "|", "c"])
        #expect(try await after("a", ["a", "b", "|", "c"]) == ["a"])
        let long = (0..<300).map(String.init)
        #expect(try await after("a", ["a", "|"] + long) == ["a"])
        #expect(try await after("299", long + ["|", "a"]) == long)
    }

    @Test("A page at an end keeps what it does not reach behind a gap, or drops it")
    func atAnEnd() async throws {
        try await check(
            [
                ("c d | f", "a b", "first", "a b | c d | f"),
                ("c d | f", "a c", "first", "a c d | f"),
                ("c d | f", "a d", "first", "a d | f"),
                ("c d | f", "a f", "first", "a f"),
                ("c d", "c d", "first", "c d"),
                ("", "a b", "first", "a b"),
            ], .joining)
        try await check(
            [
                ("c d | f", "a c", "first", "a c d | f …"),
                ("c d | f", "a b", "first", "a b"),
                ("c d | f g", "a b d f", "first", "a b d f g …"),
                ("c d | f g", "c d", "first", "c d | f g …"),
                ("c d | f g", "c d", "after d", "c d | f g …"),
                ("c d | f g", "e", "after d", "c d e | f g …"),
                // Behind a last row that is new, or after too many that it lacks, it is not known what follows.
                ("c d e f", "c x", "first", "c x"),
                ("c d e f g", "c g", "first", "c g"),
            ], .dropping)
    }

    @Test("A page that is beside no row is a part with a gap on each side that it does not share")
    func apart() async throws {
        try await check(
            [
                ("a b | e f", "c d", "before e", "a b | c d | e f"),
                ("a b e f", "c d", "before e", "a b | c d | e f"),
                ("a b | e f", "c e", "before e", "a b | c e f"),
                ("a b | e f", "b c", "before e", "a b c | e f"),
                ("a b | e f", "b c e", "before e", "a b c e f"),
                ("a | m | z", "l m n", "before m", "a | l m n | z"),
                ("a b c d", "b c", "before b", "a b c d"),
                ("", "x y", "first", "x y"),
            ], .apart)
    }

    @Test("A part that was lost is a gap of unknown length once a page was put in beside it")
    func lost() async throws {
        let disk = try SharedStore.Disk()
        let cache = try disk.open()
        let ids = (0..<400).map(String.init)
        try await cache.writeCollection(people(ids), as: "list")
        let keys = try #require(try cache.head("list")).chunkKeys
        try disk.base.write { (transaction) throws(CacheError) in
            try unsafe keys[1].withUnsafeBytesTyped { (key) throws(CacheError) in try unsafe transaction.remove(key) }
        }
        let followed = cache.followed { _ in }
        func put(_ range: Range<Int>, isLater: Bool) async throws -> CollectionRead<Person>? {
            let row = isLater ? range.lowerBound - 1 : range.upperBound
            let element = ListElement(person(ids[row]), at: 0, of: Seen(names: [ids[row]]), position: row)
            let outcome = await withCheckedContinuation { continuation in
                followed.edit(
                    .page(people(ids[range]), isLater ? .after(element) : .before(element), .joining), forKey: "list",
                    ticket: EditTicket(rawValue: 1), asOf: nil, fillsOnly: false, madeAt: nil
                ) { continuation.resume(returning: $0) }
            }
            if case .refused(let error, _) = outcome { throw error }
            return try cache.readCollection("list", of: Person.self, missing: .skip).value
        }
        let first = try await put(128..<150, isLater: true)
        #expect(first?.elements.map(\.id) == Array(ids[..<150] + ids[256...]) && first?.gaps == [150..<150])
        let second = try await put(200..<256, isLater: false)
        #expect(second?.elements.map(\.id) == Array(ids[..<150] + ids[200...]) && second?.gaps == [150..<150])
        let third = try await put(150..<202, isLater: true)
        #expect(third?.elements.map(\.id) == ids && third?.gaps == [])
        #expect(try cache.collection("list", of: Person.self)?.map(\.id) == ids)
    }

    @Test("What is put into a list with a gap by its identifier is not looked for in the gap")
    func edits() async throws {
        for filler in Self.fillers {
            let cache = try MemoryCache()
            let rest = (0..<filler).map(String.init)
            try write(["a", "b", "|", "c"] + rest, cache)
            try await cache.upsert(people(["x", "b"]), at: .last, inCollection: "list")
            #expect(try read(cache) == ["a", "b", "|", "c"] + rest + ["x"])
            try await cache.remove("Person:none", fromCollection: "list")
            try await cache.remove("Person:b", fromCollection: "list")
            #expect(try read(cache) == ["a", "|", "c"] + rest + ["x"])
        }
    }
}

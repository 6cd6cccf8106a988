import GroveCache
import GroveModel

/// COL: collections by positions: edits, pages and counts.
enum PositionEditRules {
    static let all = [edits, pages, neighbours, refusals, cost, lost, gaps]

    private static func people(_ range: Range<Int>) -> [Person] { range.map { Person(id: "Person:\($0)", age: $0) } }

    /// A cache with a list of 600, `all`, of which one part of several was lost.
    private static func cacheThatLostAPart(
        _ trial: Trial
    ) throws -> (cache: any ConformanceCache, list: [Person]) {
        let site = try trial.site()
        let cache = try site.open()
        let list = people(0..<600)
        try cache.writeCollection(list, forKey: "all")
        let chunks = try site.interceptor.store().keys([SealedRecord.chunks])
        try trial.expect(chunks.count > 2, "a list of 600: expected it in several records, got \(chunks.count).")
        try site.interceptor.store().remove(chunks[1])
        return (cache, list)
    }

    static let edits = Rule(
        "COL-09", "Edits of a collection are those of an array, whether it is short or long.",
        because: "A position that is off by one is another message.", requires: [.typedCalls],
        kills: ["inserts-behind", "moves-one-short"]
    ) { trial in
        let cache = try trial.cache()
        var generator = trial.generator()
        var list = people(0..<300)
        try cache.writeCollection(list, forKey: "all")
        for step in 0..<120 {
            // It grows far beyond what one record holds, and shrinks until it is short.
            let most = step < 60 ? 40 : 2
            let start = Int.random(in: 0...list.count, using: &generator)
            let range = start..<min(start + Int.random(in: 0...(step < 60 ? 5 : 80), using: &generator), list.count)
            let number = 1_000 * step
            let elements = people(number..<number + Int.random(in: 1...most, using: &generator))
            let edit: CollectionEdit<Person>
            switch Int.random(in: 0..<5, using: &generator) {
            case 0: edit = .insert(elements, at: start)
            case 1: edit = .append(elements)
            case 2: edit = .replace(range, elements)
            case 3 where list.count > 1:
                edit = .move(
                    from: Int.random(in: 0..<list.count, using: &generator),
                    to: Int.random(in: 0..<list.count, using: &generator))
            default: edit = .remove(range)
            }
            try cache.edit("all", edit)
            edit.apply(to: &list)
            let page = start..<start + 20
            try trial.expectHit(
                try cache.readCollection("all", as: Person.self, in: page),
                ReadElements(Array(list[page.clamped(to: 0..<list.count)])),
                "a page after edit \(step), \(brief(edit))")
            try trial.expectEqual(try cache.count(ofCollection: "all"), list.count, "the count after edit \(step)")
        }
        try trial.expectHit(
            try cache.readCollection("all", as: Person.self), ReadElements(list), "the list after all edits")
        try trial.expectHit(try cache.read("Person:299", as: Person.self), people(299..<300)[0], "an element that left")
    }

    static let pages = Rule(
        "COL-10", "Positions and counts are of what is stored, so that deleting an element moves no other.",
        because: "The second page must begin where the first one ended.", requires: [.typedCalls],
        kills: ["pages-of-what-shows"]
    ) { trial in
        let cache = try trial.cache()
        for size in [10, 400] {
            let list = people(0..<size)
            try cache.writeCollection(list, forKey: "all")
            try cache.delete("Person:2")
            try cache.delete("Person:\(size - 3)")
            try trial.expectEqual(try cache.count(ofCollection: "all"), size, "the count after deletions")
            try trial.expectHit(
                try cache.readCollection("all", as: Person.self, in: 0..<5),
                ReadElements(people(0..<2) + people(3..<5)),
                "the first page")
            try trial.expectHit(
                try cache.readCollection("all", as: Person.self, in: 5..<7), ReadElements(people(5..<7)),
                "the page behind it")
            try trial.expectHit(
                try cache.readCollection("all", as: Person.self, in: size - 2..<size + 50),
                ReadElements(people(size - 2..<size)), "a page that ends behind the list")
            try trial.expectHit(
                try cache.readCollection("all", as: Person.self, in: size + 1..<size + 2), ReadElements([]),
                "a page behind the list")
        }
        try trial.expectEqual(try cache.count(ofCollection: "others"), nil, "the count of what is not there")
        try trial.expectMiss(
            try cache.readCollection("others", as: Person.self, in: 0..<1), .absent, "others", "a page of it")
    }

    static let neighbours = Rule(
        "COL-11", "An edit revives no deleted element beside it.",
        because: "Whoever deleted a message does not want it back because another one came.", requires: [.typedCalls],
        kills: ["rewrites-lists"]
    ) { trial in
        let cache = try trial.cache()
        for size in [6, 300] {
            var list = people(0..<size)
            try cache.writeCollection(list, forKey: "all")
            try cache.delete("Person:1")
            try cache.edit("all", CollectionEdit.insert(people(900..<901), at: 2))
            try cache.edit("all", CollectionEdit<Person>.move(from: 0, to: 3))
            // The node is there again, for those that name it from now on.
            try cache.write(list[1])
            list = people(900..<901) + people(2..<3) + people(0..<1) + people(3..<size)
            try trial.expectHit(
                try cache.readCollection("all", as: Person.self), ReadElements(list), "a list of \(size), edited")
            try cache.edit("all", CollectionEdit.append(people(1..<2)))
            try trial.expectHit(
                try cache.readCollection("all", as: Person.self), ReadElements(list + people(1..<2)),
                "the same, with the element put there again")
        }
    }

    static let refusals = Rule(
        "COL-12", "An edit of a list or a position that is not there is refused, and stores nothing.",
        because: "What was forgotten is not known to be empty.", requires: [.typedCalls],
        kills: ["clamps-positions"]
    ) { trial in
        let cache = try trial.cache()
        try trial.expectError(.outOfRange, from: "an edit of a list that is not there") {
            try cache.edit("all", CollectionEdit.append(people(900..<901)))
        }
        for size in [0, 5, 300] {
            try cache.writeCollection(people(0..<size), forKey: "all")
            let edits: [CollectionEdit<Person>] = [
                .insert(people(900..<901), at: size + 1), .insert(people(900..<901), at: -1),
                .remove(0..<size + 1), .replace(size..<size + 1, people(900..<901)), .move(from: 0, to: size),
                .move(from: size, to: 0),
            ]
            for edit in edits {
                try trial.expectError(.outOfRange, from: "\(brief(edit)) of a list of \(size)") {
                    try cache.edit("all", edit)
                }
            }
            try trial.expectHit(
                try cache.readCollection("all", as: Person.self), ReadElements(people(0..<size)), "the list afterwards")
        }
        try trial.expectMiss(
            try cache.read("Person:900", as: Person.self), .absent, "Person:900", "what refused edits brought")
    }

    static let cost = Rule(
        "COL-13", "An edit stores what it touches, and not the list.",
        because: "A log of a hundred thousand entries gets another one every second.",
        requires: [.typedCalls, .storedBytes], kills: ["rewrites-lists"]
    ) { trial in
        let site = try trial.site()
        let cache = try site.open()
        try cache.writeCollection(people(0..<3_000), forKey: "all")
        let edits: [CollectionEdit<Person>] = [
            .append(people(5_000..<5_001)), .insert(people(5_001..<5_002), at: 1_500), .remove(700..<701),
            .replace(20..<21, people(5_002..<5_003)), .move(from: 10, to: 2_500),
        ]
        for edit in edits {
            let before = site.interceptor.counts.puts
            let changes = try cache.edit("all", edit)
            let puts = site.interceptor.counts.puts - before
            try trial.expect(puts <= 8, "\(brief(edit)): expected at most 8 records stored, got \(puts).")
            try trial.expectEqual(changes.collections, ["all"], "the collections that \(brief(edit)) changed")
        }
    }

    static let lost = Rule(
        "COL-14", "A part of a list that was lost is a miss of its pages, and never a shorter list.",
        because: "A cache may forget; it must not lie.", requires: [.typedCalls, .storedBytes],
        kills: ["skips-lost-parts"]
    ) { trial in
        let (cache, list) = try cacheThatLostAPart(trial)
        try trial.expectMiss(
            try cache.readCollection("all", as: Person.self), .gap, "all", "a list of which a part was lost")
        guard case .hit(let rest) = try cache.readCollection("all", as: Person.self, missing: .skip) else {
            throw CheckFailure("what is left of it, when what is missing is skipped: expected it, got a miss.")
        }
        try trial.expect(
            300..<600 ~= rest.values.count && rest.values == list.filter { rest.values.contains($0) },
            "what is left of it: expected half of it or more, in order, got \(rest.values.count) elements.")
        try trial.expectEqual(try cache.count(ofCollection: "all"), 600, "how many elements it has")
        var found = 0
        for start in stride(from: 0, to: 600, by: 10) {
            let page = start..<start + 10
            guard case .hit(let read) = try cache.readCollection("all", as: Person.self, in: page) else { continue }
            found += 1
            try trial.expectEqual(read.values, Array(list[page]), "page \(page) of it")
        }
        try trial.expect(30..<60 ~= found, "pages of it: expected 30 or more of 60, and not all, got \(found).")
        try cache.writeCollection(list, forKey: "all")
        try trial.expectHit(
            try cache.readCollection("all", as: Person.self), ReadElements(list), "the list, written again")
    }

    static let gaps = Rule(
        "COL-20",
        "A page says which of its positions are not there, and where the next one begins, even if it shows nothing.",
        because: "Who stops at the first page without elements never shows the rest of the list.",
        requires: [.typedCalls, .storedBytes],
        kills: ["ends-at-empty-pages", "hides-gaps", "denies-lists-with-gaps"]
    ) { trial in
        let (cache, list) = try cacheThatLostAPart(trial)
        let page = try cache.readPage("all", as: Person.self, in: 0..<600, missing: .skip)
        guard let whole = page.value, let gap = whole.gaps.first, whole.gaps.count == 1 else {
            let gaps = page.value.map { "\($0.gaps)" } ?? "a miss"
            throw CheckFailure("a list of which a part was lost: expected it with one gap, got \(gaps).")
        }
        try trial.expectEqual(whole.elements, list.filter { !gap.contains($0.age ?? 0) }, "what is left beside \(gap)")
        try trial.expectEqual(try cache.count(ofCollection: "all"), 600, "how many elements it has")
        try trial.expectEqual(try cache.knownCount(ofCollection: "all"), 600, "how many of them are known")
        try trial.expectEqual(try cache.knownCount(ofCollection: "others"), nil, "how many of no list are known")
        // Nothing of some pages shows.
        let deleted = gap.lowerBound < 100 ? 500..<540 : 20..<60
        for number in deleted { try cache.delete("Person:\(number)") }
        var (next, found): (Range<Int>?, [Person]) = (0..<20, [])
        for start in stride(from: 0, to: 600, by: 20) {
            let page = start..<start + 20
            try trial.expectEqual(next, page, "the page after that before \(start)")
            guard case .hit(let read) = try cache.readPage("all", as: Person.self, in: page, missing: .skip) else {
                throw CheckFailure("page \(page): expected it, got a miss.")
            }
            let lost = gap.clamped(to: page)
            try trial.expectEqual(read.gaps, lost.isEmpty ? [] : [lost], "what of page \(page) is not there")
            let isWhole =
                if case .hit = try cache.readCollection("all", as: Person.self, in: page) { true } else { false }
            try trial.expectEqual(isWhole, lost.isEmpty, "whether page \(page) is there when nothing may be missing")
            found += read.elements
            next = read.nextRange
        }
        try trial.expectEqual(next, nil, "the page after the last")
        try trial.expectEqual(
            found, list.filter { !gap.contains($0.age ?? 0) && !deleted.contains($0.age ?? 0) }, "what all pages show")
    }
}

import GroveCache
import GroveModel

/// COL: edits of collections by those who show them, which name elements and not positions.
enum ElementEditRules {
    static let all = [table, models, answers, pages]

    /// Makes an edit, and expects the list to be what the model says.
    private static func expect(
        _ trial: Trial, _ cache: any ConformanceCache, _ list: inout ListModel, _ edit: SeenEdit, seen: [String],
        _ what: String
    ) throws {
        list.apply(edit, seen: seen)
        try cache.edit("list", edit.edit(of: seen), asOf: nil)
        try trial.expectEqual(
            try cache.models(forKey: "list", as: Person.self)?.map(\.id), list.names, "the list after \(what)")
    }

    static let table = Rule(
        "COL-16", "An edit finds its elements by what they are, however the list has changed since its maker saw it.",
        because: "The third row of a list that another screen has edited is another message.",
        requires: [.typedCalls, .flush],
        kills: [
            "edits-by-index", "edits-the-seen-list", "puts-back-what-left", "puts-back-what-is-updated",
            "takes-gone-for-first", "upserts-insert",
        ]
    ) { trial in
        let cache = try trial.cache()
        let seen = ["a", "b", "c", "d"]
        let cases: [(now: [String], edit: SeenEdit, then: [String])] = [
            (["socket", "a", "b", "c", "d"], .insert(["n"], .after(1)), ["socket", "a", "b", "n", "c", "d"]),
            (["a", "b", "c", "d", "socket"], .insert(["n"], .last), ["a", "b", "c", "d", "socket", "n"]),
            (["socket", "a", "b", "c", "d"], .insert(["n"], .first), ["n", "socket", "a", "b", "c", "d"]),
            (["a", "x", "c", "d"], .insert(["n"], .after(1)), ["a", "n", "x", "c", "d"]),
            (["x", "c", "d"], .insert(["n"], .after(1)), ["x", "n", "c", "d"]),
            (["x", "y"], .insert(["n"], .after(2)), ["x", "y", "n"]),
            (["x", "y"], .insert(["n"], .before(1)), ["n", "x", "y"]),
            (["d", "c", "b", "a"], .insert(["n"], .before(2)), ["d", "n", "c", "b", "a"]),
            (["x", "a", "c", "d"], .remove("b"), ["x", "a", "c", "d"]),
            (["x", "a", "b", "c", "d"], .remove("b"), ["x", "a", "c", "d"]),
            (["x", "a", "c", "d"], .update("b"), ["x", "a", "c", "d"]),
            (["x", "a", "b", "c", "d"], .update("b"), ["x", "a", "b", "c", "d"]),
            (["x", "y"], .insert(["n"], .unseen("b")), ["x", "y", "n"]),
            (["x", "b", "y"], .insert(["n"], .unseen("b")), ["x", "n", "b", "y"]),
            (["a", "c", "d"], .move("b", .first), ["a", "c", "d"]),
            (["d", "x", "a", "b", "c"], .move("b", .first), ["b", "d", "x", "a", "c"]),
            (["d", "x", "a", "b", "c"], .move("d", .after(1)), ["x", "a", "b", "d", "c"]),
            (["a", "b"], .upsert(["b", "n"], .first), ["n", "a", "b"]),
            (["n", "a", "b"], .upsert(["n"], .last), ["n", "a", "b"]),
            (["a"], .upsert(["n", "m", "n"], .last), ["a", "n", "m"]),
            (["x"], .set(["a", "n"]), ["a", "n"]),
        ]
        for (now, edit, then) in cases {
            try cache.writeCollection(now.map { Person(id: $0) }, forKey: "list")
            var list = ListModel(names: now)
            try expect(trial, cache, &list, edit, seen: seen, "\(edit) of \(seen), which was \(now)")
            try trial.expectEqual(list.names, then, "the model of \(edit)")
        }
        _ = try trial.expectError(.outOfRange, from: "an edit of a list that is not there") {
            try cache.edit("others", SeenEdit.remove("b").edit(of: seen), asOf: nil)
        }
    }

    static let models = Rule(
        "COL-17",
        "Edits of two who saw different lists, and calls by position, make the list that they say in their order.",
        because: "Two screens, a sync and a socket edit one list.", requires: [.typedCalls, .flush],
        kills: ["edits-by-index", "edits-the-seen-list", "puts-back-what-is-updated"]
    ) { trial in
        let cache = try trial.cache()
        var generator = trial.generator()
        var list = ListModel(names: (0..<150).map { "p\($0)" })
        try cache.writeCollection(list.names.map { Person(id: $0) }, forKey: "list")
        var seen = [list.names, list.names]
        for step in 0..<150 {
            let who = step % 2
            if Int.random(in: 0..<4, using: &generator) == 0 { seen[who] = list.names }
            let new = (0..<Int.random(in: 1...3, using: &generator)).map { "n\(step).\($0)" }
            guard !seen[who].isEmpty, !list.names.isEmpty else { break }
            let index = Int.random(in: 0..<seen[who].count, using: &generator)
            let place: SeenPlace =
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: .first
                case 1: .last
                case 2: .before(index)
                default: .after(index)
                }
            let name = seen[who][Int.random(in: 0..<seen[who].count, using: &generator)]
            let edit: SeenEdit
            switch Int.random(in: 0..<9, using: &generator) {
            case 0...1: edit = .insert(new, place)
            case 2: edit = .upsert(new + [name], place)
            case 3...4: edit = .remove(name)
            case 5: edit = .move(name, place)
            case 8: edit = .update(seen[who].first { !list.names.contains($0) } ?? name)
            case 6:
                let at = Int.random(in: 0...list.names.count, using: &generator)
                try cache.edit("list", CollectionEdit.insert(new.map { Person(id: $0) }, at: at))
                list.names.insert(contentsOf: new, at: at)
                continue
            default:
                let at = Int.random(in: 0..<list.names.count, using: &generator)
                try cache.edit("list", CollectionEdit<Person>.remove(at..<at + 1))
                list.names.remove(at: at)
                continue
            }
            try expect(trial, cache, &list, edit, seen: seen[who], "step \(step), \(edit)")
        }
    }

    static let answers = Rule(
        "COL-18", "A whole list as of a place keeps the edits that were made since.",
        because:
            "A slow answer must not take out the row that the user has just added, nor bring back the one that he removed.",
        requires: [.typedCalls, .flush],
        kills: ["answers-set-lists", "puts-back-what-left"]
    ) { trial in
        let cache = try trial.cache()
        for count in [4, 300] {
            let names = (0..<count).map { "p\($0)" }
            let people = names.map { Person(id: $0) }
            try cache.writeCollection(people, forKey: "list")
            let asked = try cache.place()
            try cache.edit("list", SeenEdit.remove("p1").edit(of: names), asOf: nil)
            try cache.edit("list", CollectionEdit.append([Person(id: "mine")]))
            try cache.edit("list", CollectionEdit.insert([Person(id: "head")], at: 0))
            try cache.edit("list", SeenEdit.insert(["middle"], .after(2)).edit(of: names), asOf: nil)
            try cache.edit("list", SeenEdit.set(names + ["new"]).edit(of: []), asOf: asked)
            var expected = ["head"] + names + ["new", "mine"]
            expected.removeAll { $0 == "p1" }
            expected.insert("middle", at: expected.firstIndex(of: "p2").map { $0 + 1 } ?? 0)
            try trial.expectEqual(
                try cache.models(forKey: "list", as: Person.self)?.map(\.id), expected,
                "a list of \(count), answered late")
            let later = try cache.place()
            try cache.edit("list", SeenEdit.set(names).edit(of: []), asOf: later)
            try trial.expectEqual(
                try cache.models(forKey: "list", as: Person.self)?.map(\.id), names, "the list of a later request")
            try cache.edit("list", SeenEdit.set(["old"]).edit(of: []), asOf: asked)
            try trial.expectEqual(
                try cache.models(forKey: "list", as: Person.self)?.map(\.id), names, "the list, after an older answer")
        }
    }

    static let pages = Rule(
        "COL-19", "The first page of a list keeps what follows if one of the first rows that were there is in it.",
        because: "Pull to refresh must not cut a list of a hundred rows to twenty, nor hide that some are missing.",
        requires: [.typedCalls, .flush], kills: ["pages-cut-lists", "pages-keep-all"]
    ) { trial in
        let cache = try trial.cache()
        for count in [6, 300] {
            let names = (0..<count).map { "p\($0)" }
            let cases: [(page: [String], then: [String])] = [
                (["n", "p0", "p1"], ["n"] + names),
                (["n", "p0", "p2"], ["n", "p0", "p2"] + names[3...]),
                (["p4", "p0"], ["p4", "p0"] + names[1...].filter { $0 != "p4" }),
                (["m", "n"], ["m", "n"]),
                ([], []),
            ]
            for (page, then) in cases {
                try cache.writeCollection(names.map { Person(id: $0) }, forKey: "list")
                try cache.edit("list", .refresh(page.map { Person(id: $0) }), asOf: nil)
                try trial.expectEqual(
                    try cache.models(forKey: "list", as: Person.self)?.map(\.id), then,
                    "a list of \(count) after the first page \(page)")
            }
        }
    }
}

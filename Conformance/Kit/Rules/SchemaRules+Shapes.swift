import GroveModel

/// Names that a store keeps once.
extension SchemaRules {
    static let shapes = Rule(
        "SCH-10", "Where names that are stored once are lost or others, records are right or a miss; a write mends it.",
        because: "A value under another field's name is worse than none.", requires: [.storedBytes],
        kills: ["loses-shapes", "confuses-shapes"]
    ) { trial in
        let site = try trial.site()
        let cache = try site.open()
        let ada = Person(id: "Person:1", name: "Ada", age: 36)
        let letter = Letter(id: "Letter:1", author: ada)
        try cache.write(letter)
        try trial.expectHit(try cache.read("Letter:1", as: Letter.self), letter, "a tree of two shapes")
        try cache.flush()
        let store = try site.interceptor.store()
        let keys = try store.keys([SealedRecord.shapes])
        try trial.expectEqual(keys.count, 2, "the number of shapes of two types")
        let values = try keys.map { try store.get($0) ?? [] }
        for damage in [nil, [], values[1].dropLast(), values[1]] as [[UInt8]?] {
            if let damage { try store.put(keys[0], damage) } else { try store.remove(keys[0]) }
            let again = try site.open()
            for read in [try cache.read("Letter:1", as: Letter.self), try again.read("Letter:1", as: Letter.self)] {
                try trial.expect(
                    read.value == nil || read.value == letter,
                    "a tree of a shape that is lost: expected it or a miss, got \(brief(read)).")
            }
            again.close()
            let changes = try cache.write(letter)
            try trial.expectEqual(changes.changed.count, 0, "the number of changed nodes where only names were lost")
            try cache.flush()
            try trial.expectEqual(try store.get(keys[0]), values[0], "the shape after a write of what has it")
            try trial.expectHit(try cache.read("Letter:1", as: Letter.self), letter, "the tree after that")
        }
    }
}

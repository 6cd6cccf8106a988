import GroveCache
import GroveModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// KEY: identifiers and values of every kind.
enum KeyRules {
    static let all = [lengths, sharedBeginnings, empty, nul, unicode, inert, pairs, numbers, nesting, fuzz, lookAlikes]

    /// Writes a model under each of `identifiers` and reads all of them back, as nodes, aliases and collections.
    private static func roundTrip(_ identifiers: [String], _ trial: Trial) throws {
        let cache = try trial.cache()
        for (index, id) in identifiers.enumerated() { try cache.write(Person(id: id, age: index)) }
        for (index, id) in identifiers.enumerated() {
            let read = try trial.expectHit(try cache.read(ModelIdentifier(id), as: Person.self), "the node \(name(id))")
            try trial.expectEqual(read.age, index, "the age under the identifier \(name(id))")
            try trial.expect(
                read.id.utf8.elementsEqual(id.utf8),
                "the identifier \(name(id)): expected its own bytes, got \(name(read.id)).")
        }
        for (index, id) in identifiers.enumerated() {
            try cache.writeCollection([Person(id: "Element:\(index)")], forKey: id)
            // To a bare delegate an identifier and an alias are one key.
            if trial.hasTypedCalls { cache.setModel(Person(id: "Alias:\(index)"), forKey: id, context: nil) }
        }
        try cache.flush()
        for (index, id) in identifiers.enumerated() {
            let read = try trial.expectHit(try cache.readCollection(id, as: Person.self), "the collection \(name(id))")
            try trial.expectEqual(read.values.map(\.id), ["Element:\(index)"], "the collection under \(name(id))")
            guard trial.hasTypedCalls else { continue }
            try trial.expectEqual(
                try cache.model(forKey: id, as: Person.self)?.id, "Alias:\(index)", "what the alias \(name(id)) finds")
        }
        for (index, id) in identifiers.enumerated() where index % 2 == 0 { try cache.delete(ModelIdentifier(id)) }
        for (index, id) in identifiers.enumerated() {
            let read = try cache.read(ModelIdentifier(id), as: Person.self)
            if index % 2 == 0 {
                try trial.expectMiss(read, .deleted, ModelIdentifier(id), "the deleted node \(name(id))")
            } else {
                try trial.expectHit(read, "the node \(name(id)), after others were deleted")
            }
        }
    }

    private static func name(_ text: String) -> String {
        text.utf8.count <= 40 ? text.debugDescription : "of \(text.utf8.count) bytes"
    }

    static let lengths = Rule(
        "KEY-01", "Keys of 1 to 4,096 B work whatever the engine's limit.",
        because: "Identifiers may hold whole addresses.", requires: [.flush], kills: ["keys-cut-at-511"]
    ) { trial in
        let lengths = [1, 2, 23, 24, 255, 256, 509, 510, 511, 512, 513, 1_000, 1_999, 2_000, 2_048, 4_095, 4_096]
        try roundTrip(lengths.map { String(repeating: "k", count: $0) }, trial)
    }

    static let sharedBeginnings = Rule(
        "KEY-02", "Keys sharing their first 511 bytes stay distinct.",
        because: "An engine that cuts keys would merge two people.", requires: [.flush], kills: ["keys-cut-at-511"]
    ) { trial in
        let beginning = String(repeating: "b", count: 511)
        try roundTrip((0..<50).map { "\(beginning)\($0)" } + [beginning, beginning + beginning], trial)
    }

    static let empty = Rule(
        "KEY-03", "Empty key: typed error.",
        because: "Nothing is found under nothing.", requires: [.flush], kills: ["accepts-empty-keys"]
    ) { trial in
        let cache = try trial.cache()
        try trial.expectError(.emptyIdentifier, from: "a write") { try cache.write(Person(id: "")) }
        try trial.expectError(.emptyIdentifier, from: "a read") { try cache.read("", as: Person.self) }
        try trial.expectError(.emptyIdentifier, from: "a deletion") { try cache.delete("") }
        try trial.expectError(.emptyIdentifier, from: "a collection's write") {
            try cache.writeCollection([Person(id: "Person:1")], forKey: "")
        }
        try trial.expectError(.emptyIdentifier, from: "a collection's read") {
            try cache.readCollection("", as: Person.self)
        }
        try trial.expectError(.emptyIdentifier, from: "a completion of a model's read") {
            try cache.model(forKey: "", as: Person.self)
        }
        try trial.expectError(.emptyIdentifier, from: "a completion of a collection's read") {
            try cache.models(forKey: "", as: Person.self)
        }
        cache.setModel(Person(id: "Person:1"), forKey: "", context: nil)
        try trial.expectError(.emptyIdentifier, from: "the flush after a model was set under it") { try cache.flush() }
        cache.setCollection([Person(id: "Person:1")], forKey: "", context: nil)
        try trial.expectError(.emptyIdentifier, from: "the flush after a collection was set under it") {
            try cache.flush()
        }
        try trial.expectMiss(
            try cache.read("Person:1", as: Person.self), .absent, "Person:1", "what refused writes brought")
    }

    static let nul = Rule(
        "KEY-04", "NUL is preserved.",
        because: "A C string would end there, and two people be one.", requires: [.flush], kills: ["nul-ends-key"]
    ) { trial in
        try roundTrip(["a", "a\u{0}", "a\u{0}b", "a\u{0}c", "\u{0}", "\u{0}\u{0}", "\u{0}a", "a\u{0}\u{0}b"], trial)
        let cache = try trial.cache()
        let person = Person(id: "Person:1", name: "be\u{0}fore and after\u{0}")
        try cache.write(person)
        try trial.expectHit(try cache.read("Person:1", as: Person.self), person, "a text with NUL in it")
    }

    static let unicode = Rule(
        "KEY-05", "NFC ≠ NFD; case and trailing spaces matter.",
        because: "A false split costs a miss, a false merge shows the wrong person.", requires: [.flush],
        kills: ["text-keys", "folds-case"]
    ) { trial in
        try roundTrip(
            [
                "caf\u{E9}", "cafe\u{301}", "\u{1E9B}\u{323}", "\u{1E9B}\u{0323}\u{200D}", "\u{212B}", "\u{C5}",
                "A\u{30A}",
                "Case", "case", "CASE", "end", "end ", "end  ", " end", "end\t", "\u{FEFF}end", "\u{AC00}",
                "\u{1100}\u{1161}",
            ], trial)
        let cache = try trial.cache()
        let person = Person(id: "Person:1", name: "cafe\u{301}")
        try cache.write(person)
        let read = try trial.expectHit(try cache.read("Person:1", as: Person.self), "a text in NFD")
        try trial.expectEqual(Array(read.name.utf8), Array("cafe\u{301}".utf8), "the bytes of a text in NFD")
        let changes = try cache.write(Person(id: "Person:1", name: "caf\u{E9}"))
        try trial.expectChanges(changes.changed, ["Person:1"], "the changes of a write that only composes a character")
    }

    static let inert = Rule(
        "KEY-06", "`../`, quotes, `%`, `_`, parentheses, emoji and the store's own prefixes are inert.",
        because: "A key is data, never syntax or a path.", requires: [.flush], kills: ["folds-case"]
    ) { trial in
        try roundTrip(
            [
                "../../etc/passwd", "..", ".", "/", "\\", "'", "\"", "'; DROP TABLE node; --", "%", "_", "%25", "a_c",
                "abc", "a%", "(", ")", "()", "[]", "*", "?", "{}", "$", "👩‍👩‍👧‍👦", "👩", "\u{1}", "\u{2}", "\u{3}",
                "\u{0}state", "\u{1}Person:1", "node", "meta", "null", "NULL", "0", "-1", "\n", "\r\n", "\u{7F}",
                "\u{10FFFF}", "data.mdb", "CURRENT", "store.sqlite", "grove-set-aside",
            ], trial)
    }

    static let pairs = Rule(
        "KEY-07", "(`a:b`, `c`) ≠ (`a`, `b:c`).",
        because: "Joining two names with a separator is how they come to collide.", requires: [.flush],
        kills: ["aliases-end-at-colon"]
    ) { trial in
        let cache = try trial.cache()
        cache.setModel(Person(id: "c", age: 1), forKey: "a:b", context: nil)
        cache.setModel(Person(id: "b:c", age: 2), forKey: "a", context: nil)
        try cache.flush()
        try trial.expectEqual(try cache.model(forKey: "a:b", as: Person.self)?.age, 1, "what the alias a:b finds")
        try trial.expectEqual(try cache.model(forKey: "a", as: Person.self)?.age, 2, "what the alias a finds")
        try cache.write(TwinLink(id: "a:b", left: TwinName(id: "c")))
        try cache.write(TwinLink(id: "a", left: TwinName(id: "b:c")))
        try trial.expectEqual(
            try cache.read("a:b", as: TwinLink.self).value?.left.id, "c", "the child of a:b")
        try trial.expectEqual(try cache.read("a", as: TwinLink.self).value?.left.id, "b:c", "the child of a")
        try cache.write(FirstPair(id: "pair"))
        try trial.expectMiss(
            try cache.read("pair", as: SecondPair.self), .otherType, "pair",
            "a record (a:b, c) read as the record name and projection (a, b:c)")
    }

    static let numbers = Rule(
        "KEY-08", "Int64 and UInt64 extremes, -0.0, NaN, infinities and subsecond dates round-trip.",
        because: "A number that comes back another is a lie.", kills: ["loses-sign-of-zero"]
    ) { trial in
        let cache = try trial.cache()
        let numbers = Numbers(
            id: "Numbers:1", signed: [.min, .min + 1, -257, -256, -25, -24, -1, 0, 23, 24, 255, 256, 65_536, .max],
            unsigned: [0, 23, 24, 255, 256, 65_535, 65_536, UInt64(UInt32.max), 1 << 32, UInt64(Int64.max) + 1, .max],
            doubles: [
                0, -0.0, 1.5, 0.1, .pi, .infinity, -.infinity, .nan, -.nan, .signalingNaN,
                Double(nan: 0x1234, signaling: false),
                .leastNonzeroMagnitude, .leastNormalMagnitude, .greatestFiniteMagnitude, 65_504, 65_505,
                5.960464477539063e-8,
            ],
            floats: [0, -0.0, 1.5, 0.1, .infinity, -.infinity, .nan, .leastNonzeroMagnitude, .greatestFiniteMagnitude])
        try cache.write(numbers)
        let read = try trial.expectHit(try cache.read("Numbers:1", as: Numbers.self), "numbers at the edges")
        try trial.expectEqual(read.signed, numbers.signed, "the signed integers")
        try trial.expectEqual(read.unsigned, numbers.unsigned, "the unsigned integers")
        try trial.expectEqual(
            read.doubles.map(\.bitPattern), numbers.doubles.map(\.bitPattern), "the bits of the doubles")
        try trial.expectEqual(read.floats.map(\.bitPattern), numbers.floats.map(\.bitPattern), "the bits of the floats")
        var generator = trial.generator()
        let dates =
            Moments.edges
            + (0..<200).map { _ in
                Date(timeIntervalSinceReferenceDate: Double.random(in: -1e10...1e10, using: &generator))
            }
        try cache.write(Moments(id: "Moments:1", dates: dates))
        let moments = try trial.expectHit(try cache.read("Moments:1", as: Moments.self), "dates at the edges")
        try trial.expectEqual(
            moments.dates.map(\.timeIntervalSinceReferenceDate.bitPattern),
            dates.map(\.timeIntervalSinceReferenceDate.bitPattern), "the bits of the dates")
        var zero = Numbers(id: "Numbers:2", doubles: [0.0])
        try cache.write(zero)
        zero.doubles = [-0.0]
        try trial.expectChanges(
            try cache.write(zero).changed, ["Numbers:2"], "the changes of a write that turns 0.0 into -0.0")
    }

    static let nesting = Rule(
        "KEY-09", "Inline nesting of 2,000 works or fails typed.",
        because: "Nothing that is stored, and nothing that is written, may end the process.",
        kills: ["swallows-failures"]
    ) { trial in
        let cache = try trial.cache()
        try Threads.run(stackSize: 512 << 10) {
            for depth in [1, 10, 100, 1_000, 2_000, 5_000] {
                try trial.expectRightOrTyped("an inline nesting of \(depth) levels") {
                    try cache.write(NestHolder(id: "Nest:\(depth)", nest: Nest.levels(depth)))
                    return try cache.read(ModelIdentifier("Nest:\(depth)"), as: NestHolder.self)
                } _: { read in
                    read.value?.nest?.depth == depth
                }
            }
        }
        try trial.expectHit(try cache.read("Nest:100", as: NestHolder.self), "an inline nesting of 100 levels")
    }

    static let fuzz = Rule(
        "KEY-10", "Fuzzed records never trap and never allocate beyond a small multiple of their size.",
        because: "Disks rot, and a cache that ends the process is worse than none.", requires: [.storedBytes],
        kills: ["remembers-answers"]
    ) { trial in
        let site = try trial.site()
        let cache = try site.open()
        try cache.write(Message.full("Message:1"))
        try cache.flush()
        let store = try site.interceptor.store()
        let key = SealedRecord.key("Message:1")
        let original = try SealedRecord(try store.get(key) ?? [])
        var generator = trial.generator()
        for round in 0..<800 {
            var record = original
            var body = record.body
            switch round % 4 {
            case 0:
                for _ in 0..<Int.random(in: 1...4, using: &generator) {
                    body[Int.random(in: 0..<body.count, using: &generator)] = UInt8.random(
                        in: 0...255, using: &generator)
                }
            case 1: body.removeLast(Int.random(in: 1...body.count, using: &generator))
            case 2:
                // A head that promises more than there is.
                let heads: [UInt8] = [0x5B, 0x7B, 0x9B, 0xBB]
                let place = Int.random(in: 0..<body.count, using: &generator)
                let head = heads[Int.random(in: 0..<heads.count, using: &generator)]
                let count = (0..<8).map { _ in UInt8.random(in: 0...255, using: &generator) }
                body.replaceSubrange(place..<min(place + 9, body.count), with: [head] + count)
            default:
                let head: UInt8 = round % 8 == 3 ? 0x81 : 0xC1
                body = [UInt8](repeating: head, count: Int.random(in: 1...9_000, using: &generator))
            }
            record.body = body
            record.seal(under: key)
            try store.put(key, record.bytes)
            // Whatever was made of it may even be a message; that there is an answer is what counts.
            try trial.expectRightOrTyped("fuzzed body \(round)") {
                try cache.read("Message:1", as: Message.self)
            } _: { _ in
                true
            }
            _ = try? cache.read("Message:1", as: Values.self)
        }
        for round in 0..<800 {
            var bytes = original.bytes
            if round % 2 == 0 {
                let bit = Int.random(in: 0..<(bytes.count * 8), using: &generator)
                bytes[bit / 8] ^= 1 << UInt8(bit % 8)
            } else {
                bytes.removeLast(Int.random(in: 1...bytes.count, using: &generator))
            }
            try store.put(key, bytes)
            try trial.expectRightOrTyped("damaged record \(round)") {
                try cache.read("Message:1", as: Message.self)
            } _: {
                $0.value == nil
            }
        }
        try cache.write(Message.full("Message:1"))
        try trial.expectHit(
            try cache.read("Message:1", as: Message.self), Message.full("Message:1"),
            "the message, written anew over damage")
    }

    static let lookAlikes = Rule(
        "KEY-11", "A value that looks like a reference comes back as the value it was.",
        because: "Data must not become structure.", kills: ["alters-look-alikes"]
    ) { trial in
        let cache = try trial.cache()
        let texts = [
            "{\"$ref\": \"Person:1\"}", "$ref", "\u{0}", "Person:1", "\u{D9}\u{E7}N", "59214(\"Person:1\")", "null", "",
        ]
        try cache.write(Person(id: "Person:1", name: "the person"))
        for (index, text) in texts.enumerated() {
            var message = Message(
                id: "Message:\(index)", kind: .event(place: text, host: Person(id: "Person:h")),
                note: .some(.some(text)),
                text: text, mentions: ["$ref": Person(id: "Person:1", name: "the person")])
            message.mentions[text] = Person(id: "Person:2")
            try cache.write(message)
            try trial.expectHit(
                try cache.read("Message:\(index)", as: Message.self), message, "a message of \(text.debugDescription)")
            var values = Values(id: "Values:\(index)", map: ["$ref": 1, "59214": 3])
            values.map[text] = 2
            try cache.write(values)
            try trial.expectHit(
                try cache.read("Values:\(index)", as: Values.self), values, "a dictionary of \(text.debugDescription)")
        }
    }
}

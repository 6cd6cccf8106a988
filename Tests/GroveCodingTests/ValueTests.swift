#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import GroveCoding
import GroveModel
import TestSupport
import Testing

@Suite("Values") struct ValueTests {
    private func roundTrip<Value: NodeCodable>(_ value: Value) throws -> Value { try Encoded(value).decode() }

    // MARK: Dates

    @Test("A date keeps every bit, under whichever tag") func dates() throws {
        var random = SeededGenerator(seed: 11)
        var seconds: [Double] = [
            0, -0.0, 0.1, -978_307_200, 978_307_200, .nan, .infinity, -.infinity, 1e300, -1e300, .leastNonzeroMagnitude,
            Double(Int64.max), Double(Int64.min), 9.3e18, -9.3e18, 1e18,
            Date.distantPast.timeIntervalSinceReferenceDate,
            Date.distantFuture.timeIntervalSinceReferenceDate,
        ]
        for _ in 0..<20_000 {
            seconds.append(Double.random(in: -3e9...3e9, using: &random))
            seconds.append(Double(Int64.random(in: -3_000_000_000_000...3_000_000_000_000, using: &random)) / 1_000)
            seconds.append(Double(bitPattern: random.next()))
        }
        var tags: [UInt8: Int] = [:]
        var wrong: [Double] = []
        for value in seconds {
            let encoded = try Encoded(Date(timeIntervalSinceReferenceDate: value)).bytes
            tags[encoded[0], default: 0] += 1
            let read = try decode(Date.self, encoded).timeIntervalSinceReferenceDate
            if read.bitPattern != value.bitPattern { wrong.append(value) }
        }
        #expect(wrong.isEmpty)
        #expect((tags[0xC1] ?? 0) > 1_000)
        #expect((tags[0xD9] ?? 0) > 1_000)
        #expect(tags.count == 2)
    }

    @Test("A date in whole seconds is an integer since 1970; one that is not exact there is since 2001")
    func dateForms() throws {
        #expect(hex(try Encoded(Date(timeIntervalSinceReferenceDate: 0)).bytes) == "c11a3a4fc880")
        #expect(hex(try Encoded(Date(timeIntervalSince1970: -1)).bytes) == "c120")
        #expect(hex(try Encoded(Date(timeIntervalSinceReferenceDate: 0.1)).bytes) == "d9e74ffb3fb999999999999a")
        #expect(try decode(Date.self, bytes("c1f90000")).timeIntervalSince1970 == 0)
        #expect(failure { try decode(Date.self, bytes("00")) } == "otherShape")
        #expect(failure { try decode(Date.self, bytes("c16161")) } == "otherShape")
        #expect(failure { try decode(Date.self, bytes("c11bffffffffffffffff")) } == "otherShape")
        #expect(failure { try decode(Date.self, bytes("c1")) } == "corrupted")
    }

    // MARK: Decimals

    @Test("Equal decimals have one encoding, and every decimal comes back equal") func decimals() throws {
        let forms = [
            "0": "c4820000", "1": "c4820001", "100": "c4820201", "-0.5": "c4822024", "123.45": "c48221193039",
            "1e127": "c482187f01", "-7e3": "c4820326",
        ]
        for (text, expected) in forms {
            let value = try #require(Decimal(string: text))
            #expect(hex(try Encoded(value).bytes) == expected, "\(text)")
            #expect(try roundTrip(value) == value)
        }
        let one = Decimal(1)
        for exponent in 0...30 {
            let same = Decimal(sign: .plus, exponent: -exponent, significand: pow(10, exponent))
            #expect(try Encoded(same).bytes == Encoded(one).bytes)
        }
        var random = SeededGenerator(seed: 3)
        var wrong: [Decimal] = []
        for _ in 0..<3_000 {
            let significand =
                Decimal(random.next())
                * Decimal(
                    UInt64.random(in: 0...UInt64.max >> UInt64.random(in: 0...63, using: &random), using: &random))
            let value = Decimal(
                sign: Bool.random(using: &random) ? .plus : .minus, exponent: Int.random(in: -120...80, using: &random),
                significand: significand)
            guard !value.isNaN else { continue }
            let read = try roundTrip(value)
            if try read != value || Encoded(read).bytes != Encoded(value).bytes { wrong.append(value) }
        }
        #expect(wrong.isEmpty)
        for value in [Decimal.greatestFiniteMagnitude, -.greatestFiniteMagnitude, .leastNonzeroMagnitude, .pi] {
            #expect(try roundTrip(value) == value)
        }
        #expect(refusal { try Encoded(Decimal.nan) } == .unencodable)
        for text in [
            "c48219ffff01", "c482190100c249ffffffffffffffffff", "c482c2410001", "c4820000ff", "c48101", "c482390fff01",
        ] {
            #expect(failure { try decode(Decimal.self, bytes(text)) } != "none", "\(text)")
        }
    }

    // MARK: Others

    @Test("Data, UUIDs and URLs come back as they were") func foundation() throws {
        for count in [0, 1, 23, 24, 255, 256, 70_000] {
            let data = Data(repeating: 0xD9, count: count)
            #expect(try roundTrip(data) == data)
            #expect(try roundTrip(data.dropFirst(count / 2)) == Data(data.dropFirst(count / 2)))
        }
        let uuid = try #require(UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF"))
        #expect(hex(try Encoded(uuid).bytes) == "d8255000112233445566778899aabbccddeeff")
        #expect(try roundTrip(uuid) == uuid)
        #expect(failure { try decode(UUID.self, bytes("d8254f00112233445566778899aabbccddee")) } == "otherShape")
        for text in [
            "https://example.org/a?b=c#d", "file:///tmp/%20x", "mailto:a@b.c", "relative/path",
            "https://xn--bcher-kva.example/%C3%BC",
        ] {
            let url = try #require(URL(string: text))
            #expect(try roundTrip(url) == url)
        }
        let relative = try #require(URL(string: "leaf?x=1", relativeTo: URL(string: "https://example.org/dir/")))
        let read = try roundTrip(relative)
        #expect(read == relative && read.baseURL == relative.baseURL && read.relativeString == "leaf?x=1")
    }

    @Test("Nested optionals keep apart nil and some nil") func optionals() throws {
        #expect(hex(try Encoded(Int???.none).bytes) == "f6")
        #expect(hex(try Encoded(Int???.some(nil)).bytes) == "81f6")
        #expect(hex(try Encoded(Int???.some(.some(nil))).bytes) == "8181f6")
        #expect(hex(try Encoded(Int???.some(.some(.some(5)))).bytes) == "818105")
        for value in [Int???.none, .some(nil), .some(.some(nil)), .some(.some(.some(5)))] {
            #expect(try roundTrip(value) == value)
        }
        #expect(try roundTrip([Int?.none, 1]) == [nil, 1])
        #expect(try roundTrip(["a": Int?.none, "b": 2]) == ["a": nil, "b": 2])
        #expect(try roundTrip([Int]?.some([])) == .some([]))
    }

    @Test("A raw value that may be null keeps its nil apart from the optional's") func nullableRawValue() throws {
        struct Level: RawRepresentable, NodeCodable, Equatable { var rawValue: Int? }
        for level in [Level?.none, Level(rawValue: nil), Level(rawValue: 1)] { #expect(try roundTrip(level) == level) }
    }

    // MARK: Order

    @Test("Sets and dictionaries have one encoding, whatever the order of insertion") func determinism() throws {
        var random = SeededGenerator(seed: 5)
        let words = (0..<300).map { "word \($0 &* 7919 % 1_000_003)" }
        let numbers = (0..<300).map { ($0 - 150) &* 104_729 }
        func encodings() throws -> [[UInt8]] {
            let words = words.shuffled(using: &random)
            var set: Set<String> = []
            var dictionary: [String: Int] = Dictionary(minimumCapacity: Int.random(in: 0...2_000, using: &random))
            for word in words {
                set.insert(word)
                dictionary[word] = word.utf8.count
            }
            let numbers = Set(numbers.shuffled(using: &random))
            return [try Encoded(set).bytes, try Encoded(dictionary).bytes, try Encoded(numbers).bytes]
        }
        let first = try encodings()
        for _ in 0..<20 { #expect(try encodings() == first) }
        #expect(try decode(Set<String>.self, first[0]) == Set(words))
        // Computed by another implementation of both the encoding and the hash.
        #expect(unsafe first[0].withUnsafeBytes { unsafe hash64($0, seed: 0) } == 0xEEFA_0EC2_5391_E402)
        #expect(unsafe first[2].withUnsafeBytes { unsafe hash64($0, seed: 0) } == 0xA320_307C_54C8_6916)
    }

    @Test("Elements out of order, or twice, are damage")
    func disorder() {
        #expect(failure { try decode(Set<Int>.self, bytes("820201")) } == "corrupted")
        #expect(failure { try decode(Set<Int>.self, bytes("820101")) } == "corrupted")
        #expect(failure { try decode([Int: Int].self, bytes("a202000100")) } == "corrupted")
        #expect(failure { try decode([Int: Int].self, bytes("a201000100")) } == "corrupted")
    }

    @Test("A set or dictionary of which no reader could tell two elements apart is refused")
    func alike() {
        #expect(refusal { try Encoded(Set([Double.nan, Double.nan])) } == .unencodable)
        #expect(refusal { try Encoded([Double.nan: 1, Double.nan: 2]) } == .unencodable)
        let versions: Set = [PlainPerson(id: 1, name: "old"), PlainPerson(id: 1, name: "new")]
        struct Holder: SimpleModel, Codable, Equatable {
            var versions: Set<PlainPerson>
            var modelIdentifier: ModelIdentifier? { "Holder" }
        }
        #expect(refusal { try Encoded(CodableNode(Holder(versions: versions))) } == .unencodable)
    }

    @Test("Identity is bytes: composed and decomposed spellings differ") func identity() throws {
        let (composed, decomposed): (ModelIdentifier, ModelIdentifier) = ("\u{E9}", "e\u{301}")
        #expect(composed.rawValue == decomposed.rawValue)
        #expect(composed != decomposed)
        #expect(Set([composed, decomposed]).count == 2)
        #expect([composed: 1, decomposed: 2].count == 2)
        #expect(decomposed < composed)
        #expect(ModelIdentifier("a") < "ab" && ModelIdentifier("Z") < "a" && ModelIdentifier("z") < "\u{E9}")
        #expect(ModelIdentifier("a\u{0}b") != "a" && ModelIdentifier("").isEmpty && !ModelIdentifier("\u{0}").isEmpty)
        let both: Set = [composed, decomposed]
        #expect(try roundTrip(both) == both)
        #expect(try roundTrip([composed: 1, decomposed: 2]) == [composed: 1, decomposed: 2])
        // Read as strings, which Swift cannot tell apart, the map is another shape: it does not shrink.
        #expect(
            failure { try decode([String: Int].self, try Encoded([composed: 1, decomposed: 2]).bytes) } == "otherShape")
        #expect(try Encoded(composed.rawValue).bytes != Encoded(decomposed.rawValue).bytes)
    }

    // MARK: Field tables

    @Test("A field table stands in the order of the encoded names") func fieldTable() throws {
        let names = [
            "b", "aa", "a", "", "Z", "\u{E9}", "zz", String(repeating: "x", count: 24),
            String(repeating: "y", count: 23), "ab",
        ]
        let sorted = FieldTable.sorted(names)
        let encodings = try names.map { try Encoded($0).bytes }.sorted { $0.lexicographicallyPrecedes($1) }
        #expect(try sorted.map { try Encoded($0).bytes } == encodings)
        let table = FieldTable(names: sorted)
        for index in sorted.indices {
            #expect(table.name(index) == sorted[index])
            #expect(unsafe Array(table.key(index)) == encodings[index])
        }
        #expect(FieldTable.dynamic.isDynamic && !table.isDynamic)
    }

    // MARK: Hash

    @Test("The hash of every length differs, and each bit of the input changes half of its bits") func hash() {
        var random = SeededGenerator(seed: 13)
        let material = (0..<300).map { _ in UInt8.random(in: 0...255, using: &random) }
        func hash(_ bytes: some Collection<UInt8>, seed: UInt64 = 0) -> UInt64 {
            unsafe Array(bytes).withUnsafeBytes { unsafe hash64($0, seed: seed) }
        }
        #expect(Set((0...300).map { hash(material.prefix($0)) }).count == 301)
        #expect(Set((0...300).map { hash(Array(repeating: 0, count: $0)) }).count == 301)
        #expect(Set((0..<300).map { hash(material, seed: $0) }).count == 300)
        // No bytes are no bytes, whether they have an address or not.
        for seed in 0..<4 as Range<UInt64> {
            let nowhere = unsafe hash64(UnsafeRawBufferPointer(start: nil, count: 0), seed: seed)
            let somewhere = unsafe material.withUnsafeBytes {
                unsafe hash64(UnsafeRawBufferPointer(rebasing: $0[..<0]), seed: seed)
            }
            #expect(nowhere == somewhere && nowhere == hash([], seed: seed))
        }
        for count in [1, 3, 4, 7, 8, 15, 16, 17, 31, 32, 33, 48, 49, 64, 65, 100, 300] {
            let original = hash(material.prefix(count))
            var flipped = 0
            var (least, most) = (64, 0)
            for bit in 0..<(count * 8) {
                var changed = Array(material.prefix(count))
                changed[bit / 8] ^= 1 << UInt8(bit % 8)
                let distance = (hash(changed) ^ original).nonzeroBitCount
                flipped += distance
                (least, most) = (min(least, distance), max(most, distance))
            }
            let mean = Double(flipped) / Double(count * 8)
            #expect((28...36).contains(mean), "\(count) bytes: \(mean)")
            #expect(least >= 8 && most <= 56, "\(count) bytes: \(least) to \(most)")
        }
        var collisions = 0
        for count in 0...64 {
            var changed = Array(material.prefix(count))
            for index in changed.indices {
                changed[index] &+= 1
                if hash(changed) == hash(material.prefix(count)) { collisions += 1 }
                changed[index] &-= 1
            }
        }
        #expect(collisions == 0)
    }
}

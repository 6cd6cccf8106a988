import GroveCache
import GroveCoding
import GroveMemory
import GroveModel
import Testing

/// Values inside fields of a record that several projections wrote: what one writer left out of them is unknown to the
/// others.
@Suite("Values in shared records")
struct SharedValueTests {
    // MARK: Models by hand

    struct Address: CacheableModel, Equatable {
        var city: String
        var street: String?
        var modelIdentifier: ModelIdentifier? { nil }
        static let fields = FieldTable("city", "street")
        static var holdsReferences: Bool { false }

        func encodeFields(to node: inout NodeEncoder) throws(CacheError) {
            try node.encode(city, at: 0)
            try node.encode(street, at: 1)
        }

        static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> Address {
            let city = try node.scan(String.self, at: 0)
            let street = try node.scan(String?.self, at: 1)
            return Address(city: try node.finish(city), street: try node.finish(street))
        }
    }

    struct ShortAddress: CacheableModel, Equatable {
        var city: String
        var modelIdentifier: ModelIdentifier? { nil }
        static let fields = FieldTable("city")

        func encodeFields(to node: inout NodeEncoder) throws(CacheError) { try node.encode(city, at: 0) }

        static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> ShortAddress {
            let city = try node.scan(String.self, at: 0)
            return ShortAddress(city: try node.finish(city))
        }
    }

    /// A holder of one value, in the field called "value"; two are projections of one record where they declare so.
    struct Holder<Value: NodeCodable & Equatable & Sendable, Name: ProjectionName>: CacheableModel, Equatable {
        var value: Value
        var modelIdentifier: ModelIdentifier? { "Place:1" }
        static var recordName: String { "Place" }
        static var projectionName: String { Name.name }
        static var fields: FieldTable { SharedValueTests.holderFields }

        func encodeFields(to node: inout NodeEncoder) throws(CacheError) { try node.encode(value, at: 0) }

        static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> Holder {
            let value = try node.scan(Value.self, at: 0)
            return Holder(value: try node.finish(value))
        }
    }

    private static let holderFields = FieldTable("value")

    protocol ProjectionName: Sendable { static var name: String { get } }
    enum Whole: ProjectionName { static let name = "Whole" }
    enum Part: ProjectionName { static let name = "Part" }

    // MARK: Codable models

    struct PlainAddress: Codable, Hashable {
        var city: String
        var street: String?
    }

    struct PlainShortAddress: Codable, Hashable { var city: String }

    enum PlainChoice: Codable, Hashable { case home(city: String, street: String?) }

    enum PlainShortChoice: Codable, Hashable { case home(city: String) }

    struct PlainHolder<Value: Codable & Equatable & Sendable, Name: ProjectionName>: CodableModel, Equatable {
        var value: Value
        var modelIdentifier: ModelIdentifier? { "Place:1" }
        static var recordName: String { "Place" }
        static var projectionName: String { Name.name }
    }

    /// Leaves out what it has not, as some types of Foundation do.
    struct Sparse: Codable, Equatable {
        var day: Int
        var month: Int?

        init(day: Int) { self.day = day }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(day, forKey: .day)
            if let month { try container.encode(month, forKey: .month) }
        }
    }

    private typealias Full<Value: NodeCodable & Equatable & Sendable> = Holder<Value, Whole>
    private typealias Small<Value: NodeCodable & Equatable & Sendable> = Holder<Value, Part>
    private typealias PlainFull<Value: Codable & Equatable & Sendable> = PlainHolder<Value, Whole>
    private typealias PlainSmall<Value: Codable & Equatable & Sendable> = PlainHolder<Value, Part>

    private func cache() throws -> NormalizedCache<MemoryStore> { try MemoryCache() }

    private func expectUnknown<Full: CacheableModel & Equatable, Small: CacheableModel & Equatable>(
        _ full: Full, _ small: Small, _ line: SourceLocation = #_sourceLocation
    ) throws {
        let cache = try cache()
        try cache.write(full)
        #expect(try cache.model("Place:1", as: Full.self) == full, sourceLocation: line)
        try cache.write(small)
        #expect(try cache.read("Place:1", as: Full.self).miss?.reason == .incomplete, sourceLocation: line)
        #expect(try cache.model("Place:1", as: Small.self) == small, sourceLocation: line)
        try cache.write(full)
        #expect(try cache.model("Place:1", as: Full.self) == full, sourceLocation: line)
        #expect(try cache.model("Place:1", as: Small.self) == small, sourceLocation: line)
    }

    @Test("What another projection left out of a value in place is a miss, wherever the value stands")
    func byHand() throws {
        let address = Address(city: "Bern", street: "X")
        let short = ShortAddress(city: "Bern")
        try expectUnknown(Full(value: address), Small(value: short))
        try expectUnknown(Full(value: Address?.some(address)), Small(value: ShortAddress?.some(short)))
        try expectUnknown(Full(value: [address]), Small(value: [short]))
        try expectUnknown(Full(value: ["a": address]), Small(value: ["a": short]))
        try expectUnknown(Full(value: ["a": [address]]), Small(value: ["a": [short]]))
    }

    @Test("The same by way of Codable")
    func byCodable() throws {
        let address = PlainAddress(city: "Bern", street: "X")
        let short = PlainShortAddress(city: "Bern")
        try expectUnknown(PlainFull(value: address), PlainSmall(value: short))
        try expectUnknown(PlainFull(value: [address]), PlainSmall(value: [short]))
        try expectUnknown(PlainFull(value: ["a": address]), PlainSmall(value: ["a": short]))
        try expectUnknown(PlainFull(value: Set([address])), PlainSmall(value: Set([short])))
        try expectUnknown(
            PlainFull(value: PlainChoice.home(city: "Bern", street: "X")),
            PlainSmall(value: PlainShortChoice.home(city: "Bern")))
    }

    @Test("What a projection's own type leaves out reads nil as long as nobody wrote another value over it")
    func ownAbsence() throws {
        let cache = try cache()
        let full = PlainFull(value: Sparse(day: 1))
        try cache.write(full)
        try cache.write(PlainSmall(value: Sparse(day: 1)))
        #expect(try cache.model("Place:1", as: PlainFull<Sparse>.self) == full)
        try cache.write(PlainSmall(value: Sparse(day: 2)))
        #expect(try cache.read("Place:1", as: PlainFull<Sparse>.self).miss?.reason == .incomplete)
        try cache.write(full)
        #expect(try cache.model("Place:1", as: PlainFull<Sparse>.self) == full)
    }

    @Test("A projection that lets go of a value leaves it unknown to those who carry it")
    func letGo() throws {
        let cache = try cache()
        try cache.write(Full(value: Address(city: "Bern", street: "X")))
        try cache.write(Small(value: ShortAddress(city: "Basel")))
        try cache.write(Bare<Part>())
        #expect(try cache.read("Place:1", as: Full<Address>.self).miss?.reason == .incomplete)
        try cache.delete("Place:1")
        try cache.write(Small(value: ShortAddress(city: "Basel")))
        try cache.write(Bare<Whole>())
        #expect(try cache.read("Place:1", as: Full<Address>.self).miss?.reason == .incomplete)
    }

    /// A holder that holds nothing.
    struct Bare<Name: ProjectionName>: CacheableModel, Equatable {
        var modelIdentifier: ModelIdentifier? { "Place:1" }
        static var recordName: String { "Place" }
        static var projectionName: String { Name.name }
        static var fields: FieldTable { SharedValueTests.bareFields }
        func encodeFields(to node: inout NodeEncoder) throws(CacheError) {}
        static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> Bare { Bare() }
    }

    private static let bareFields = FieldTable()

    // MARK: What an initialiser does with an absence

    /// The way in which an initialiser asks, and nothing else.
    struct Asked<Name: ProjectionName>: CodableModel, Equatable {
        var way: Int
        var modelIdentifier: ModelIdentifier? { "Place:1" }
        static var recordName: String { "Place" }
        static var projectionName: String { Name.name }
    }

    /// Takes any absence for a default.
    struct Lenient: CodableModel, Equatable {
        var way: Int
        var bio: String
        var modelIdentifier: ModelIdentifier? { "Place:1" }
        static let recordName = "Place"
        static let projectionName = "Whole"

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            way = try container.decode(Int.self, forKey: .way)
            switch way {
            case 0: bio = (try? container.decode(String.self, forKey: .bio)) ?? ""
            case 1: bio = (try? container.decodeIfPresent(String.self, forKey: .bio)) ?? ""
            case 2: bio = (try? container.decodeNil(forKey: .bio)) == nil ? "" : "there"
            case 3: bio = (try? container.decode([String].self, forKey: .bio))?.first ?? ""
            case 4: bio = (try? container.decodeIfPresent([String].self, forKey: .bio))?.first ?? ""
            case 5: bio = (try? container.nestedUnkeyedContainer(forKey: .bio)) == nil ? "" : "there"
            case 6: bio = (try? container.superDecoder(forKey: .bio)) == nil ? "" : "there"
            default: bio = (try? container.superDecoder()) == nil ? "" : "there"
            }
        }
    }

    @Test("An initialiser that takes an absence for a default does so only on its own projection", arguments: 0..<8)
    func lenient(way: Int) throws {
        let cache = try cache()
        try cache.write(Asked<Part>(way: way))
        #expect(try cache.read("Place:1", as: Lenient.self).miss?.reason == .incomplete)
        try cache.write(Asked<Whole>(way: way))
        #expect(try cache.model("Place:1", as: Lenient.self)?.bio == "")
    }

    /// Asks twice for the container of one value.
    struct Insistent: CodableModel, Equatable {
        var bio: String
        var modelIdentifier: ModelIdentifier? { "Place:1" }
        static let recordName = "Place"
        static let projectionName = "Whole"

        enum CodingKeys: String, CodingKey { case value }
        enum Inner: String, CodingKey { case bio }

        init(bio: String) { self.bio = bio }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            var inner = container.nestedContainer(keyedBy: Inner.self, forKey: .value)
            try inner.encode(bio, forKey: .bio)
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            bio = ""
            for _ in 0..<2 {
                let inner = try container.nestedContainer(keyedBy: Inner.self, forKey: .value)
                bio = (try? inner.decode(String.self, forKey: .bio)) ?? ""
            }
        }
    }

    @Test("A value's container that is asked for anew does not make an unknown absence known")
    func insistent() throws {
        let cache = try cache()
        try cache.write(PlainSmall(value: PlainShortAddress(city: "Bern")))
        #expect(try cache.read("Place:1", as: Insistent.self).miss?.reason == .incomplete)
        try cache.write(Insistent(bio: "long"))
        #expect(try cache.model("Place:1", as: Insistent.self)?.bio == "long")
    }
}

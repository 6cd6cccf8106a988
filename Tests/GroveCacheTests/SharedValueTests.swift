@testable import GroveCache
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

    struct PlainHolder<Value: Codable & Equatable & Sendable, Name: ProjectionName>: SimpleModel, Codable, Equatable {
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

    private func expectUnknown<Full: SimpleModel & Codable & Equatable, Small: SimpleModel & Codable & Equatable>(
        codable full: Full, _ small: Small, _ line: SourceLocation = #_sourceLocation
    ) throws {
        let cache = try cache()
        try cache.write(full)
        #expect(try cache.model("Place:1", as: Full.self) == full, sourceLocation: line)
        try cache.write(small)
        #expect(try cache.read("Place:1", as: Full.self).miss?.reason == .incomplete, sourceLocation: line)
        #expect(try cache.model("Place:1", as: Small.self) == small, sourceLocation: line)
        try cache.write(full)
        #expect(try cache.model("Place:1", as: Full.self) == full, sourceLocation: line)
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
        try expectUnknown(codable: PlainFull(value: address), PlainSmall(value: short))
        try expectUnknown(codable: PlainFull(value: [address]), PlainSmall(value: [short]))
        try expectUnknown(codable: PlainFull(value: ["a": address]), PlainSmall(value: ["a": short]))
        try expectUnknown(codable: PlainFull(value: Set([address])), PlainSmall(value: Set([short])))
        try expectUnknown(
            codable: PlainFull(value: PlainChoice.home(city: "Bern", street: "X")),
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
}

import Foundation
import GroveCache
import GroveCoding
import GroveMemory
import GroveModel
import Synchronization
import Testing

/// Errors of a write name the type, the field and the identifier that they are about.
@Suite("What errors name")
struct ErrorNamingTests {
    let cache: MemoryCache

    init() throws { cache = try MemoryCache() }

    @Test("A value that has no encoding: the field, and the identifier of the record that holds it")
    func value() throws {
        let error = #expect(throws: CacheError.self) {
            try cache.write(Receipt(id: "Receipt:1", price: Price(amount: .nan), tag: nil))
        }
        #expect(error?.code == .unencodable)
        #expect(error?.field == "Price.amount")
        #expect(error?.identifier == "Receipt:1")
        #expect(error.map { "\($0)" }?.contains("[Price.amount]") == true)
    }

    @Test("An empty identifier of a child: the field that holds the child")
    func emptyIdentifier() throws {
        let error = #expect(throws: CacheError.self) {
            try cache.write(Receipt(id: "Receipt:1", price: Price(amount: 1), tag: Tag(id: "")))
        }
        #expect(error?.code == .emptyIdentifier)
        #expect(error?.field == "Receipt.tag")
        #expect(error?.identifier == "Receipt:1")
        let root = #expect(throws: CacheError.self) { try cache.write(Tag(id: "")) }
        #expect(root?.code == .emptyIdentifier)
        #expect(root?.field == "Tag")
    }

    @Test("An identifier that is too long: how long it is and how it begins")
    func longIdentifier() throws {
        let error = #expect(throws: CacheError.self) {
            try cache.write(Tag(id: "begins so " + String(repeating: "x", count: 8_000)))
        }
        #expect(error?.code == .tooLarge)
        #expect(error?.field == "Tag")
        #expect(error?.message.contains("8010 bytes") == true)
        #expect(error?.message.contains("begins so") == true)
    }

    @Test("A Codable model: the property, and the identifier of the record that holds it")
    func codable() throws {
        let error = #expect(throws: CacheError.self) {
            try cache.write(CodableReceipt(id: "Receipt:2", price: CodablePrice(amount: .nan)))
        }
        #expect(error?.code == .unencodable)
        #expect(error?.field == "CodablePrice.amount")
        #expect(error?.identifier == "Receipt:2")
        let silent = #expect(throws: CacheError.self) { try cache.write(Silent()) }
        #expect(silent?.field == "Silent")
    }

    @Test("More projections than a record takes: the type and the identifier")
    func projections() throws {
        for number in 0..<255 { try cache.write(Facet(number: number)) }
        let error = #expect(throws: CacheError.self) { try cache.write(Facet(number: 255)) }
        #expect(error?.code == .unencodable)
        #expect(error?.identifier == "Facet:1")
        #expect(error?.field == "Facet")
    }

    @Test("A write that comes after the close is told to the handle's observer, with its key")
    func afterClose() throws {
        let witness = Witness()
        let cache = try MemoryCache(observer: witness)
        try cache.write(Tag(id: "Tag:1"))
        cache.close()
        cache.setModel(Tag(id: "Tag:1"), forKey: "Tag:1", context: nil)
        cache.setCollection([Tag(id: "Tag:1")], forKey: "tags", context: nil)
        cache.deleteModel(Tag(id: "Tag:1"), forKey: nil, context: nil)
        for _ in 0..<3 { #expect(witness.told.wait(timeout: .now() + 20) == .success) }
        let failures = witness.failures.withLock { $0 }
        #expect(failures.map(\.code) == [.closed, .closed, .closed])
        #expect(failures.map(\.identifier) == ["Tag:1", "tags", "Tag:1"])
    }

    private final class Witness: CacheObserver {
        let failures = Mutex<[CacheError]>([])
        let told = DispatchSemaphore(value: 0)

        func cacheDidFailToWrite(_ error: CacheError) {
            failures.withLock { $0.append(error) }
            told.signal()
        }
    }
}

/// A node with a model in place and a child.
private struct Receipt: CacheableModel, Equatable {
    let id: String
    let price: Price
    let tag: Tag?

    var modelIdentifier: ModelIdentifier? { ModelIdentifier(id) }
    static let fields = FieldTable("id", "tag", "price")

    func encodeFields(to node: inout NodeEncoder) throws(CacheError) {
        try node.encode(id, at: 0)
        try node.encode(tag, at: 1)
        try node.encode(price, at: 2)
    }

    static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> Receipt {
        let id = try node.scan(String.self, at: 0)
        let tag = try node.scan(Tag?.self, at: 1)
        let price = try node.scan(Price.self, at: 2)
        return Receipt(id: try node.finish(id), price: try node.finish(price), tag: try node.finish(tag))
    }
}

private struct Price: CacheableModel, Equatable {
    let amount: Decimal

    var modelIdentifier: ModelIdentifier? { nil }
    static let fields = FieldTable("amount")

    func encodeFields(to node: inout NodeEncoder) throws(CacheError) { try node.encode(amount, at: 0) }

    static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> Price {
        let amount = try node.scan(Decimal.self, at: 0)
        return Price(amount: try node.finish(amount))
    }
}

private struct Tag: CacheableModel, Equatable {
    let id: String

    var modelIdentifier: ModelIdentifier? { ModelIdentifier(id) }
    static let fields = FieldTable("id")

    func encodeFields(to node: inout NodeEncoder) throws(CacheError) { try node.encode(id, at: 0) }

    static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> Tag {
        let id = try node.scan(String.self, at: 0)
        return Tag(id: try node.finish(id))
    }
}

/// One of as many projections of one record as there are numbers.
private struct Facet: CacheableModel, Equatable {
    let number: Int

    var modelIdentifier: ModelIdentifier? { "Facet:1" }
    static let fields = FieldTable.dynamic

    func encodeValue(to encoder: inout NodeEncoder) throws(CacheError) {
        try encoder.encodeNode(identifier: "Facet:1", recordName: "Facet", projectionName: "Facet\(number)") {
            (encoder) throws(CacheError) in try encodeFields(to: &encoder)
        }
    }

    func encodeFields(to node: inout NodeEncoder) throws(CacheError) {
        node.writeMapHead(count: 1)
        node.write("number")
        node.write(Int64(number))
    }

    static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> Facet { throw .otherShape }
}

private struct CodableReceipt: CodableModel, Equatable {
    let id: String
    let price: CodablePrice

    var modelIdentifier: ModelIdentifier? { ModelIdentifier(id) }
}

private struct CodablePrice: CodableModel, Equatable {
    let amount: Decimal

    var modelIdentifier: ModelIdentifier? { nil }
}

private struct Silent: CodableModel, Equatable {
    var modelIdentifier: ModelIdentifier? { "Silent:1" }

    func encode(to encoder: any Encoder) throws {}
    init() {}
    init(from decoder: any Decoder) throws {}
}

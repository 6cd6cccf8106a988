import Foundation
@testable import GroveCache
import GroveCoding
import GroveInspect
import GroveMemory
import GroveModel
import Testing
import TestSupport

/// The person of the document's example.
private struct DocumentedPerson: CodableModel, Equatable {
    static var recordName: String { "Person" }
    static var projectionName: String { "Person" }

    var id: Int
    var name: String
    var modelIdentifier: ModelIdentifier? { "Person:\(id)" }
}

/// Names that a store keeps once for all records that have them.
@Suite("Shapes") struct ShapeTests {
    let disk: SharedStore.Disk
    let cache: NormalizedCache<SharedStore>
    let ann = Person(id: "1", name: "Ann", age: 30)
    let ben = Person(id: "2", name: "Ben", age: 31)

    init() throws {
        disk = try SharedStore.Disk()
        cache = try disk.open()
    }

    /// The keys and values of the shapes that are stored.
    private func shapes() throws -> [[UInt8]: [UInt8]] {
        var shapes: [[UInt8]: [UInt8]] = [:]
        let view = try disk.base.view()
        defer { view.end() }
        try unsafe [Namespace.shape].withUnsafeBytesTyped { (prefix) throws(CacheError) in
            try unsafe view.scan(prefix: prefix) { key, value in
                unsafe shapes[Array(key)] = unsafe Array(value)
                return true
            }
        }
        return shapes
    }

    private func put(_ key: [UInt8], _ value: [UInt8]?) throws {
        try disk.base.write { (transaction) throws(CacheError) in
            try unsafe key.withUnsafeBytesTyped { (key) throws(CacheError) in
                guard let value else { return try unsafe transaction.remove(key) }
                try unsafe value.withUnsafeBytesTyped { (value) throws(CacheError) in
                    try unsafe transaction.put(key, value)
                }
            }
        }
    }

    private func people(_ cache: NormalizedCache<SharedStore>) throws -> [Person] {
        try cache.read { try Array($0.models(Person.self)) }
    }

    private func flags(_ identifier: String) throws -> [String] {
        try cache.storedRecord(.node, identifier)?.envelope.get().flags ?? []
    }

    @Test("Records of one type share one shape, and have no name in them") func shared() throws {
        try cache.write(contentsOf: [ann, ben])
        try cache.write(Message(id: "34", text: "Hello", sender: ann))
        #expect(try shapes().count == 2)
        #expect(try flags("Person:1") == ["shape"])
        #expect(try flags("Message:34") == ["references", "shape"])
        try unsafe cache.visitStoredValues(.node, ["Person:1"]) { _, value in
            #expect(unsafe !String(decoding: value, as: UTF8.self).contains("name"))
        }
        #expect(try cache.storedRecord(.node, "Person:1")?.envelope.get().recordName == "Person")
        #expect(try disk.open().model("Message:34", as: Message.self)?.sender == ann)
    }

    @Test("The example of Docs/Internals/RecordFormat.md is what is stored") func documented() throws {
        let person = DocumentedPerson(id: 1, name: "Ann")
        let cache = try NormalizedCache<SharedStore>(
            directory: nil, options: SharedStore.Options(disk: disk), now: { Date(timeIntervalSince1970: 1e9) })
        try cache.write(person, confirmed: true)
        let hash: [UInt8] = [0x40, 0x89, 0xD2, 0x13, 0xDC, 0xA3, 0x2C, 0xA0]
        let head: [UInt8] = [0x01, 0x20, 0xCA, 0xEA, 0xB2, 0x8E, 0xBA, 0x36, 0xCA, 0xDC, 0x01, 0x00, 0xCA, 0x9A, 0x3B]
        var stored: [UInt8] = []
        try unsafe cache.visitStoredValues(.node, ["Person:1"]) { _, value in stored = unsafe Array(value) }
        #expect(stored == head + hash + [0x01, 0x63] + Array("Ann".utf8))
        let sum: [UInt8] = [0xBB, 0xF6, 0xF2, 0xC5, 0x99, 0x65, 0xD7, 0x85]
        let names = [0x84, 0x66] + Array("Person".utf8) + [0x66] + Array("Person".utf8) + [0x62, 0x69, 0x64, 0x64]
        let shape = [0x01, 0x00] + sum + [0, 0, 0, 0, 0] + names + Array("name".utf8)
        #expect(try shapes() == [[0x06] + hash: shape])
    }

    @Test("A lost or damaged shape is a miss, which a write of the same mends") func lost() throws {
        try cache.write(contentsOf: [ann, ben])
        let before = try shapes()
        let (key, value) = try #require(before.first)
        var flipped = value
        flipped[value.count - 1] ^= 1
        for damage in [nil, [], flipped] as [[UInt8]?] {
            try put(key, damage)
            // A reader that has met the shape has it still.
            #expect(try [nil, ann].contains(cache.model("Person:1", as: Person.self)))
            let other = try disk.open()
            defer { other.close() }
            #expect(try other.read("Person:2", as: Person.self) == .miss(CacheMiss(.absent, "Person:2")))
            #expect(try people(other).isEmpty)
            #expect(try cache.write(ann).changedModelIds.isEmpty)
            #expect(try shapes() == before)
            #expect(try other.model("Person:2", as: Person.self) == ben)
        }
    }

    @Test("A shape of other names under the hash of one keeps its place, and names stay in the record") func collision()
        throws
    {
        try cache.write(ann)
        try cache.write(ForkStub(id: "a"))
        let before = try shapes()
        #expect(before.count == 2)
        try cache.wipe()
        // Other names, well sealed, under the hash of each.
        for key in before.keys {
            var names = ByteBuffer(capacity: 64)
            defer { names.deallocate() }
            names.appendHead(CBORMajor.array, 3)
            for text in ["Other", "Other", "field"] { names.appendText(text) }
            var out = ByteBuffer(capacity: 64)
            defer { out.deallocate() }
            let body = unsafe names.bytes
            try unsafe key.withUnsafeBytesTyped { (key) throws(CacheError) in
                try unsafe RecordBuilder.build(into: &out, key: key, body: body)
            }
            try put(key, unsafe Array(out.bytes))
        }
        let others = try shapes()
        try cache.write(ann)
        #expect(try flags("Person:1").isEmpty)
        #expect(try shapes() == others)
        #expect(try disk.open().model("Person:1", as: Person.self) == ann)
    }

    @Test("Beyond so many shapes names stay in the records") func full() throws {
        try cache.write(ann)
        try disk.base.write { (transaction) throws(CacheError) in
            var state = try StoreState(transaction)
            state.shapes = UInt16(RecordShape.mostStored)
            try state.write(transaction)
        }
        try cache.write(Message(id: "34", text: "Hello", sender: ben))
        #expect(try flags("Message:34") == ["references"])
        #expect(try flags("Person:2") == ["shape"])
        #expect(try shapes().count == 1)
        #expect(try cache.model("Message:34", as: Message.self)?.sender == ben)
        #expect(try cache.write(Message(id: "34", text: "Hello", sender: ben)).changedModelIds.isEmpty)
    }

    @Test("What a transaction gives up leaves no shape that is believed in") func abandoned() throws {
        struct Abandoned: Error {}
        #expect(throws: Abandoned.self) {
            try cache.write { tx in
                try tx.write(ann)
                throw Abandoned()
            }
        }
        #expect(try shapes().isEmpty)
        try cache.write(ann)
        #expect(try disk.open().model("Person:1", as: Person.self) == ann)
        try cache.wipe()
        #expect(try shapes().isEmpty)
        try cache.write(ann)
        #expect(try disk.open().model("Person:1", as: Person.self) == ann)
    }

    @Test("Queued writes are read where the store has no shape yet, over records and without") func queued() throws {
        try cache.write(ann)
        try cache.whileWriterRests {
            cache.setModel(Message(id: "34", text: "Hello", sender: ann), forKey: "Message:34", context: nil)
            cache.setModel(ben, forKey: "Person:2", context: nil)
            try expectEqual(cache.model("Message:34", as: Message.self)?.sender, ann)
            try expectEqual(cache.model("Person:2", as: Person.self), ben)
            try expectEqual(people(cache), [ann, ben])
        }
        try cache.flush()
        #expect(try people(cache) == [ann, ben])
    }

    @Test("Projections share a record that had a shape, and it has its names again") func projections() throws {
        try cache.write(ForkStub(id: "a"))
        #expect(try flags("Fork:a") == ["shape"])
        try cache.write(ForkHalf(id: "a", left: ForkStub(id: "l")))
        #expect(try flags("Fork:a") == ["references", "projections"])
        #expect(try cache.model("Fork:a", as: ForkStub.self) == ForkStub(id: "a"))
        #expect(try cache.model("Fork:a", as: ForkHalf.self)?.left == ForkStub(id: "l"))
    }

    @Test("With a budget shapes are counted, and never evicted") func budget() throws {
        let small = try disk.open(CacheBudget(bytes: 20_000))
        for index in 0..<1_000 { try small.write(Person(id: "\(index)", name: "name", age: index)) }
        #expect(try shapes().count == 1)
        let size = try small.size()
        let usage = try small.usage()
        #expect(usage.payloadBytes == size.payloadBytes)
        #expect(try disk.open().model("Person:999", as: Person.self)?.age == 999)
    }
}

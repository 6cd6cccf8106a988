import GroveCache
import GroveCoding
import GroveMemory
import GroveModel
import Testing

/// Records with the right checksum that name a node while their flags say that they name none: Grove writes no such.
@Suite("References that a record hides") struct HiddenReferenceTests {
    /// A member and those it recommends.
    struct Member: SimpleModel, CacheableModel, Equatable {
        static var recordName: String { "Member" }
        static var projectionName: String { "Member" }
        static let fields = FieldTable("id", "others")
        var id: Int
        var others: [Member]
        var modelIdentifier: ModelIdentifier? { "Member:\(id)" }

        func encodeFields(to node: inout NodeEncoder) throws(CacheError) {
            try node.encode(id, at: 0)
            try node.encode(others, at: 1)
        }

        static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> Member {
            let id = try node.scan(Int.self, at: 0)
            let others = try node.scan([Member].self, at: 1)
            return Member(id: try node.finish(id), others: try node.finish(others))
        }
    }

    /// The same through `Codable`.
    struct CodableMember: CodableModel, Equatable {
        static var recordName: String { "Member" }
        static var projectionName: String { "Member" }
        var id: Int
        var others: [CodableMember]
        var modelIdentifier: ModelIdentifier? { "Member:\(id)" }
    }

    @Test("A record that hides a reference is damage, and reading one that hides itself comes to an end")
    func hidden() throws {
        let disk = try SharedStore.Disk()
        let cache = try disk.open()
        for (flags, expected) in [(RecordHeader.Flags.references, CacheError.Code.cycle), ([], .corrupted)] {
            try forge(1, naming: 1, flags, on: disk)
            #expect(throws: CacheError.self) { try cache.model("Member:1", as: Member.self) }
            for _ in 0..<2 {
                do { _ = try cache.model("Member:1", as: Member.self) } catch { #expect(error.code == expected) }
                do { _ = try cache.model("Member:1", as: CodableMember.self) } catch { #expect(error.code == expected) }
            }
        }
        // Below a root it is a miss, and the readers that met it read what is sound.
        try cache.write(Member(id: 3, others: [Member(id: 4, others: [])]))
        try forge(2, naming: 1, .references, on: disk)
        #expect(try reason(cache.read("Member:2", as: Member.self)) == .corrupted)
        #expect(try reason(cache.read("Member:2", as: CodableMember.self)) == .corrupted)
        #expect(try cache.model("Member:3", as: Member.self)?.others.first?.id == 4)
        #expect(try cache.model("Member:3", as: CodableMember.self)?.others.first?.id == 4)
    }

    private func reason<M>(_ read: CacheRead<M>) -> CacheMiss.Reason? {
        guard case .miss(let miss) = read else { return nil }
        return miss.reason
    }

    /// Stores member `id`, who recommends `other`.
    private func forge(_ id: Int, naming other: Int, _ flags: RecordHeader.Flags, on disk: SharedStore.Disk) throws {
        var body = ByteBuffer(capacity: 64)
        var out = ByteBuffer(capacity: 64)
        defer {
            body.deallocate()
            out.deallocate()
        }
        body.appendHead(CBORMajor.map, 2)
        body.appendText("id")
        body.appendInteger(Int64(id))
        body.appendText("others")
        body.appendHead(CBORMajor.array, 1)
        body.appendHead(CBORMajor.tag, CBORTag.reference)
        body.appendText("Member:\(other)")
        let key = [Namespace.node] + Array("Member:\(id)".utf8)
        try unsafe key.withUnsafeBytesTyped { (key) throws(CacheError) in
            try unsafe Array("Member".utf8).withUnsafeBytesTyped { (name) throws(CacheError) in
                try unsafe RecordBuilder.build(
                    into: &out, key: key, flags: flags, sequence: 1, time: 1, deletion: .none, recordName: name,
                    projection: name, body: body.bytes)
            }
            try disk.base.write { (transaction) throws(CacheError) in try unsafe transaction.put(key, out.bytes) }
        }
    }
}

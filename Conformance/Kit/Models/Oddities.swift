import GroveCoding
import GroveModel
import Synchronization

/// A person whose encoding waits at a gate: a write whose call was made, and which has not arrived.
struct SlowPerson: CacheableModel {
    let id: String
    let gate: CommitGate

    static var recordName: String { Person.recordName }
    static var projectionName: String { Person.projectionName }

    var modelIdentifier: ModelIdentifier? { ModelIdentifier(id) }

    func isEqual(to model: any SimpleModel) -> Bool { (model as? SlowPerson)?.id == id }

    static var fields: FieldTable { Person.fields }

    func encodeFields(to node: inout NodeEncoder) throws(CacheError) {
        gate.pass()
        try Person(id: id, name: "slow").encodeFields(to: &node)
    }

    static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> SlowPerson {
        SlowPerson(id: try Person.decodeFields(from: &node).id, gate: CommitGate())
    }
}

/// A type without coding, which no cache can store.
struct Opaque: SimpleModel, Equatable {
    var modelIdentifier: ModelIdentifier? { "Opaque:1" }
}

/// A model whose initialiser does something that it should not: whatever the rule left under its identifier.
struct Caller: CacheableModel, Equatable {
    let id: String
    var generation = 0

    static let calls = Mutex<[String: @Sendable () -> Void]>([:])

    var modelIdentifier: ModelIdentifier? { ModelIdentifier(id) }

    static let fields = FieldTable("id", "generation")

    func encodeFields(to node: inout NodeEncoder) throws(CacheError) {
        try node.encode(id, at: 0)
        try node.encode(generation, at: 1)
    }

    static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> Caller {
        let id = try node.scan(String.self, at: 0)
        let generation = try node.scan(Int.self, at: 1)
        let caller = Caller(id: try node.finish(id), generation: try node.finish(generation))
        calls.withLock { $0[caller.id] }?()
        return caller
    }
}

/// Values at the edges of their types.
struct Numbers: CacheableModel {
    let id: String
    var signed: [Int64] = []
    var unsigned: [UInt64] = []
    var doubles: [Double] = []
    var floats: [Float] = []

    var modelIdentifier: ModelIdentifier? { ModelIdentifier(id) }

    /// The floats by their bits: -0.0 is not 0.0 here, and a NaN is itself.
    func isEqual(to model: any SimpleModel) -> Bool {
        guard let other = model as? Numbers else { return false }
        return signed == other.signed && unsigned == other.unsigned
            && doubles.map(\.bitPattern) == other.doubles.map(\.bitPattern)
            && floats.map(\.bitPattern) == other.floats.map(\.bitPattern)
    }

    static let fields = FieldTable("id", "floats", "signed", "doubles", "unsigned")

    func encodeFields(to node: inout NodeEncoder) throws(CacheError) {
        try node.encode(id, at: 0)
        try node.encode(floats, at: 1)
        try node.encode(signed, at: 2)
        try node.encode(doubles, at: 3)
        try node.encode(unsigned, at: 4)
    }

    static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> Numbers {
        let id = try node.scan(String.self, at: 0)
        let floats = try node.scan([Float].self, at: 1)
        let signed = try node.scan([Int64].self, at: 2)
        let doubles = try node.scan([Double].self, at: 3)
        let unsigned = try node.scan([UInt64].self, at: 4)
        return Numbers(
            id: try node.finish(id), signed: try node.finish(signed), unsigned: try node.finish(unsigned),
            doubles: try node.finish(doubles), floats: try node.finish(floats))
    }
}

/// A model without identifier that holds another: nesting inside one record.
final class Nest: CacheableModel {
    let inner: Nest?

    init(_ inner: Nest?) { self.inner = inner }

    var modelIdentifier: ModelIdentifier? { nil }

    func isEqual(to model: any SimpleModel) -> Bool { (model as? Nest)?.depth == depth }

    var depth: Int {
        var depth = 1
        var nest = inner
        while let next = nest {
            depth += 1
            nest = next.inner
        }
        return depth
    }

    static func levels(_ count: Int) -> Nest? {
        var nest: Nest?
        for _ in 0..<count { nest = Nest(nest) }
        return nest
    }

    static let fields = FieldTable("inner")

    func encodeFields(to node: inout NodeEncoder) throws(CacheError) { try node.encode(inner, at: 0) }

    static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> Nest {
        let inner = try node.scan(Nest?.self, at: 0)
        return Nest(try node.finish(inner))
    }
}

/// The node in whose record a ``Nest`` lies.
struct NestHolder: CacheableModel {
    let id: String
    let nest: Nest?

    var modelIdentifier: ModelIdentifier? { ModelIdentifier(id) }

    func isEqual(to model: any SimpleModel) -> Bool { (model as? NestHolder)?.nest?.depth == nest?.depth }

    static let fields = FieldTable("id", "nest")

    func encodeFields(to node: inout NodeEncoder) throws(CacheError) {
        try node.encode(id, at: 0)
        try node.encode(nest, at: 1)
    }

    static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> NestHolder {
        let id = try node.scan(String.self, at: 0)
        let nest = try node.scan(Nest?.self, at: 1)
        return NestHolder(id: try node.finish(id), nest: try node.finish(nest))
    }
}

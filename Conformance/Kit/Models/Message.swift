import GroveCoding
import GroveModel

/// A tree with everything in it: optional child, lists, dictionaries, a model without identifier, an enum with payloads
/// and nested optionals.
struct Message: CacheableModel, Equatable {
    let id: String
    var kind = Kind.plain
    var note: String??
    var text = ""
    var stamp = Stamp()
    var sender: Person?
    var readers: [Person] = []
    var mentions: [String: Person] = [:]

    var modelIdentifier: ModelIdentifier? { ModelIdentifier(id) }

    static let fields = FieldTable("id", "kind", "note", "text", "stamp", "sender", "readers", "mentions")

    func encodeFields(to node: inout NodeEncoder) throws(CacheError) {
        try node.encode(id, at: 0)
        try node.encode(kind, at: 1)
        try node.encode(note, at: 2)
        try node.encode(text, at: 3)
        try node.encode(stamp, at: 4)
        try node.encode(sender, at: 5)
        try node.encode(readers, at: 6)
        try node.encode(mentions, at: 7)
    }

    static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> Message {
        let id = try node.scan(String.self, at: 0)
        let kind = try node.scan(Kind.self, at: 1)
        let note = try node.scan(String??.self, at: 2)
        let text = try node.scan(String.self, at: 3)
        let stamp = try node.scan(Stamp.self, at: 4)
        let sender = try node.scan(Person?.self, at: 5)
        let readers = try node.scan([Person].self, at: 6)
        let mentions = try node.scan([String: Person].self, at: 7)
        return Message(
            id: try node.finish(id), kind: try node.finish(kind), note: try node.finish(note),
            text: try node.finish(text), stamp: try node.finish(stamp), sender: try node.finish(sender),
            readers: try node.finish(readers), mentions: try node.finish(mentions))
    }
}

/// A model without an identifier: it lies in its holder's record, and what it holds does not.
struct Stamp: CacheableModel, Equatable {
    var at = 0
    var by: Person?

    var modelIdentifier: ModelIdentifier? { nil }

    static let fields = FieldTable("at", "by")

    func encodeFields(to node: inout NodeEncoder) throws(CacheError) {
        try node.encode(at, at: 0)
        try node.encode(by, at: 1)
    }

    static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> Stamp {
        let at = try node.scan(Int.self, at: 0)
        let by = try node.scan(Person?.self, at: 1)
        return Stamp(at: try node.finish(at), by: try node.finish(by))
    }
}

/// An enum with payloads, in the layout of SE-0295: a map from the case's name to a map of its payload.
enum Kind: NodeCodable, Equatable {
    case plain
    case poll(choices: Int)
    case event(place: String, host: Person)

    static var holdsReferences: Bool { true }

    func encodeValue(to encoder: inout NodeEncoder) throws(CacheError) {
        encoder.writeMapHead(count: 1)
        switch self {
        case .plain:
            encoder.write("plain")
            encoder.writeMapHead(count: 0)
        case .poll(let choices):
            encoder.write("poll")
            encoder.writeMapHead(count: 1)
            encoder.write("choices")
            try choices.encodeValue(to: &encoder)
        case .event(let place, let host):
            encoder.write("event")
            encoder.writeMapHead(count: 2)
            encoder.write("host")
            try host.encodeValue(to: &encoder)
            encoder.write("place")
            encoder.write(place)
        }
    }

    static func decodeValue(from decoder: inout NodeDecoder) throws(NodeReadFailure) -> Kind {
        guard try decoder.readMapHead() == 1 else { throw .otherShape }
        switch (try decoder.readString(), try decoder.readMapHead()) {
        case ("plain", 0): return .plain
        case ("poll", 1):
            guard try decoder.readString() == "choices" else { throw .otherShape }
            return .poll(choices: try Int.decodeValue(from: &decoder))
        case ("event", 2):
            guard try decoder.readString() == "host" else { throw .otherShape }
            let host = try Person.decodeValue(from: &decoder)
            guard try decoder.readString() == "place" else { throw .otherShape }
            return .event(place: try decoder.readString(), host: host)
        default: throw .otherShape
        }
    }
}

extension Message {
    /// A message that uses everything, `salt` making its content its own.
    static func full(_ id: String, salt: Int = 0) -> Message {
        let ada = Person(id: "\(id)/ada", name: "Ada \(salt)", age: 36 + salt)
        let bob = Person(id: "\(id)/bob", name: "Bob \(salt)")
        let cyd = Person(id: "\(id)/cyd", name: "Cyd \(salt)", age: nil)
        return Message(
            id: id, kind: .event(place: "hall \(salt)", host: cyd), note: .some(.some("n\(salt)")),
            text: "salt \(salt)", stamp: Stamp(at: salt, by: bob), sender: ada, readers: [ada, bob, ada],
            mentions: ["b": bob, "a": ada, "long key": cyd])
    }

    /// The distinct identifiers of ``full(_:salt:)``.
    static func identifiers(ofFull id: String) -> Set<ModelIdentifier> {
        ["\(id)", "\(id)/ada", "\(id)/bob", "\(id)/cyd"]
    }
}

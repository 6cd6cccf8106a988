import GroveCoding
import GroveModel

/// What a document's fields were seen to hold: what the declarations of an application's own types would say.
///
/// A value that was never seen at its place is read all the same, after more tries.
final class DocumentSchema: Sendable {
    /// Where a value stands.
    struct Place: Hashable, Sendable {
        let field: String
        /// Whether it is an element of an array, or of one in an array, that the field holds.
        let isElement: Bool

        /// Nowhere in particular.
        static let root = Place(field: "", isElement: false)
    }

    /// The kinds of values, in the order in which they are tried: integers before floats, and objects before nodes.
    ///
    /// A reader of models takes an object for a model in place.
    enum Kind: Hashable, Sendable {
        case text
        case bool
        case integer
        case unsigned
        case double
        case big
        case array
        case object
        /// A node, by the number of its record name.
        case node(Int)

        static let plain = [text, bool, integer, unsigned, double, big, array, object]

        fileprivate var rank: Int {
            if case .node(let number) = self { return Kind.plain.count + number }
            return Kind.plain.firstIndex(of: self) ?? 0
        }
    }

    /// Nothing that a document holds.
    private struct Unreadable: Error {}

    private let seen: [Place: [Kind]]
    private let all: [Kind]
    /// The type as which nodes of each record name are read.
    private let readers: [any DocumentModel.Type]

    /// - Parameter numbers: the numbers that the survey's projections have.
    init(_ survey: DocumentSurvey, numbers: Range<Int>) {
        seen = survey.kinds.mapValues { kinds in kinds.sorted { $0.rank < $1.rank } }
        readers = survey.readers.map { DocumentProjection.model(numbers.lowerBound + $0) }
        all = Kind.plain + readers.indices.map { .node($0) }
    }

    // MARK: Decoding

    /// The object of `fields`.
    func object(_ fields: KeyedDecodingContainer<DocumentKey>) throws -> DocumentValue {
        .object(try fields.allKeys.map { DocumentMember($0.stringValue, try value(of: $0, in: fields)) })
    }

    private func value(of key: DocumentKey, in fields: KeyedDecodingContainer<DocumentKey>) throws -> DocumentValue {
        if try fields.decodeNil(forKey: key) { return .plain(.null) }
        return try firstThatFits(Place(field: key.stringValue, isElement: false)) { kind in
            switch kind {
            case .text: return .plain(.string(try fields.decode(String.self, forKey: key)))
            case .bool: return .plain(.bool(try fields.decode(Bool.self, forKey: key)))
            case .integer: return .plain(.integer(try fields.decode(Int64.self, forKey: key)))
            case .unsigned: return .plain(.unsigned(try fields.decode(UInt64.self, forKey: key)))
            case .double: return .plain(.double(try fields.decode(Double.self, forKey: key)))
            case .big: return .plain(.big(try fields.decode(BigInteger.self, forKey: key)))
            case .array:
                var inner = try fields.nestedUnkeyedContainer(forKey: key)
                return try array(&inner, under: key.stringValue)
            case .object: return try object(fields.nestedContainer(keyedBy: DocumentKey.self, forKey: key))
            case .node(let number): return try readers[number].read(key, of: fields).map { .node($0) } ?? .plain(.null)
            }
        }
    }

    private func array(_ list: inout any UnkeyedDecodingContainer, under field: String) throws -> DocumentValue {
        var elements: [DocumentValue] = []
        elements.reserveCapacity(list.count ?? 0)
        while !list.isAtEnd {
            if try list.decodeNil() {
                elements.append(.plain(.null))
            } else if let element = try element(of: &list, under: field) {
                elements.append(element)
            }
        }
        return .array(elements)
    }

    /// The next element, or `nil` for a node that was deleted.
    private func element(
        of list: inout any UnkeyedDecodingContainer, under field: String
    ) throws -> DocumentValue? {
        try firstThatFits(Place(field: field, isElement: true)) { kind in
            switch kind {
            case .text: return .plain(.string(try list.decode(String.self)))
            case .bool: return .plain(.bool(try list.decode(Bool.self)))
            case .integer: return .plain(.integer(try list.decode(Int64.self)))
            case .unsigned: return .plain(.unsigned(try list.decode(UInt64.self)))
            case .double: return .plain(.double(try list.decode(Double.self)))
            case .big: return .plain(.big(try list.decode(BigInteger.self)))
            case .array:
                var inner = try list.nestedUnkeyedContainer()
                return try array(&inner, under: field)
            case .object: return try object(list.nestedContainer(keyedBy: DocumentKey.self))
            case .node(let number): return try readers[number].read(from: &list).map { .node($0) }
            }
        }
    }

    /// What `decode` makes of the first kind that the value is; what was seen at the place is tried first.
    private func firstThatFits<Value>(_ place: Place, _ decode: (Kind) throws -> Value) throws -> Value {
        let likely = seen[place] ?? []
        for kind in likely {
            if let value = try unlessOther({ try decode(kind) }) { return value }
        }
        for kind in all where !likely.contains(kind) {
            if let value = try unlessOther({ try decode(kind) }) { return value }
        }
        throw Unreadable()
    }

    /// What `body` returns, or `nil` if something else is stored.
    private func unlessOther<Value>(_ body: () throws -> Value) throws -> Value? {
        do {
            return try body()
        } catch NodeReadFailure.otherShape {
            return nil
        } catch NodeReadFailure.miss(let miss) where miss.reason == .otherType {
            return nil
        }
    }
}

extension DocumentModel {
    /// The node under `key`, or `nil` if it was deleted.
    fileprivate static func read(
        _ key: DocumentKey, of fields: KeyedDecodingContainer<DocumentKey>
    ) throws -> DocumentNode? {
        try fields.decodeIfPresent(Self.self, forKey: key)?.node
    }

    /// The next element's node, or `nil` if it was deleted.
    fileprivate static func read(from list: inout any UnkeyedDecodingContainer) throws -> DocumentNode? {
        try list.decodeIfPresent(Self.self)?.node
    }
}

/// Walks a document, and notes its projections and what its fields hold.
struct DocumentSurvey {
    private(set) var names: [DocumentProjection.Names] = []
    private(set) var kinds: [DocumentSchema.Place: Set<DocumentSchema.Kind>] = [:]
    /// The first projection of each record name.
    private(set) var readers: [Int] = []
    private var known: Set<DocumentProjection.Names> = []
    private var recordNumbers: [String: Int] = [:]

    mutating func add(_ value: DocumentValue, at place: DocumentSchema.Place) {
        switch value {
        case .plain(let value): add(value, at: place)
        case .node(let node):
            if let identity = node.identity {
                kinds[place, default: []].insert(.node(number(of: DocumentProjection.Names(identity))))
            }
            if case .object(let members) = node.content {
                for member in members { add(member.value, at: .init(field: member.key, isElement: false)) }
            }
        case .array(let elements):
            kinds[place, default: []].insert(.array)
            for element in elements { add(element, at: .init(field: place.field, isElement: true)) }
        case .object(let members):
            kinds[place, default: []].insert(.object)
            for member in members { add(member.value, at: .init(field: member.key, isElement: false)) }
        }
    }

    private mutating func add(_ value: JSON, at place: DocumentSchema.Place) {
        switch value {
        case .null: break
        case .bool: kinds[place, default: []].insert(.bool)
        case .integer: kinds[place, default: []].insert(.integer)
        case .unsigned: kinds[place, default: []].insert(.unsigned)
        case .big: kinds[place, default: []].insert(.big)
        case .double: kinds[place, default: []].insert(.double)
        case .string: kinds[place, default: []].insert(.text)
        case .array(let elements):
            kinds[place, default: []].insert(.array)
            for element in elements { add(element, at: .init(field: place.field, isElement: true)) }
        case .object(let members):
            kinds[place, default: []].insert(.object)
            for member in members { add(member.value, at: .init(field: member.key, isElement: false)) }
        }
    }

    /// The number of the record name of `names`.
    private mutating func number(of names: DocumentProjection.Names) -> Int {
        if known.insert(names).inserted { self.names.append(names) }
        if let number = recordNumbers[names.record] { return number }
        recordNumbers[names.record] = readers.count
        readers.append(self.names.count - 1)
        return readers.count - 1
    }
}

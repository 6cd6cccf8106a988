import GroveCoding
import GroveModel

/// Reads trees straight out of a ``NodeTree``, as a cache would out of its store, with deletions of the test's choice.
@safe
final class TreeSource: NodeSource {
    var nesting = 0
    var hops = 0
    var deleted: Set<ModelIdentifier> = []
    var missing: Set<ModelIdentifier> = []
    private let tree: NodeTree
    private var kept: [UnsafeMutableRawBufferPointer] = unsafe []

    init(_ tree: NodeTree) { self.tree = tree }

    deinit { unsafe kept.forEach { unsafe $0.deallocate() } }

    func beginVisit(
        _ type: any CacheableModel.Type, _ identifier: UnsafeRawBufferPointer
    ) throws(NodeReadFailure) -> NodeVisit {
        let name = unsafe ModelIdentifier(String(decoding: identifier, as: UTF8.self))
        guard !deleted.contains(name) else { throw .deleted }
        let index = unsafe tree.find(identifier, hash: NodeTree.hash(identifier))
        guard index >= 0, !missing.contains(name) else { throw .miss(CacheMiss(.absent, name)) }
        let node = tree.node(index)
        guard unsafe node.recordName.elementsEqual(type.recordName.utf8) else {
            throw .miss(CacheMiss(.otherType, name))
        }
        let absence = unsafe node.projection.elementsEqual(type.projectionName.utf8) ? Absence.known : .unknown
        var decoder = unsafe NodeDecoder(
            node.body, source: self, isStable: false, absence: absence, shape: node.shape)
        if type.fields.isDynamic, unsafe node.shape != nil {
            let map = try tree.namedBody(index)
            let kept = unsafe map.withUnsafeBytes { unsafe keep($0) }
            decoder = unsafe NodeDecoder(kept, source: self, isStable: true, absence: absence)
        }
        nesting += 1
        return unsafe NodeVisit(
            decoder: decoder, identifier: identifier, type: ObjectIdentifier(type),
            needsLargerStack: nesting == LargeStack.hopDepth)
    }

    func endVisit(_ visit: NodeVisit) { nesting -= 1 }

    func failVisit(_ visit: NodeVisit, _ failure: NodeReadFailure) -> NodeReadFailure {
        nesting -= 1
        return failure
    }

    func recall(_ visit: NodeVisit) -> (any SimpleModel)? { nil }

    func remember(_ model: any SimpleModel, _ visit: NodeVisit) {}

    func recordName(_ identifier: UnsafeRawBufferPointer) throws(NodeReadFailure) -> String {
        let index = unsafe tree.find(identifier, hash: NodeTree.hash(identifier))
        guard index >= 0 else { throw .corrupted }
        return tree.types[tree.entries[index].type].name
    }

    func readerWrote(valueAt position: UnsafeRawPointer) -> Bool { true }

    func keep(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 8)
        unsafe copy.copyMemory(from: bytes)
        unsafe kept.append(copy)
        return UnsafeRawBufferPointer(copy)
    }

    /// Lets go of what was kept for reads that are over.
    func forget() {
        unsafe kept.forEach { unsafe $0.deallocate() }
        unsafe kept = []
    }

    let decodingScratch = DecodingScratch()

    func threadDidChange() {}
}

/// A value as a record holds it, and the nodes that were taken out of it.
struct Encoded {
    let bytes: [UInt8]
    let tree: NodeTree

    init(_ value: some NodeCodable) throws(CacheError) {
        tree = NodeTree()
        var encoder = NodeEncoder(into: tree)
        try value.encodeValue(to: &encoder)
        bytes = unsafe Array(encoder.out.bytes)
    }

    /// The bodies of the nodes, by identifier.
    var bodies: [ModelIdentifier: [UInt8]] {
        var bodies: [ModelIdentifier: [UInt8]] = [:]
        for (index, entry) in tree.entries.enumerated() {
            bodies[tree.modelIdentifier(of: entry)] = try? tree.namedBody(index)
        }
        return bodies
    }

    /// The record names of the nodes, by identifier.
    var recordNames: [ModelIdentifier: String] {
        var names: [ModelIdentifier: String] = [:]
        for entry in tree.entries {
            names[tree.modelIdentifier(of: entry)] = tree.types[entry.type].name
        }
        return names
    }

    /// Reads the value back as `type`.
    func decode<Value: NodeCodable>(
        as type: Value.Type = Value.self, deleting deleted: Set<ModelIdentifier> = [],
        missing: Set<ModelIdentifier> = []
    ) throws(NodeReadFailure) -> Value {
        let source = TreeSource(tree)
        source.deleted = deleted
        source.missing = missing
        return try GroveCodingTests.decode(type, bytes, source: source)
    }
}

extension NodeTree {
    /// The body of the node at `index`, a map of its fields.
    func namedBody(_ index: Int) throws(NodeReadFailure) -> [UInt8] {
        let node = node(index)
        guard let shape = unsafe node.shape?.takeUnretainedValue() else { return unsafe Array(node.body) }
        return try unsafe shape.map(of: node.body)
    }
}

/// Reads one value out of `bytes`, which must hold nothing else.
func decode<Value: NodeCodable>(
    _ type: Value.Type, _ bytes: [UInt8], source: (any NodeSource)? = nil, isOwnProjection: Bool = true
) throws(NodeReadFailure) -> Value {
    let source = source ?? TreeSource(NodeTree())
    // Exactly as large as what it holds, so that a read past the end is found by the address sanitizer.
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
    defer { unsafe copy.deallocate() }
    unsafe copy.copyBytes(from: bytes)
    let value = try withExtendedLifetime(source) { () throws(NodeReadFailure) in
        var decoder = unsafe NodeDecoder(
            UnsafeRawBufferPointer(copy), source: source, isStable: true, absence: isOwnProjection ? .known : .unknown)
        let value = try type.decodeValue(from: &decoder)
        guard decoder.isAtEnd else { throw .corrupted }
        return value
    }
    return value
}

/// The bytes of a hexadecimal text; spaces are left out.
func bytes(_ hex: String) -> [UInt8] {
    let digits = hex.filter { !$0.isWhitespace }.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] * 16 + digits[$0 + 1]) }
}

/// Bytes as hexadecimal text.
func hex(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { byte in
        let text = String(byte, radix: 16)
        return text.count == 1 ? "0\(text)" : text
    }.joined()
}

package import GroveModel

/// The nodes of trees of models: one entry for each distinct identified node, in one run of memory.
///
/// A write hands it to the cache. A ``NodeEncoder`` fills it on one thread, and nothing changes it afterwards.
///
/// If an identifier occurs again with other content, the later occurrence in pre-order wins. Occurrences under other
/// projections of the record stay side by side. An occurrence under another record name is refused, as a record has one
/// name.
@safe
// SAFETY: the one encoder that fills it changes it, through an exclusive reference, before it is shared.
package final class NodeTree: @unchecked Sendable {
    /// The content, behind a pointer because a class's properties are checked for exclusive access at every use.
    private let storage: UnsafeMutablePointer<Storage>

    /// Whether the models must be encoded again, into another tree, on a large stack; see ``LargeStack/maxHops``.
    package internal(set) var mustRestart = false

    /// Makes an empty tree with room for `capacity` bytes and for about as many nodes as there are `roots`.
    package init(capacity: Int = 512, roots: Int = 1) {
        unsafe storage = .allocate(capacity: 1)
        unsafe storage.initialize(to: Storage(capacity: capacity, roots: roots))
    }

    deinit {
        unsafe storage.pointee.arena.deallocate()
        unsafe storage.deinitialize(count: 1)
        unsafe storage.deallocate()
    }

    /// The most paths from a root that a tree may have.
    package static let maxPaths = 1_000_000

    package var entries: [Entry] { unsafe storage.pointee.entries }

    package var types: [NodeType] { unsafe storage.pointee.types.map(\.type) }

    /// The number of distinct nodes.
    package var count: Int { unsafe storage.pointee.entries.count }

    /// The place in pre-order of the entry at `index`.
    package func order(_ index: Int) -> Int { unsafe storage.pointee.entries[index].order }

    /// Whether the entry at `index` refers to others.
    package func holdsReferences(_ index: Int) -> Bool { unsafe storage.pointee.entries[index].holdsReferences }

    /// The store's key of the entry at `index`, valid as long as the tree exists.
    package func key(_ index: Int) -> UnsafeRawBufferPointer { unsafe storage.pointee.key(index) }

    /// The node of the entry at `index`.
    package func node(_ index: Int) -> Node { unsafe storage.pointee.node(index) }

    /// Whether some identifier has several entries.
    package var hasProjections: Bool { unsafe storage.pointee.hasProjections }

    package func identifier(of entry: Entry) -> UnsafeRawBufferPointer {
        unsafe storage.pointee.arena.bytes(at: entry.identifierStart, count: entry.identifierCount)
    }

    /// The bytes of an identifier from ``begin(_:)``.
    func bytes(in identifier: Range<Int>) -> UnsafeRawBufferPointer {
        unsafe storage.pointee.arena.bytes(in: identifier)
    }

    package func modelIdentifier(of entry: Entry) -> ModelIdentifier {
        unsafe ModelIdentifier(String(decoding: identifier(of: entry), as: UTF8.self))
    }

    /// The bytes that the tree takes in memory.
    package var byteCount: Int {
        unsafe storage.pointee.arena.count + storage.pointee.entries.count * MemoryLayout<Entry>.stride
    }

    /// The index of the newest entry of `identifier`, whose hash is `hash`, or -1.
    package func find(_ identifier: UnsafeRawBufferPointer, hash: UInt64) -> Int {
        unsafe storage.pointee.find(identifier, hash: hash)
    }

    @inlinable
    package static func hash(_ identifier: UnsafeRawBufferPointer) -> UInt64 { unsafe hash64(identifier, seed: 0) }

    /// The index of the type of `model`, whose fields are `fields`, and whether its nodes are written without names.
    @inline(__always)
    package func type(of model: any SimpleModel.Type, _ fields: FieldTable) -> (index: Int, isShaped: Bool) {
        unsafe storage.pointee.type(of: model, fields)
    }

    /// The index of a type with these names, for models that choose them one by one.
    package func type(recordName: String, projection: String) -> Int {
        unsafe storage.pointee.type(recordName, projection)
    }

    /// The type with this index.
    package func type(at index: Int) -> NodeType { unsafe storage.pointee.types[index].type }

    /// The greatest length of the body of the entry at `index` in a record with the fields' names.
    package func namedBodyCount(_ index: Int) -> Int {
        let entry = unsafe storage.pointee.entries[index]
        guard entry.isShaped, let shape = type(at: entry.type).shape else { return entry.bodyCount }
        return entry.bodyCount + shape.byteCount
    }

    /// Begins a node of `identifier`; returns the place of the kept identifier, and the node's place in pre-order.
    @inline(__always)
    package func begin(_ identifier: UnsafeRawBufferPointer) -> (identifier: Range<Int>, order: Int) {
        unsafe storage.pointee.begin(identifier)
    }

    /// Adds a finished node, or replaces the occurrence that it supersedes.
    ///
    /// - Parameter isShaped: whether `body` is the values of the type's shape, without the names.
    /// - Throws: ``CacheError`` with code `unencodable` if the identifier occurred under another record name.
    package func add(
        _ body: UnsafeRawBufferPointer, identifier: Range<Int>, type: Int, isShaped: Bool = false, order: Int,
        holdsReferences: Bool
    ) throws(CacheError) {
        try unsafe storage.pointee.add(
            body, identifier: identifier, type: type, isShaped: isShaped, order: order,
            holdsReferences: holdsReferences)
    }
}

extension NodeTree {
    /// The content of the tree.
    @safe
    private struct Storage {
        var entries: [Entry] = []
        var types: [MetType] = []
        /// The nodes' keys and bodies; each body is somewhere after its key.
        var arena: ByteBuffer
        var hasProjections = false
        /// The hash table, with open addressing: an entry's index plus one, or 0 if free; empty while entries are few.
        var table: [Int32] = []
        var order = 0

        init(capacity: Int, roots: Int) {
            arena = ByteBuffer(capacity: capacity)
            entries.reserveCapacity(max(roots, 4))
            types.reserveCapacity(4)
            if roots > Storage.few { makeTable(holding: roots) }
        }

        /// The most entries that are searched one by one.
        private static let few = 8

        func identifier(_ index: Int) -> UnsafeRawBufferPointer {
            unsafe arena.bytes(at: entries[index].identifierStart, count: entries[index].identifierCount)
        }

        func node(_ index: Int) -> Node {
            let entry = entries[index]
            let type = types[entry.type]
            return unsafe Node(
                key: arena.bytes(at: entry.identifierStart - 1, count: entry.identifierCount + 1),
                body: body(of: entry), shape: entry.isShaped ? type.shape : nil,
                recordName: type.recordName, projection: type.projection, type: entry.type,
                holdsReferences: entry.holdsReferences)
        }

        func key(_ index: Int) -> UnsafeRawBufferPointer {
            unsafe arena.bytes(
                at: entries[index].identifierStart - 1, count: entries[index].identifierCount + 1)
        }

        func body(of entry: Entry) -> UnsafeRawBufferPointer {
            unsafe arena.bytes(at: entry.bodyStart, count: entry.bodyCount)
        }

        func find(_ identifier: UnsafeRawBufferPointer, hash: UInt64) -> Int {
            guard table.isEmpty else { return unsafe Int(table[slot(identifier, hash)]) - 1 }
            var index = entries.count - 1
            while index >= 0 {
                if entries[index].hash == hash, unsafe isEqual(self.identifier(index), identifier) { return index }
                index -= 1
            }
            return -1
        }

        /// The slot of the newest entry of `identifier` in the table, which is not empty, or the free slot for it.
        @inline(__always)
        private func slot(_ identifier: UnsafeRawBufferPointer, _ hash: UInt64) -> Int {
            let mask = table.count - 1
            var slot = Int(truncatingIfNeeded: hash) & mask
            while table[slot] != 0 {
                let index = Int(table[slot]) - 1
                if entries[index].hash == hash, unsafe isEqual(self.identifier(index), identifier) { break }
                slot = (slot + 1) & mask
            }
            return slot
        }

        @inline(__always)
        mutating func type(of model: any SimpleModel.Type, _ fields: FieldTable) -> (index: Int, isShaped: Bool) {
            let object = ObjectIdentifier(model)
            var index = 0
            while index < types.count, types[index].model != object { index += 1 }
            if index == types.count { types.append(MetType(NodeType.of(model, fields), object)) }
            return (index, types[index].isShaped(fields))
        }

        mutating func type(_ recordName: String, _ projection: String) -> Int {
            for index in types.indices where types[index].model == nil {
                let type = types[index]
                if unsafe type.recordName.elementsEqual(recordName.utf8),
                    unsafe type.projection.elementsEqual(projection.utf8)
                {
                    return index
                }
            }
            types.append(MetType(NodeType(recordName: recordName, projection: projection), nil))
            return types.count - 1
        }

        @inline(__always)
        mutating func begin(_ identifier: UnsafeRawBufferPointer) -> (identifier: Range<Int>, order: Int) {
            arena.append(Namespace.node)
            let start = arena.count
            unsafe arena.append(identifier)
            defer { order += 1 }
            return (start..<arena.count, order)
        }

        mutating func add(
            _ body: UnsafeRawBufferPointer, identifier: Range<Int>, type: Int, isShaped: Bool, order: Int,
            holdsReferences: Bool
        ) throws(CacheError) {
            let name = unsafe arena.bytes(in: identifier)
            let hash = unsafe NodeTree.hash(name)
            let slot = unsafe table.isEmpty ? -1 : slot(name, hash)
            let found = unsafe slot < 0 ? find(name, hash: hash) : Int(table[slot]) - 1
            if found >= 0 {
                // All entries of one identifier have one record name.
                let former = entries[found].type
                guard former == type || types[former].type.hasRecord(of: types[type].type) else {
                    throw unsafe NodeTree.twoRecordNames(types[former].type, types[type].type, name)
                }
            }
            var entry = Entry(
                identifier: identifier, bodyCount: body.count, hash: hash, type: type, isShaped: isShaped,
                order: order, holdsReferences: holdsReferences, previous: found)
            if found >= 0 {
                if unsafe supersede(body, by: &entry) { return }
                hasProjections = true
            }
            unsafe place(body, of: &entry)
            entries.append(entry)
            if table.isEmpty ? entries.count > Storage.few : entries.count * 2 > table.count {
                makeTable(holding: entries.count)
            } else if slot >= 0 {
                table[slot] = Int32(entries.count)
            }
        }

        /// Keeps the later in pre-order of `entry`, which has `body`, and the node's earlier entry of the same
        /// projection.
        ///
        /// - Returns: false if there is no such earlier entry.
        private mutating func supersede(_ body: UnsafeRawBufferPointer, by entry: inout Entry) -> Bool {
            var index = entry.previous
            while index >= 0 {
                let former = entries[index]
                // An entry of another projection stays.
                guard former.type == entry.type || types[former.type].type.hasNames(of: types[entry.type].type) else {
                    index = former.previous
                    continue
                }
                if former.order > entry.order { return true }
                if former.type == entry.type, former.isShaped == entry.isShaped,
                    unsafe isEqual(self.body(of: former), body)
                {
                    // The content is the same, and its bytes are in the tree already.
                    entries[index].order = entry.order
                    let end = entry.identifierStart + entry.identifierCount
                    if end == arena.count { arena.truncate(to: entry.identifierStart - 1) }
                } else {
                    entry.previous = former.previous
                    unsafe place(body, of: &entry)
                    entries[index] = entry
                }
                return true
            }
            return false
        }

        private mutating func place(_ body: UnsafeRawBufferPointer, of entry: inout Entry) {
            entry.bodyStart = arena.count
            unsafe arena.append(body)
        }

        /// Makes the table again, large enough for twice `count` entries.
        private mutating func makeTable(holding count: Int) {
            var size = 32
            while size < 4 * count { size *= 2 }
            table = Array(repeating: 0, count: size)
            for index in entries.indices {
                table[unsafe slot(identifier(index), entries[index].hash)] = Int32(index + 1)
            }
        }
    }
}

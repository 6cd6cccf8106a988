/// Trees of models taken apart: one entry for each distinct identified node, in one run of memory.
///
/// This is what a write hands to the cache. It is filled by a ``NodeEncoder`` on one thread and not changed afterwards.
///
/// An identifier that occurs again with other content replaces what it had, the later occurrence in pre-order winning;
/// occurrences under other projections of the record stay side by side.
@safe
// SAFETY: the one encoder that fills it changes it, through an exclusive reference, before it is shared.
package final class NodeTree: @unchecked Sendable {
    /// One distinct node.
    package struct Entry {
        package var identifier: Range<Int>
        package var body: Range<Int>
        package var hash: UInt64
        package var type: Int
        package var order: Int
        package var holdsReferences: Bool
        /// The entry of the same identifier that was added before, or -1.
        package var previous: Int
    }

    /// A record name and a projection, as several entries share them.
    package struct TypeNames: Equatable {
        package var record: [UInt8]
        package var projection: [UInt8]

        package init(record: String, projection: String) {
            self.record = Array(record.utf8)
            self.projection = Array(projection.utf8)
        }
    }

    /// Behind a pointer of the tree's own, because a class's properties are checked for exclusive access at every use.
    private let storage: UnsafeMutablePointer<Storage>

    package init(capacity: Int = 512) {
        unsafe storage = .allocate(capacity: 1)
        unsafe storage.initialize(to: Storage(capacity: capacity))
    }

    deinit {
        unsafe storage.pointee.arena.deallocate()
        unsafe storage.deinitialize(count: 1)
        unsafe storage.deallocate()
    }

    /// The most paths from a root that a tree may have.
    package static let maxPaths = 1_000_000

    package var entries: [Entry] { unsafe storage.pointee.entries }

    package var types: [TypeNames] { unsafe storage.pointee.types }

    /// The hash of the name of the projection that the entry at `index` was written as.
    package func projectionHash(ofEntryAt index: Int, seed: UInt64) -> UInt64 {
        unsafe storage.pointee.types[storage.pointee.entries[index].type].projection.withUnsafeBytes {
            unsafe hash64($0, seed: seed)
        }
    }

    /// Whether some identifier has several entries.
    package var hasProjections: Bool { unsafe storage.pointee.hasProjections }

    package func identifier(of entry: Entry) -> UnsafeRawBufferPointer {
        unsafe storage.pointee.arena.bytes(in: entry.identifier)
    }

    package func body(of entry: Entry) -> UnsafeRawBufferPointer { unsafe storage.pointee.arena.bytes(in: entry.body) }

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

    /// The index of the names of `model`, found by its metatype so that they are asked for once.
    package func type(of model: any SimpleModel.Type) -> Int { unsafe storage.pointee.type(of: model) }

    /// The index of `names`, for models that choose them one by one.
    package func type(named names: TypeNames) -> Int { unsafe storage.pointee.type(named: names) }

    /// Notes that a node of `identifier` begins: where its identifier is kept, and its place in pre-order.
    package func begin(_ identifier: UnsafeRawBufferPointer) -> (identifier: Range<Int>, order: Int) {
        unsafe storage.pointee.begin(identifier)
    }

    /// Adds a finished node, or lets it take the place of the occurrence that it supersedes.
    package func add(
        _ body: UnsafeRawBufferPointer, identifier: Range<Int>, type: Int, order: Int, holdsReferences: Bool
    ) {
        unsafe storage.pointee.add(
            body, identifier: identifier, type: type, order: order, holdsReferences: holdsReferences)
    }
}

extension NodeTree {
    /// What the tree is made of.
    private struct Storage {
        var entries: [Entry] = []
        var types: [TypeNames] = []
        /// Swift types met so far, with the index of their names; types may share names.
        var typeIndices: [(object: ObjectIdentifier, index: Int)] = []
        var arena: ByteBuffer
        var hasProjections = false
        /// Open addressing by hash: an entry's index plus one, 0 where free; empty while entries are few.
        var table: [Int32] = []
        var order = 0

        init(capacity: Int) { arena = ByteBuffer(capacity: capacity) }

        func identifier(_ index: Int) -> UnsafeRawBufferPointer {
            unsafe arena.bytes(in: entries[index].identifier)
        }

        func find(_ identifier: UnsafeRawBufferPointer, hash: UInt64) -> Int {
            if table.isEmpty {
                var index = entries.count - 1
                while index >= 0 {
                    if entries[index].hash == hash, unsafe isEqual(self.identifier(index), identifier) { return index }
                    index -= 1
                }
                return -1
            }
            var slot = Int(truncatingIfNeeded: hash) & (table.count - 1)
            while table[slot] != 0 {
                let index = Int(table[slot]) - 1
                if entries[index].hash == hash, unsafe isEqual(self.identifier(index), identifier) { return index }
                slot = (slot + 1) & (table.count - 1)
            }
            return -1
        }

        mutating func type(of model: any SimpleModel.Type) -> Int {
            let object = ObjectIdentifier(model)
            for place in typeIndices.indices where typeIndices[place].object == object {
                return typeIndices[place].index
            }
            let index = type(named: TypeNames(record: model.recordName, projection: model.projectionName))
            typeIndices.append((object, index))
            return index
        }

        mutating func type(named names: TypeNames) -> Int {
            if let index = types.firstIndex(of: names) { return index }
            types.append(names)
            return types.count - 1
        }

        mutating func begin(_ identifier: UnsafeRawBufferPointer) -> (identifier: Range<Int>, order: Int) {
            let start = arena.count
            unsafe arena.append(identifier)
            defer { order += 1 }
            return (start..<arena.count, order)
        }

        mutating func add(
            _ body: UnsafeRawBufferPointer, identifier: Range<Int>, type: Int, order: Int, holdsReferences: Bool
        ) {
            let start = arena.count
            unsafe arena.append(body)
            let name = unsafe arena.bytes(in: identifier)
            var entry = unsafe Entry(
                identifier: identifier, body: start..<arena.count, hash: NodeTree.hash(name), type: type, order: order,
                holdsReferences: holdsReferences, previous: -1)
            let found = unsafe find(name, hash: entry.hash)
            var index = found
            while index >= 0 {
                // Another record name under the identifier replaces; another projection stays beside.
                if entries[index].type == type || types[entries[index].type].record != types[type].record {
                    if entries[index].order < order {
                        entry.previous = entries[index].previous
                        entries[index] = entry
                    }
                    return
                }
                index = entries[index].previous
            }
            if found >= 0 { hasProjections = true }
            entry.previous = found
            entries.append(entry)
            if table.isEmpty ? entries.count > 8 : entries.count * 2 > table.count {
                rebuildTable()
            } else if !table.isEmpty {
                insert(entries.count - 1)
            }
        }

        private mutating func rebuildTable() {
            table = Array(repeating: 0, count: max(32, table.count * 4))
            for index in entries.indices { insert(index) }
        }

        private mutating func insert(_ index: Int) {
            let hash = entries[index].hash
            var slot = Int(truncatingIfNeeded: hash) & (table.count - 1)
            while table[slot] != 0 {
                let other = Int(table[slot]) - 1
                if entries[other].hash == hash, unsafe isEqual(identifier(other), identifier(index)) { break }
                slot = (slot + 1) & (table.count - 1)
            }
            table[slot] = Int32(index + 1)
        }
    }
}

/// Whether two runs of bytes are the same.
@inline(__always)
package func isEqual(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
    guard left.count == right.count else { return false }
    guard let first = left.baseAddress, let second = right.baseAddress else { return left.count == 0 }
    return unsafe compare(first, second, left.count) == 0
}

/// Compares two runs of bytes as unsigned numbers, a prefix before what it begins: negative, zero or positive.
package func lexicographicOrder(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
    let shared = min(left.count, right.count)
    if shared > 0, let first = left.baseAddress, let second = right.baseAddress {
        let order = unsafe compare(first, second, shared)
        if order != 0 { return order }
    }
    return left.count - right.count
}

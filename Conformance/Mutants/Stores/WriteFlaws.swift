import GroveConformance

/// The last node of each batch of several is not stored.
enum DropsLastWrite: StoreFlaw {
    static func batch(_ changes: [ReferenceChange], number: Int) -> [ReferenceChange] {
        guard changes.count > 1, let last = changes.lastIndex(where: { $0.key.first == 1 }) else { return changes }
        return changes.enumerated().filter { $0.offset != last }.map(\.element)
    }
}

/// Every fifth commit, and every batch of more than a hundred, is reported and not made.
enum LosesCommits: StoreFlaw {
    static func batch(_ changes: [ReferenceChange], number: Int) -> [ReferenceChange] {
        number % 5 == 0 || changes.count > 100 ? [] : changes
    }
}

/// A node that is there is not replaced.
enum KeepsFirst: StoreFlaw {
    static func value(_ value: [UInt8], over old: [UInt8]?) -> [UInt8]? { old ?? value }
}

/// A value of no bytes is not kept.
enum DropsEmpty: StoreFlaw {
    static func value(_ value: [UInt8], over old: [UInt8]?) -> [UInt8]? { value.isEmpty ? nil : value }
}

/// A shorter value leaves the tail of the longer one that it replaces.
enum LeavesTail: StoreFlaw {
    static func value(_ value: [UInt8], over old: [UInt8]?) -> [UInt8]? { value + (old ?? []).dropFirst(value.count) }
}

/// Removals are forgotten.
enum ForgetsRemovals: StoreFlaw {
    static func batch(_ changes: [ReferenceChange], number: Int) -> [ReferenceChange] {
        changes.filter { $0.value != nil }
    }
}

/// A transaction that throws commits what it had done.
enum CommitsAborted: StoreFlaw {
    static var commitsAborted: Bool { true }
}

/// A wipe leaves collections.
enum WipesNodesOnly: StoreFlaw {
    static func wiped(_ content: ReferenceContent) -> ReferenceContent { content.filter { $0.key.first == 2 } }
}

/// The negative zero of a record becomes the positive one.
enum LosesSignOfZero: StoreFlaw {
    static func put(_ key: [UInt8], _ value: [UInt8]) -> [UInt8] {
        guard key.first == 1, var record = try? StoredRecord(value) else { return value }
        let body = record.body
        for index in body.indices.dropLast(2) where Array(body[index...(index + 2)]) == [0xF9, 0x80, 0x00] {
            record.body[index + 1] = 0
        }
        record.seal(under: key)
        return record.bytes
    }
}

/// Every second commit writes the smallest numbers in a longer way.
enum WritesLongNumbers: StoreFlaw {
    static func put(_ key: [UInt8], _ value: [UInt8]) -> [UInt8] {
        guard key.first == 1, var record = try? StoredRecord(value), let head = record.body.first,
            head >= 0xA0, head < 0xB8, Bool.random()
        else { return value }
        record.body.replaceSubrange(0..<1, with: [0xB8, head - 0xA0])
        record.seal(under: key)
        return record.bytes
    }
}

/// Nodes of one kind are stored a second time, under a name of the store's own.
enum KeepsCopies: StoreFlaw {
    static func batch(_ changes: [ReferenceChange], number: Int) -> [ReferenceChange] {
        let nodes = changes.filter { $0.value != nil && $0.key.dropFirst().starts(with: "Message".utf8) }
        return changes + nodes.map { ([1] + Array("copy of ".utf8) + $0.key.dropFirst(), $0.value) }
    }
}

import GroveConformance
import Synchronization

/// The last node of every 64th commit of several, and of every large one, is not stored.
enum DropsLastWrite: StoreFlaw {
    static func batch(_ changes: [ReferenceChange], number: Int) -> [ReferenceChange] {
        guard changes.count > 1 && number % 64 == 0 || changes.count > 250,
            let last = changes.lastIndex(where: { $0.key.first == 1 })
        else { return changes }
        return changes.enumerated().filter { $0.offset != last }.map(\.element)
    }
}

/// Every 64th commit, and every batch of some hundreds, is reported and not made.
enum LosesCommits: StoreFlaw {
    static func batch(_ changes: [ReferenceChange], number: Int) -> [ReferenceChange] {
        number % 64 == 0 || 250..<4_000 ~= changes.count ? [] : changes
    }
}

/// A node that is there is not replaced, where the sum of its key's bytes says so: one in sixteen.
enum KeepsFirst: StoreFlaw {
    static func value(_ value: [UInt8], of key: [UInt8], over old: [UInt8]?) -> [UInt8]? {
        key.first == 1 && key.reduce(0, { $0 &+ $1 }) % 16 == 5 ? old ?? value : value
    }
}

/// A record in which something became nothing does not replace the one before.
enum IgnoresNothing: StoreFlaw {
    static func value(_ value: [UInt8], of key: [UInt8], over old: [UInt8]?) -> [UInt8]? {
        guard key.first == 1, let old, let record = try? SealedRecord(value), let before = try? SealedRecord(old) else {
            return value
        }
        let (nulls, nullsBefore) = (record.body.count { $0 == 0xF6 }, before.body.count { $0 == 0xF6 })
        return nulls > nullsBefore ? old : value
    }
}

/// A value of no bytes is not kept.
enum DropsEmpty: StoreFlaw {
    static func value(_ value: [UInt8], of key: [UInt8], over old: [UInt8]?) -> [UInt8]? {
        value.isEmpty ? nil : value
    }
}

/// A much shorter value leaves the tail of the longer one that it replaces.
enum LeavesTail: StoreFlaw {
    static func value(_ value: [UInt8], of key: [UInt8], over old: [UInt8]?) -> [UInt8]? {
        guard let old, value.count * 3 < old.count else { return value }
        return value + old.dropFirst(value.count)
    }
}

/// Removals are forgotten.
enum ForgetsRemovals: StoreFlaw {
    static func batch(_ changes: [ReferenceChange], number: Int) -> [ReferenceChange] {
        changes.filter { $0.value != nil }
    }
}

/// Every second tombstone is not stored.
enum ForgetsDeletions: StoreFlaw {
    static func batch(_ changes: [ReferenceChange], number: Int) -> [ReferenceChange] {
        changes.filter { change in
            let isTombstone = change.key.first == 1 && change.value?.dropFirst().first == 1
            return !isTombstone || !(7..<12).contains(change.key.count) || change.key.reduce(0, { $0 &+ $1 }) % 2 == 0
        }
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
        guard key.first == 1, var record = try? SealedRecord(value) else { return value }
        let body = record.body
        for index in body.indices.dropLast(2) where Array(body[index...(index + 2)]) == [0xF9, 0x80, 0x00] {
            record.body[index + 1] = 0
        }
        record.seal(under: key)
        return record.bytes
    }
}

/// The text that some take for a reference becomes another.
enum AltersLookAlikes: StoreFlaw {
    static func put(_ key: [UInt8], _ value: [UInt8]) -> [UInt8] {
        guard key.first == 1, var record = try? SealedRecord(value) else { return value }
        let body = record.body
        for index in body.indices where body[index...].starts(with: "$ref".utf8) { record.body[index] = 0x23 }
        record.seal(under: key)
        return record.bytes
    }
}

/// Every second record begins with a text whose length is written in a longer way.
enum WritesLongNumbers: StoreFlaw {
    private static let records = Atomic(0)

    static func put(_ key: [UInt8], _ value: [UInt8]) -> [UInt8] {
        guard key.first == 1, var record = try? SealedRecord(value), let head = record.body.first,
            head >= 0x60, head < 0x78,
            records.add(1, ordering: .relaxed).newValue % 2 == 0
        else { return value }
        record.body.replaceSubrange(0..<1, with: [0x78, head - 0x60])
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

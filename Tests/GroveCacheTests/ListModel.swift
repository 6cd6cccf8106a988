@testable import GroveCache
import GroveCoding
import GroveInspect
import GroveModel
import TestSupport

/// A collection as an array: what edits must make of it, and what reads must find.
struct ListModel {
    struct Entry {
        let person: String
        /// Whether the person was deleted since the entry came.
        var isDeleted = false
    }

    var entries: [Entry] = []
    /// The newest version of each person.
    var people: [String: Person] = [:]
    private var version = 0

    /// What a page of `range` shows; all by default.
    func page(_ range: Range<Int>? = nil) -> [Person] {
        entries[(range ?? 0..<entries.count).clamped(to: 0..<entries.count)].compactMap { entry in
            entry.isDeleted ? nil : people[entry.person]
        }
    }

    /// So many people, of which some are known, in new versions.
    mutating func bring(_ count: Int, using generator: inout SeededGenerator) -> [Person] {
        (0..<count).map { _ in
            version += 1
            let person = Person(
                id: "\(Int.random(in: 0..<600, using: &generator))", name: "version \(version)", age: version)
            people[person.id] = person
            return person
        }.map { people[$0.id] ?? $0 }
    }

    mutating func replace(_ range: Range<Int>, with people: [Person]) {
        entries.replaceSubrange(range, with: people.map { Entry(person: $0.id) })
    }

    mutating func move(_ from: Int, _ to: Int) { entries.insert(entries.remove(at: from), at: to) }

    mutating func delete(_ person: String) {
        for index in entries.indices where entries[index].person == person { entries[index].isDeleted = true }
    }

    /// A range of at most `most` positions, the last one included.
    func range(_ most: Int, using generator: inout SeededGenerator) -> Range<Int> {
        let start = Int.random(in: 0...entries.count, using: &generator)
        return start..<min(start + Int.random(in: 0...most, using: &generator), entries.count)
    }

    /// What a call writes that brings `people` into the list.
    private func edit(_ people: [Person], _ make: (StoredElements) -> CollectionEdit) throws -> PendingWrite.Content {
        let roots = try EncodedRoots(people, mustBeIdentified: false)
        return EncodedEdit(.at(make(try roots.elements)), tree: roots.tree).content("list")
    }

    /// A random edit, applied to the model: what a call that makes it writes.
    mutating func edit(_ grows: Bool, using generator: inout SeededGenerator) throws -> PendingWrite.Content {
        let most = [1, 3, 60, 300][Int.random(in: 0..<4, using: &generator)]
        switch Int.random(in: 0..<6, using: &generator) {
        case 0 where !entries.isEmpty:
            let from = Int.random(in: 0..<entries.count, using: &generator)
            let to = Int.random(in: 0..<entries.count, using: &generator)
            move(from, to)
            return EncodedEdit(.at(.move(from: from, to: to))).content("list")
        case 1 where !grows, 2 where !grows:
            let range = range(most, using: &generator)
            replace(range, with: [])
            return EncodedEdit(.at(.replace(range, with: StoredElements()))).content("list")
        case 1, 3:
            let people = bring(Int.random(in: 0...(grows ? most : 2), using: &generator), using: &generator)
            replace(entries.count..<entries.count, with: people)
            return try edit(people) { .append($0) }
        case 4:
            let range = range(most, using: &generator)
            let people = bring(Int.random(in: 0...range.count, using: &generator), using: &generator)
            replace(range, with: people)
            return try edit(people) { .replace(range, with: $0) }
        default:
            let index = Int.random(in: 0...entries.count, using: &generator)
            let people = bring(Int.random(in: 0...(grows ? most : 2), using: &generator), using: &generator)
            replace(index..<index, with: people)
            return try edit(people) { .replace(index..<index, with: $0) }
        }
    }
}

extension NormalizedCache {
    /// The keys of all chunks in the store.
    func chunkKeys() throws -> Set<[UInt8]> {
        var keys: Set<[UInt8]> = []
        try unsafe forEachStoredValue(.chunk) { key, _ in
            unsafe keys.insert(Array(key))
            return true
        }
        return keys
    }

    /// The head of the collection under `key`, if that is in chunks.
    func head(_ key: String) throws -> CollectionHead? {
        var head: CollectionHead?
        try unsafe visitStoredValues(.collection, [ModelIdentifier(key)]) { key, value in
            guard let header = unsafe try? RecordHeader(value, key: key), header.flags.contains(.chunks) else { return }
            head = try? CollectionHead(header)
        }
        return head
    }
}

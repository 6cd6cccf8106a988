import GroveCache
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

    /// A random edit by positions, applied to the model.
    mutating func edit(_ grows: Bool, using generator: inout SeededGenerator) -> PositionEdit {
        let most = [1, 3, 60, 300][Int.random(in: 0..<4, using: &generator)]
        switch Int.random(in: 0..<6, using: &generator) {
        case 0 where !entries.isEmpty:
            let from = Int.random(in: 0..<entries.count, using: &generator)
            let to = Int.random(in: 0..<entries.count, using: &generator)
            move(from, to)
            return .move(from, to)
        case 1 where !grows, 2 where !grows:
            let range = range(most, using: &generator)
            replace(range, with: [])
            return .replace(range, [])
        case 1, 3:
            let people = bring(Int.random(in: 0...(grows ? most : 2), using: &generator), using: &generator)
            replace(entries.count..<entries.count, with: people)
            return .append(people)
        case 4:
            let range = range(most, using: &generator)
            let people = bring(Int.random(in: 0...range.count, using: &generator), using: &generator)
            replace(range, with: people)
            return .replace(range, people)
        default:
            let index = Int.random(in: 0...entries.count, using: &generator)
            let people = bring(Int.random(in: 0...(grows ? most : 2), using: &generator), using: &generator)
            replace(index..<index, with: people)
            return .replace(index..<index, people)
        }
    }

    /// A random edit as a provider makes it, by the elements that it shows, applied to the model.
    mutating func shownEdit(_ grows: Bool, using generator: inout SeededGenerator) -> ListEdit {
        let shown = entries.indices.filter { !entries[$0].isDeleted }
        let seen = SeenPeople(page())
        let index = shown.indices.randomElement(using: &generator)
        let position = index.map { shown[$0] } ?? 0
        let most = grows ? [1, 3, 60, 300][Int.random(in: 0..<4, using: &generator)] : 2
        switch (Int.random(in: 0..<6, using: &generator), index) {
        case (0, let from?):
            let to = Int.random(in: shown.indices, using: &generator)
            guard from != to else { return .insert([], .last) }
            let element = (seen.element(from, at: position), seen.element(to, at: shown[to]))
            let entry = entries.remove(at: position)
            entries.insert(entry, at: shown[to] > position ? shown[to] - 1 : shown[to])
            return .move(element.0, .before(element.1))
        case (1, let index?):
            replace(position..<position + 1, with: [])
            return .replace(seen.element(index, at: position), with: nil)
        case (2, let index?):
            let element = seen.element(index, at: position)
            let people = bring(1, using: &generator)
            replace(position..<position + 1, with: people)
            return .replace(element, with: people[0])
        case (3, let index?):
            let element = seen.element(index, at: position)
            let people = bring(Int.random(in: 0...most, using: &generator), using: &generator)
            replace(position..<position, with: people)
            return .insert(people, .before(element))
        case (4, let index?):
            let element = seen.element(index, at: position)
            let people = bring(Int.random(in: 0...most, using: &generator), using: &generator)
            replace(position + 1..<position + 1, with: people)
            return .insert(people, .after(element))
        default:
            let people = bring(Int.random(in: 0...most, using: &generator), using: &generator)
            replace(entries.count..<entries.count, with: people)
            return .insert(people, .last)
        }
    }
}

/// An edit of a list by positions.
enum PositionEdit {
    case append([Person])
    case move(Int, Int)
    case replace(Range<Int>, [Person])

    /// Makes the edit of the list under "list".
    func make(in cache: some CacheWriter) throws(CacheError) {
        switch self {
        case .append(let people): try cache.append(people, toCollection: "list")
        case .move(let from, let to): try cache.moveElement(from: from, to: to, inCollection: "list")
        case .replace(let range, let people):
            try cache.replaceElements(in: range, ofCollection: "list", with: people)
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

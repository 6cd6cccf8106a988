import GroveCoding
import GroveModel

/// A search for elements of a stored list by their names.
///
/// It looks at an element's former position first, then in the parts around. Then it searches the bytes of all parts,
/// and takes apart only those that have the name. For more than a few names it makes an index of all elements.
struct ElementFinder {
    let count: Int
    /// The positions before which the list has a gap without a length, in order; nothing is looked for there.
    let gaps: [Int]
    /// The number of names that are searched for before an index is made: it takes as long as that many searches.
    private static let fewSearches = 8
    /// The positions at which the parts of the list begin, in order.
    private let starts: [Int]
    /// The elements of a part; `nil` if they were lost.
    private let load: (Int) throws(CacheError) -> StoredElements?
    /// Whether the encoding of a name may be in a part, or the part was lost.
    private let mayHold: (Int, [UInt8]) throws(CacheError) -> Bool
    private var searches = 0
    /// The part that was looked at last.
    private var last: (part: Int, elements: StoredElements)?
    private var index: NameIndex?
    private var isPartLost = false

    /// Looks in `elements`, the whole list.
    init(_ elements: StoredElements) {
        self.init(
            count: elements.count, gaps: elements.gaps, starts: [0], load: { _ in elements },
            mayHold: { _, name in unsafe elements.bytes.withUnsafeBytes { unsafe name.isIn($0) } })
    }

    private init(
        count: Int, gaps: [Int], starts: [Int], load: @escaping (Int) throws(CacheError) -> StoredElements?,
        mayHold: @escaping (Int, [UInt8]) throws(CacheError) -> Bool
    ) {
        (self.count, self.gaps, self.starts) = (count, gaps, starts)
        (self.load, self.mayHold) = (load, mayHold)
    }

    /// Looks in a list as it is stored.
    init(_ list: StoredCollection, in view: any NodeView) {
        switch list.content {
        case .elements(let elements): self.init(elements)
        case .chunks(let head):
            var (start, starts, gaps) = (0, [Int](), [Int]())
            for chunk in head.chunks {
                if chunk.isGap { gaps.append(start) } else { starts.append(start) }
                start += chunk.count
            }
            let chunks = gaps.isEmpty ? head.chunks : head.chunks.filter { !$0.isGap }
            self.init(
                count: head.count, gaps: gaps, starts: starts,
                load: { (part) throws(CacheError) in try view.elements(of: chunks[part], in: head) },
                mayHold: { (part, name) throws(CacheError) in try view.mayHold(name, chunks[part], in: head) })
        }
    }

    /// The index of the part that has the element at `index`.
    private func partIndex(of index: Int) -> Int {
        (1..<max(starts.count, 1)).firstIndex(behind: { starts[$0] <= index }) - 1
    }

    /// The part that has the element at `index`.
    private mutating func part(at index: Int) throws(CacheError) -> (start: Int, elements: StoredElements)? {
        let low = partIndex(of: index)
        if let last, last.part == low { return (starts[low], last.elements) }
        guard low < starts.count, let elements = try load(low) else { return nil }
        last = (low, elements)
        return (starts[low], elements)
    }

    /// The name of the element at `index`.
    mutating func name(at index: Int) throws(CacheError) -> ElementName {
        guard let (start, elements) = try part(at: index) else { throw CacheError.lostPart }
        return elements.name(at: index - start)
    }

    /// The number of the call that put the element at `index` there.
    mutating func number(at index: Int) throws(CacheError) -> CallNumber {
        guard let (start, elements) = try part(at: index) else { throw CacheError.lostPart }
        return elements.numbers[index - start]
    }

    /// Whether the element at `index` was lost.
    mutating func isLost(at index: Int) -> Bool {
        let number = try? number(at: index)
        return number == nil || number == StoredElements.lostNumber
    }

    /// Whether the element that is stored at `index` is `element`.
    mutating func isThere(_ element: StoredElements, at index: Int) throws(CacheError) -> Bool {
        guard let (start, elements) = try part(at: index) else { return false }
        return elements[index - start..<index - start + 1].bytes == element.bytes
    }

    /// The position of `element`; `nil` if it is gone.
    ///
    /// - Throws: ``CacheError`` with code `outOfRange` if it may be in a part that was lost.
    mutating func find(_ element: ListOperation.Element) throws(CacheError) -> Int? {
        if let index = element.position, index >= 0, index < count, let (start, elements) = try part(at: index),
            elements.isNamed(element.name, at: index - start)
        {
            return index
        }
        if index == nil, let found = try findNearby(element) { return found }
        let found = try all(element.name)
        guard let hint = element.position else { return found.first }
        return found.min { abs($0 - hint) < abs($1 - hint) }
    }

    /// The position of `element`, if it is in the part of its former position or one beside, and no other can be
    /// nearer.
    private mutating func findNearby(_ element: ListOperation.Element) throws(CacheError) -> Int? {
        guard count > 0, let hint = element.position.map({ min(max($0, 0), count - 1) }) else { return nil }
        let middle = partIndex(of: hint)
        let parts = max(middle - 1, 0)..<min(middle + 2, starts.count)
        let end = parts.upperBound == starts.count ? count : starts[parts.upperBound]
        // Beyond this distance there may be another in a part that is not looked at.
        let reach = min(
            parts.lowerBound == 0 ? count : hint - starts[parts.lowerBound],
            parts.upperBound == starts.count ? count : end - 1 - hint)
        var nearest: Int?
        for part in parts {
            guard let elements = try load(part) else { continue }
            for offset in 0..<elements.count where elements.isNamed(element.name, at: offset) {
                let found = starts[part] + offset
                if abs(found - hint) < nearest.map({ abs($0 - hint) }) ?? .max { nearest = found }
            }
        }
        return nearest.flatMap { abs($0 - hint) <= reach ? $0 : nil }
    }

    /// The positions of the elements of a name, in order.
    mutating func all(_ name: ElementName) throws(CacheError) -> [Int] {
        searches += 1
        if index == nil, searches > ElementFinder.fewSearches { try makeIndex() }
        let found = if let index { try all(name, index) } else { try search(name) }
        if found.isEmpty, isPartLost { throw CacheError.lostPart }
        return found
    }

    /// Looks for a name in the bytes of all parts.
    private mutating func search(_ name: ElementName) throws(CacheError) -> [Int] {
        let encoded = name.encoded
        var found: [Int] = []
        for part in starts.indices where count > 0 {
            guard try mayHold(part, encoded) else { continue }
            guard let elements = try load(part) else {
                isPartLost = true
                continue
            }
            for offset in 0..<elements.count where elements.isNamed(name, at: offset) {
                found.append(starts[part] + offset)
            }
        }
        return found
    }

    private mutating func all(_ name: ElementName, _ index: NameIndex) throws(CacheError) -> [Int] {
        var found: [Int] = []
        for position in index.positions(of: name.hash) {
            guard let (start, elements) = try part(at: position) else { continue }
            if elements.isNamed(name, at: position - start) { found.append(position) }
        }
        return found.reversed()
    }

    private mutating func makeIndex() throws(CacheError) {
        var made = NameIndex(count)
        for part in starts.indices where count > 0 {
            if let elements = try load(part) {
                for offset in 0..<elements.count { made.append(elements.nameHash(at: offset)) }
            } else {
                isPartLost = true
                made.appendLost((part + 1 < starts.count ? starts[part + 1] : count) - starts[part])
            }
        }
        index = made
    }

    /// The position before which `place` is.
    mutating func gap(_ place: ListOperation.Place) throws(CacheError) -> Int {
        switch place {
        case .first: return 0
        case .last: return count
        case .before(let element):
            if let index = try find(element) { return index }
            return try neighbour(of: element)
        case .after(let element):
            if let index = try find(element) { return index + 1 }
            return try neighbour(of: element)
        }
    }

    /// The position to use in the place of `element`, which is gone.
    ///
    /// It is behind the nearest element before it that is still there, or else before the nearest one after it. If all
    /// are gone, it is the end that `element` was nearer to. Without a list that the editor saw, it is the end of the
    /// list.
    private mutating func neighbour(of element: ListOperation.Element) throws(CacheError) -> Int {
        guard let (list, seenAt) = element.seen else { return count }
        for before in stride(from: min(seenAt, list.count) - 1, through: 0, by: -1) {
            if let index = try find(before, of: list) { return index + 1 }
        }
        for after in stride(from: seenAt + 1, to: list.count, by: 1) {
            if let index = try find(after, of: list) { return index }
        }
        return 2 * seenAt < list.count ? 0 : count
    }

    private mutating func find(_ seenAt: Int, of list: any SeenList) throws(CacheError) -> Int? {
        guard let identifier = list.identifier(at: seenAt) else { return nil }
        return try find(ListOperation.Element(name: ElementName(identifier), position: seenAt))
    }

    /// The place before position `gap`, by the element that is there.
    mutating func place(_ gap: Int) throws(CacheError) -> ListOperation.Place {
        if gap >= count { return .last }
        if gap == 0 { return .first }
        return .after(ListOperation.Element(name: try name(at: gap - 1), position: gap - 1))
    }
}

/// The positions of the elements of a list, by the hashes of their names.
private struct NameIndex {
    /// The last position of each hash.
    private var last: [UInt64: Int] = [:]
    /// The position of the previous element with the hash of each; -1 if there is none.
    private var before: [Int] = []

    init(_ count: Int) {
        last.reserveCapacity(count)
        before.reserveCapacity(count)
    }

    mutating func append(_ hash: UInt64) {
        before.append(last.updateValue(before.count, forKey: hash) ?? -1)
    }

    mutating func appendLost(_ count: Int) { before += repeatElement(-1, count: count) }

    /// The positions of a hash, the last first.
    func positions(of hash: UInt64) -> some Sequence<Int> {
        sequence(first: last[hash] ?? -1) { before[$0] }.prefix { $0 >= 0 }
    }
}

extension CacheError {
    /// The error of an edit that is about a lost part.
    static var lostPart: CacheError {
        CacheError(.outOfRange, "The part of the collection that the edit is about was lost; write it again.")
    }
}

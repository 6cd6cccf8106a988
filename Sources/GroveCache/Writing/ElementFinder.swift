import GroveModel

/// Finds elements of a stored list by their names.
///
/// It looks where an element was first, then in the parts around, then in an index of all elements, which is made once.
struct ElementFinder {
    let count: Int
    /// Where the parts of the list begin, in order.
    private let starts: [Int]
    /// The elements of a part; `nil` if they were lost.
    private let load: (Int) throws(CacheError) -> StoredElements?
    /// The part that was looked at last.
    private var last: (part: Int, elements: StoredElements)?
    /// Where the elements of each name are, in order.
    private var index: [ElementName: [Int]]?
    private var isPartLost = false

    /// Looks in `elements`, the whole list.
    init(_ elements: StoredElements) { self.init(count: elements.count, starts: [0]) { _ in elements } }

    private init(
        count: Int, starts: [Int], load: @escaping (Int) throws(CacheError) -> StoredElements?
    ) {
        (self.count, self.starts, self.load) = (count, starts, load)
    }

    /// Looks in a list as it is stored.
    init(_ list: StoredCollection, in view: any NodeView) {
        switch list.content {
        case .elements(let elements): self.init(elements)
        case .chunks(let head):
            var start = 0
            let starts = head.chunks.map { chunk in
                defer { start += chunk.count }
                return start
            }
            self.init(count: head.count, starts: starts) { (part) throws(CacheError) in
                try view.elements(of: head.chunks[part], in: head)
            }
        }
    }

    /// Which part has the element at `index`.
    private func partIndex(of index: Int) -> Int {
        var (low, high) = (0, starts.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if starts[middle] <= index { low = middle } else { high = middle }
        }
        return low
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

    /// Whether `element` is what is stored at `index`.
    mutating func isThere(_ element: StoredElements, at index: Int) throws(CacheError) -> Bool {
        guard let (start, elements) = try part(at: index) else { return false }
        return elements[index - start..<index - start + 1].bytes == element.bytes
    }

    /// Where `element` is; `nil` if it is gone.
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

    /// Where `element` is, if that is within the part of its position or one beside, and no other place can be nearer.
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

    /// Where the elements of a name are, in order.
    mutating func all(_ name: ElementName) throws(CacheError) -> [Int] {
        if index == nil { try makeIndex() }
        let found = index?[name] ?? []
        if found.isEmpty, isPartLost { throw CacheError.lostPart }
        return found
    }

    private mutating func makeIndex() throws(CacheError) {
        var made: [ElementName: [Int]] = [:]
        made.reserveCapacity(count)
        for part in starts.indices where count > 0 {
            guard let elements = try load(part) else {
                isPartLost = true
                continue
            }
            for offset in 0..<elements.count {
                made[elements.name(at: offset), default: []].append(starts[part] + offset)
            }
        }
        index = made
    }

    /// Before which position `place` is.
    mutating func gap(_ place: ListOperation.Place) throws(CacheError) -> Int {
        switch place {
        case .first: return 0
        case .last: return count
        case .before(let element):
            if let index = try find(element) { return index }
            return try neighbour(of: element, orElse: 0)
        case .after(let element):
            if let index = try find(element) { return index + 1 }
            return try neighbour(of: element, orElse: count)
        }
    }

    /// Behind the nearest element before `element`, which is gone, that is still there, else before the nearest one after it,
    /// else at the end that it was nearer to.
    private mutating func neighbour(
        of element: ListOperation.Element, orElse end: Int
    ) throws(CacheError) -> Int {
        guard let (list, seenAt) = element.seen else { return end }
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

    /// The place before position `gap`, by what is there.
    mutating func place(_ gap: Int) throws(CacheError) -> ListOperation.Place {
        if gap >= count { return .last }
        if gap == 0 { return .first }
        return .after(ListOperation.Element(name: try name(at: gap - 1), position: gap - 1))
    }
}

extension CacheError {
    /// Why an edit cannot be applied.
    static var lostPart: CacheError {
        CacheError(.outOfRange, "The part of the collection that the edit is about was lost; write it again.")
    }
}

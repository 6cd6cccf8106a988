import GroveModel

/// A page of an answer of the network, on its way into a list.
struct ListPage {
    private let elements: StoredElements
    private let place: ListOperation.Place
    private let since: ListOperation.Since
    /// The names of all of its elements.
    private let names: Set<ElementName>

    init(_ elements: StoredElements, _ place: ListOperation.Place, _ since: ListOperation.Since) {
        (self.elements, self.place, self.since) = (elements, place, since)
        names = Set((0..<elements.count).map { elements.name(at: $0) })
    }

    /// The edits by position that it comes to in a list: what goes, the last first, and what is put in.
    func resolved(in list: inout ElementFinder) throws(CacheError) -> [CollectionEdit] {
        let gap = try list.gap(place)
        var (new, positions) = (StoredElements(), [Int]())
        var going: Set<Int> = []
        var seen: Set<ElementName> = []
        for index in 0..<elements.count {
            let name = elements.name(at: index)
            guard !since.names.contains(name), seen.insert(name).inserted else { continue }
            if let position = position(of: name, near: gap, in: &list) {
                if isKept(position, in: &list) { continue }
                going.insert(position)
                positions.append(position)
            }
            new.append(elements[index..<index + 1])
        }
        let former = try formerRows(in: &list)
        for position in former where !going.contains(position) && !isKept(position, in: &list) {
            going.insert(position)
        }
        // What was put in at an end since stays there.
        let start: Int
        switch place {
        case .first: start = former.first { going.contains($0) } ?? former.upperBound
        case .last: start = former.last { going.contains($0) }.map { $0 + 1 } ?? former.lowerBound
        case .before, .after: start = gap
        }
        let there = start - going.count { $0 < start }
        if positions.count == new.count, going.count == new.count, positions == Array(there..<there + new.count) {
            return []
        }
        var edits = ListPage.ranges(of: going).reversed().map { CollectionEdit.replace($0, with: StoredElements()) }
        if new.count > 0 {
            edits.append(there == list.count - going.count ? .append(new) : .replace(there..<there, with: new))
        }
        return edits
    }

    /// The rows at the end that the page is of, down to the last that it has too: all, if it has none of so many there.
    private func formerRows(in list: inout ElementFinder) throws(CacheError) -> Range<Int> {
        let count = min(elements.count, list.count)
        switch place {
        case .first:
            let last = (0..<count).last { has($0, of: &list) }
            return 0..<(last.map { $0 + 1 } ?? list.count)
        case .last:
            let first = (list.count - count..<list.count).first { has($0, of: &list) }
            return (first ?? 0)..<list.count
        case .before, .after: return 0..<0
        }
    }

    private func has(_ position: Int, of list: inout ElementFinder) -> Bool {
        (try? list.name(at: position)).map(names.contains) ?? false
    }

    /// Whether the element was put there after the page was asked for; one in a part that was lost was not.
    private func isKept(_ position: Int, in list: inout ElementFinder) -> Bool {
        if let number = since.number, let put = try? list.number(at: position), put > number { return true }
        guard !since.names.isEmpty, let name = try? list.name(at: position) else { return false }
        return since.names.contains(name)
    }

    /// Where the list has an element; what is in a part that was lost, it has not.
    private func position(of name: ElementName, near gap: Int, in list: inout ElementFinder) -> Int? {
        (try? list.find(ListOperation.Element(name: name, position: gap))) ?? nil
    }

    private static func ranges(of positions: Set<Int>) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        for position in positions.sorted() {
            if let last = ranges.last, last.upperBound == position {
                ranges[ranges.count - 1] = last.lowerBound..<position + 1
            } else {
                ranges.append(position..<position + 1)
            }
        }
        return ranges
    }
}

extension ListOperation {
    /// What was done to a list after a page of it was asked for.
    struct Since: Sendable {
        /// The number of the place; `nil` if nothing came after it.
        var number: CallNumber?
        /// The elements that this process has put in, moved, replaced or removed.
        var names: Set<ElementName> = []
    }

    /// The elements that it is about.
    var names: [ElementName] {
        let brought = (0..<elements.count).map { elements.name(at: $0) }
        return switch self {
        case .replace(let element, _): brought + [element.name]
        case .move(let element, _): [element.name]
        case .remove(let names): names
        case .at, .insert, .refer, .upsert, .page: brought
        }
    }
}

extension ListOperation.Place {
    /// The list that a page at an end makes if there is none.
    func newList(sequence: CallNumber, time: UInt32) -> StoredCollection? {
        switch self {
        case .first, .last: StoredCollection(.elements(StoredElements()), sequence: sequence, time: time)
        case .before, .after: nil
        }
    }
}

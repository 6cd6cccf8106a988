import GroveCoding
import GroveModel

/// One change to the elements of a stored collection; positions are of the list that the edit finds, deleted elements
/// included.
enum CollectionEdit: Sendable {
    /// Puts elements in the place of a range: inserts if that is empty, removes if they are none.
    case replace(Range<Int>, with: StoredElements)
    /// Puts elements behind the last one.
    case append(StoredElements)
    /// Takes the element at one position to another, which it has afterwards.
    case move(from: Int, to: Int)
    /// Says whether elements that were never fetched are before the one at a position.
    case gap(Int, Bool)

    /// Whether the list has a gap afterwards that it may not have had.
    var opensGap: Bool { if case .gap(_, true) = self { true } else { false } }

    /// The elements that the edit brings.
    var elements: StoredElements {
        switch self {
        case .replace(_, let elements), .append(let elements): elements
        case .move, .gap: StoredElements()
        }
    }

    /// - Throws: ``CacheError`` with code `outOfRange` if a list of `count` elements has no such position.
    func check(_ count: Int) throws(CacheError) {
        let isInside =
            switch self {
            case .replace(let range, _): range.lowerBound >= 0 && range.upperBound <= count
            case .append: true
            case .move(let from, let to): min(from, to) >= 0 && max(from, to) < count
            case .gap(let position, _): 0...count ~= position
            }
        guard isInside else {
            throw CacheError(.outOfRange, "The collection has \(count) elements, and the edit is of a position beyond.")
        }
    }

    /// Whether nothing is different afterwards.
    var changesNothing: Bool {
        switch self {
        case .replace(let range, let elements): range.isEmpty && elements.count == 0
        case .append(let elements): elements.count == 0
        case .move(let from, let to): from == to
        case .gap: false
        }
    }

    /// Applies the edit, which was checked, to `list`, all elements of the collection.
    ///
    /// - Parameter number: the number of the call that puts elements in; `nil` to keep those that they have.
    func apply(to list: inout StoredElements, number: CallNumber?) {
        func numbered(_ elements: StoredElements) -> StoredElements { number.map(elements.numbered) ?? elements }
        switch self {
        case .replace(let range, let elements): list.replace(range, with: numbered(elements))
        case .append(let elements): list.append(numbered(elements))
        case .move(let from, let to):
            // The element was set by the call that put it there: a deletion since then holds.
            let element = list[from..<from + 1]
            list.replace(from..<from + 1, with: StoredElements())
            list.replace(to..<to, with: element)
        case .gap(let position, true): list.openGap(before: position)
        case .gap(let position, false): list.closeGap(before: position)
        }
    }

    /// The splices that make the edit in a copy of the list from before it; `nil` if the copy is to be read again.
    ///
    /// - Parameters:
    ///   - count: how many elements the list has.
    ///   - moved: the name of the element that it moves.
    func splices(_ count: Int, moved: ElementName?) -> [ListSplice]? {
        switch self {
        case .replace(let range, let elements): elements.identifiers.map { [ListSplice(range, $0)] }
        case .append(let elements): elements.identifiers.map { [ListSplice(count..<count, $0)] }
        case .move(let from, let to):
            moved?.identifier.map { [ListSplice(from..<from + 1, []), ListSplice(to..<to, [$0])] }
        // The copy is read again: the list is no longer whole, or whole again.
        case .gap: nil
        }
    }
}

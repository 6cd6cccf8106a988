/// A change to some elements of a collection, by their positions.
package enum CollectionEdit<Element: Sendable>: Sendable {
    /// Inserts elements before the one at a position; at the position `count`, after the last.
    case insert([Element], at: Int)
    /// Adds elements after the last.
    case append([Element])
    /// Replaces the elements in a range by others.
    case replace(Range<Int>, [Element])
    /// Removes the elements in a range.
    case remove(Range<Int>)
    /// Moves the element at the first position, so that it is then at the second.
    case move(from: Int, to: Int)

    /// Makes the change in `list`, which has such positions.
    package func apply(to list: inout [Element]) {
        switch self {
        case .insert(let elements, let index): list.insert(contentsOf: elements, at: index)
        case .append(let elements): list += elements
        case .replace(let range, let elements): list.replaceSubrange(range, with: elements)
        case .remove(let range): list.removeSubrange(range)
        case .move(let from, let to): list.insert(list.remove(at: from), at: to)
        }
    }
}

extension CollectionEdit: Equatable where Element: Equatable {}

extension CollectionEdit {
    /// The same change with each element transformed; elements for which `transform` returns `nil` are left out.
    func map<Other: Sendable>(_ transform: (Element) -> Other?) -> CollectionEdit<Other> {
        switch self {
        case .insert(let elements, let index): .insert(elements.compactMap(transform), at: index)
        case .append(let elements): .append(elements.compactMap(transform))
        case .replace(let range, let elements): .replace(range, elements.compactMap(transform))
        case .remove(let range): .remove(range)
        case .move(let from, let to): .move(from: from, to: to)
        }
    }

    /// The elements that the change adds.
    var elements: [Element] {
        switch self {
        case .insert(let elements, _), .append(let elements), .replace(_, let elements): elements
        case .remove, .move: []
        }
    }

    /// The same change with `elements` instead of its own, if it adds any.
    func bringing(_ elements: [Element]) -> CollectionEdit {
        switch self {
        case .insert(_, let index): .insert(elements, at: index)
        case .append: .append(elements)
        case .replace(let range, _): .replace(range, elements)
        case .remove, .move: self
        }
    }

    /// Whether a list of `count` elements has its positions.
    package func fits(_ count: Int) -> Bool {
        switch self {
        case .insert(_, let index): 0...count ~= index
        case .append: true
        case .replace(let range, _), .remove(let range): range.lowerBound >= 0 && range.upperBound <= count
        case .move(let from, let to): 0..<count ~= from && 0..<count ~= to
        }
    }
}

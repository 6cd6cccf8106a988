/// A change to some elements of a collection, by their positions.
public enum CollectionEdit<Element: Sendable>: Sendable {
    /// Inserts elements before the one at a position, or behind the last.
    case insert([Element], at: Int)
    /// Puts elements behind the last.
    case append([Element])
    /// Puts elements in the place of others.
    case replace(Range<Int>, [Element])
    /// Removes elements.
    case remove(Range<Int>)
    /// Moves an element, so that it is at the second position afterwards.
    case move(from: Int, to: Int)

    /// Makes the change in `list`, which has such positions.
    func apply(to list: inout [Element]) {
        switch self {
        case .insert(let elements, let index): list.insert(contentsOf: elements, at: index)
        case .append(let elements): list += elements
        case .replace(let range, let elements): list.replaceSubrange(range, with: elements)
        case .remove(let range): list.removeSubrange(range)
        case .move(let from, let to): list.insert(list.remove(at: from), at: to)
        }
    }
}

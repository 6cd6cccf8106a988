/// An edit of a list: what was in `range` makes room for `elements`.
///
/// An insertion has an empty range, a removal no elements.
public struct ListEdit: Sendable {
    /// Positions in the list before the edit.
    public let range: Range<Int>

    /// What is there afterwards, in order.
    public let elements: [any SimpleModel]

    /// Makes the edit.
    public init(_ range: Range<Int>, with elements: [any SimpleModel]) {
        self.range = range
        self.elements = elements
    }
}

/// What a cache remembers of a list that a provider holds and edits; see
/// ``CacheDelegate/saveList(_:after:of:forKey:context:)``.
///
/// The holder of the list makes one, and a new one whenever it changed the list without saving that.
public final class ListVersion: Sendable {
    private let state = Lock<(any Sendable)?>(nil)

    /// Makes a version of which no cache knows yet.
    public init() {}

    /// What the cache wants to find again at the next edit; `nil` before it has stored the list.
    public var note: (any Sendable)? {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}

/// Which rows of a list a follower reads: some before a row and some from that row on.
///
/// A row is an element that is shown. Elements that were deleted or are missing count as positions and are no rows.
public struct WantedRows: Sendable {
    /// The element that the rows are counted from.
    public enum Anchor: Sendable {
        /// The first element.
        case first
        /// The last element.
        case last
        /// The element at a position, or the last one if there are fewer.
        case position(Int)
        /// The element of an identifier; if the list does not have it, the read is a miss of it.
        case element(ModelIdentifier)
        /// The element at a position that it had beside others.
        ///
        /// The first of these that the list has says how far it has moved. If the list has none of them, or if the view
        /// is as of that commit, it is where it was.
        case beside([Candidate], at: Int, asOf: CommitNumber?)
    }

    /// An element that a reader saw at a position.
    public struct Candidate: Sendable, Equatable {
        /// Its identifier.
        public let identifier: ModelIdentifier
        /// Where it was.
        public let position: Int

        /// Names an element.
        public init(_ identifier: ModelIdentifier, near position: Int) {
            (self.identifier, self.position) = (identifier, position)
        }
    }

    /// From which element the rows are counted.
    public let anchor: Anchor
    /// The most rows before it.
    public let before: Int
    /// The most rows from it on, itself included.
    public let after: Int
    /// Whether a user asked for them, so that they count as used; false for rows that are shown and read again.
    public let isUse: Bool

    /// Says which rows to read.
    public init(_ anchor: Anchor, before: Int, after: Int, isUse: Bool = false) {
        (self.anchor, self.before, self.after, self.isUse) = (anchor, before, after, isUse)
    }
}

/// Rows of a list as a follower of a cache read them.
public struct FoundRows<Element: Sendable>: Sendable {
    /// The rows, in order.
    public var rows: [Element] = []
    /// The position of each row in the list, all elements counted.
    public var positions: [Int] = []
    /// The elements between the rows that are left out.
    public var hidden: [HiddenElement] = []
    /// Nodes that elements need, and that the cache does not have.
    public var missing: [ModelIdentifier] = []
    /// The positions of parts between the rows that the cache does not have.
    ///
    /// An empty range is a part of unknown length before that position.
    public var gaps: [Range<Int>] = []
    /// The anchor's position.
    public var anchor = 0
    /// How many elements of the list are known.
    public var knownCount = 0
    /// The commit as of which they were read; `nil` if it is not known.
    public var commit: CommitNumber?

    /// Makes an outcome without rows.
    public init() {}
}

extension ListRead where Element: SimpleModel {
    /// Some rows of a list that was read whole.
    func rows(_ wanted: WantedRows) -> CacheRead<FoundRows<Element>> {
        let count = elements.count + hidden.count
        let left = Set(hidden.map(\.position))
        let positions = (0..<count).filter { !left.contains($0) }
        func position(of wanted: ModelIdentifier, near hint: Int) -> Int? {
            let found = zip(positions, elements).filter { $0.1.modelIdentifier == wanted }.map(\.0)
            return found.min { abs($0 - hint) < abs($1 - hint) } ?? hidden.first { $0.identifier == wanted }?.position
        }
        var found = FoundRows<Element>()
        let last = max(count - 1, 0)
        switch wanted.anchor {
        case .first: break
        case .last: found.anchor = last
        case .position(let position): found.anchor = min(max(position, 0), last)
        case .element(let name):
            guard let position = position(of: name, near: 0) else { return .miss(CacheMiss(.absent, name)) }
            found.anchor = position
        case .beside(let candidates, let former, let seen):
            let others = seen == nil || seen != commit ? candidates : []
            let moved = others.lazy.compactMap { other in
                position(of: other.identifier, near: other.position).map { $0 - other.position }
            }.first
            found.anchor = min(max(former + (moved ?? 0), 0), last)
        }
        let split = positions.firstIndex { $0 >= found.anchor } ?? positions.count
        let range = max(split - wanted.before, 0)..<min(split + wanted.after, positions.count)
        (found.rows, found.positions) = (Array(elements[range]), Array(positions[range]))
        (found.hidden, found.knownCount, found.commit) = (hidden, count, commit)
        return .hit(found)
    }
}

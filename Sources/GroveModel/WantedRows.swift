/// The rows of a list that a follower reads: some before a row and some from that row on.
///
/// A row is an element that is shown. Elements that were deleted or are missing count as positions and are no rows.
package struct WantedRows: Sendable {
    /// The element that the rows are counted from.
    package enum Anchor: Sendable {
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
    package struct Candidate: Sendable, Equatable {
        /// Its identifier.
        package let identifier: ModelIdentifier
        /// The position at which it was.
        package let position: Int

        /// Names an element.
        package init(_ identifier: ModelIdentifier, near position: Int) {
            (self.identifier, self.position) = (identifier, position)
        }
    }

    /// The element from which the rows are counted.
    package let anchor: Anchor
    /// The most rows before it.
    package let before: Int
    /// The most rows from it on, itself included.
    package let after: Int
    /// Whether a user asked for them, so that they count as used; false for rows that are shown and read again.
    package let isUse: Bool

    /// Says which rows to read.
    package init(_ anchor: Anchor, before: Int, after: Int, isUse: Bool = false) {
        (self.anchor, self.before, self.after, self.isUse) = (anchor, before, after, isUse)
    }
}

/// Rows of a list as a follower of a cache read them.
package struct FoundRows<Element: Sendable>: Sendable {
    /// The rows, in order.
    package var rows: [Element] = []
    /// The position of each row in the list, all elements counted.
    package var positions: [Int] = []
    /// The elements between the rows that are left out.
    package var hidden: [HiddenElement] = []
    /// Nodes that elements need, and that the cache does not have.
    package var missing: [ModelIdentifier] = []
    /// The positions of parts between the rows that the cache does not have.
    ///
    /// An empty range is a part of unknown length before that position.
    package var gaps: [Range<Int>] = []
    /// The anchor's position.
    package var anchor = 0
    /// The number of elements of the list that are known.
    package var knownCount = 0
    /// The commit as of which they were read; `nil` if it is not known.
    package var commit: CommitNumber?

    /// Makes an outcome without rows.
    package init() {}
}

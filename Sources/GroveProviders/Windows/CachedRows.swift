import GroveModel

/// The rows of a list that a window has read from the cache, and listens to, without the pending changes.
///
/// Each row has its identifier and its position at the same index.
struct CachedRows<Element: SimpleModel> {
    private(set) var rows: [WindowRow<Element>] = []
    private(set) var names: [ModelIdentifier?] = []
    /// The positions of the rows in the list.
    private(set) var positions: [Int] = []
    /// The ends of the list, as the cache has it, that the rows reach.
    var ends = ShownEnds.both
    /// The parts of the list between and beside the rows that the cache does not have.
    var gaps: [WindowGap] = []
    /// The number of elements of the list; `nil` if the cache does not have it.
    var knownCount: Int?

    mutating func hold(_ rows: [WindowRow<Element>], _ names: [ModelIdentifier?], _ positions: [Int]) {
        (self.rows, self.names, self.positions) = (rows, names, positions)
    }
}

/// A collection of rows in order: all rows of an ``ArrangedRows``, or those of one of its sections.
public struct ArrangedSlice<Row: ProviderRow>: RandomAccessCollection, Sendable {
    let items: PersistentVector<ArrangedItem<Row>>
    let range: Range<Int>

    /// Zero.
    public var startIndex: Int { 0 }
    /// The number of rows.
    public var endIndex: Int { range.count }
    /// The row at `position`, in O(log *n*).
    public subscript(position: Int) -> Row {
        precondition(range.indices.contains(range.lowerBound + position), "An index is outside of the rows.")
        return items[range.lowerBound + position].row
    }
}

/// A row with the version of its element by which it has its place.
struct ArrangedItem<Row: ProviderRow>: Sendable {
    let entry: Entry<Row.Element>
    let row: Row
}

/// A section: the rows that share one value; see ``RowProvider/sections(by:_:)``.
public struct ArrangedSection<Row: ProviderRow, ID: Hashable & Sendable>: Identifiable, Sendable {
    /// The value that the rows share.
    public let id: ID
    /// The rows, at least one.
    public let rows: ArrangedSlice<Row>
}

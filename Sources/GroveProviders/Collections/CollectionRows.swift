import GroveConsistency
public import GroveModel

/// The rows of a collection, for a list view; each row is observed by itself.
///
/// A view that reads these is told of changes to the number and the order of the elements. A view of one row is told of
/// changes to its element.
public struct CollectionRows<T: SimpleModel>: RandomAccessCollection, Sendable {
    let provider: CollectionDataProvider<T>
    let list: Int
    let entries: PersistentVector<Entry<T>>

    /// Zero.
    public var startIndex: Int { 0 }
    /// The number of rows.
    public var endIndex: Int { entries.count }
    /// The row at `position`, in O(log *n*).
    public subscript(position: Int) -> CollectionRow<T> {
        let entry = entries[position]
        return CollectionRow(
            id: CollectionRow.ID(list: list, handle: entry.handle), provider: provider, index: position,
            model: entry.model)
    }
}

/// One row of a collection: an element through all its versions.
public struct CollectionRow<T: SimpleModel>: Identifiable, Sendable {
    /// The identity of a row: no other row has it or ever had it.
    ///
    /// It stays if the element changes or moves. It also stays if a whole list is set again that has the same model.
    public struct ID: Hashable, Sendable {
        let list: Int
        let handle: Int
    }

    /// The row's identity.
    public let id: ID
    let provider: CollectionDataProvider<T>
    let index: Int
    private let lastKnown: T

    init(id: ID, provider: CollectionDataProvider<T>, index: Int, model: T) {
        self.id = id
        self.provider = provider
        self.index = index
        lastKnown = model
    }

    /// The element in its newest version; if it is no longer in the list, its last known version.
    ///
    /// A view that reads it is told of changes to this element only.
    @MainActor public var model: T { provider.model(of: id, near: index) ?? lastKnown }
}

extension CollectionRow: Hashable {
    /// Whether both are the same row of the same list; their elements may differ.
    public static func == (row: CollectionRow, other: CollectionRow) -> Bool { row.id == other.id }

    /// Hashes the row's identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

extension CollectionDataProvider {
    /// The rows now, each of which is observed by itself; getting them costs nothing.
    ///
    /// A view that reads ``elements`` or ``data`` instead is told of every change of every element.
    public var rows: CollectionRows<T> {
        access(keyPath: \.order)
        return CollectionRows(provider: self, list: store.key.rawValue, entries: entries)
    }

    /// The number of models; a view that reads it is not told if only elements change.
    public var count: Int {
        access(keyPath: \.order)
        return entries.count
    }

    /// The model at `index`, which must be in the collection.
    ///
    /// A view that reads it is told when this element changes, and when elements come, go or move.
    public subscript(index: Int) -> T {
        access(keyPath: \.order)
        let entry = entries[index]
        accessRow(entry.handle)
        return entry.model
    }

    /// The element of a row.
    func model(of row: CollectionRow<T>.ID, near index: Int) -> T? {
        accessRow(row.handle)
        guard row.list == store.key.rawValue else { return nil }
        let entries = entries
        if index < entries.count, entries[index].handle == row.handle { return entries[index].model }
        if following.snapshot == nil, layered.entries == nil {
            return store.rows.position(of: row.handle).map { entries[$0].model }
        }
        return entries.slice(0, entries.count).first { $0.handle == row.handle }?.model
    }

    private func accessRow(_ handle: Int) {
        access(keyPath: \.[row: handle])
        access(keyPath: \.everyRow)
    }

    /// Tells the views that read something that changed.
    ///
    /// - Parameter updated: the handles of the elements that changed, if no others came, went or moved; `nil` if
    ///   `change` says it.
    func tellViews(_ change: CollectionChange, updated: [Int]?) {
        revision += 1
        arrangements.tell()
        if let updated { return tellRows(updated) }
        guard case .changes(let changes) = change else {
            withMutation(keyPath: \.order) {}
            return withMutation(keyPath: \.everyRow) {}
        }
        let indices = changes.compactMap { if case .update(let index) = $0 { index } else { nil } }
        if indices.count == changes.count {
            return tellRows(indices.filter { $0 < entries.count }.map { entries[$0].handle })
        }
        withMutation(keyPath: \.order) {}
        // Beside other changes, the indices of updates are not those of the final list.
        if !indices.isEmpty { withMutation(keyPath: \.everyRow) {} }
    }

    private func tellRows(_ handles: [Int]) {
        for handle in handles { withMutation(keyPath: \.[row: handle]) {} }
    }
}

/// The names under which views observe the rows; there is nothing behind them.
extension CollectionDataProvider {
    fileprivate var order: Int { 0 }
    fileprivate var everyRow: Int { 0 }
    fileprivate subscript(row handle: Int) -> Int { handle }
}

import GroveModel

/// The newest elements of a shared list, in order: they are found by their handles and by their identifiers.
struct ListRows<T: SimpleModel> {
    var entries = PersistentVector<Entry<T>>()
    /// The number of times that everything was replaced.
    private(set) var resets = 0
    private var nextHandle = 0
    private var positions = HandlePositions()
    /// The indices of models by their identifiers; `nil` if elements or their places changed since.
    private var indices: [ModelIdentifier: Int]?

    /// The newest state.
    var state: ListState<T> { ListState(entries: entries, resets: resets) }

    // MARK: Finding

    mutating func takeHandle() -> Int {
        defer { nextHandle += 1 }
        return nextHandle
    }

    /// The index of the element of `handle`, or `nil` if it is gone.
    mutating func position(of handle: Int) -> Int? {
        guard let position = positions.position(of: handle), position < entries.count,
            entries[position].handle == handle
        else { return nil }
        return position
    }

    private mutating func noteAllPositions() {
        positions = HandlePositions(entries.slice(0, entries.count).map(\.handle))
    }

    /// The model of `identifier`, if it is in the list.
    mutating func element(_ identifier: ModelIdentifier) -> T? { index(of: identifier).map { entries[$0].model } }

    /// The index of the first element of `identifier`; `nil` if it is not in the list.
    mutating func index(of identifier: ModelIdentifier) -> Int? {
        if let indices { return indices[identifier] }
        let identifiers = entries.slice(0, entries.count).enumerated().compactMap { index, entry in
            entry.model.modelIdentifier.map { ($0, index) }
        }
        let found = Dictionary(identifiers, uniquingKeysWith: { first, _ in first })
        indices = found
        return found[identifier]
    }

    /// The entry as it is shown, if that is the same model.
    mutating func newest(_ entry: Entry<T>) -> Entry<T> {
        guard let index = position(of: entry.handle),
            entries[index].model.modelIdentifier == entry.model.modelIdentifier
        else { return entry }
        return entries[index]
    }

    /// The elements that are there, with equal models in their places.
    func entries(with models: [T]) -> [Entry<T>] {
        zip(entries.slice(0, entries.count), models).map { entry, model in
            var entry = entry
            entry.model = model
            return entry
        }
    }

    // MARK: Editing

    mutating func reset(_ new: [Entry<T>]) {
        entries = PersistentVector(new)
        noteAllPositions()
        resets += 1
        indices = nil
    }

    mutating func insert(_ new: [Entry<T>], at index: Int) { replace(index..<index, with: new[...]) }

    mutating func remove(at index: Int) { replace(index..<index + 1, with: []) }

    /// Puts `new` in the place of the elements of `range`.
    mutating func replace(_ range: Range<Int>, with new: ArraySlice<Entry<T>>) {
        entries.replace(range.lowerBound, range.upperBound, with: Array(new))
        indices = nil
        positions.note(range.lowerBound, removed: range.count, new.lazy.map(\.handle))
        if positions.isFull { noteAllPositions() }
    }

    /// Applies `splices` to the list, one after the other.
    mutating func take(_ splices: [EntrySplice<T>]) {
        for splice in splices {
            entries.replace(splice.start, splice.start + splice.removed.count, with: splice.inserted)
            positions.note(splice.start, removed: splice.removed.count, splice.inserted.lazy.map(\.handle))
        }
        indices = nil
        if positions.isFull { noteAllPositions() }
    }

    /// Puts another model, or an edited one, in the place of the element at `index`.
    mutating func edit(_ model: T, at index: Int) {
        if entries[index].model.modelIdentifier != model.modelIdentifier { indices = nil }
        replace(model, at: index)
    }

    /// Shows the newest version of the element at `index`.
    mutating func replace(_ model: T, at index: Int) {
        var entry = entries[index]
        entry.model = model
        entry.revision += 1
        entries[index] = entry
    }

    /// Marks all elements as set by the edit at `sequence` in the order of calls: they ignore older news.
    mutating func markEdited(at sequence: Turn) {
        for index in 0..<entries.count { entries[index].editedAt = sequence }
    }
}

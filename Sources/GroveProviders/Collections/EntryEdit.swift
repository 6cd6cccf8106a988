import GroveModel

/// An edit of a shared list as its providers make it: by the handles of its elements.
enum EntryEdit<T: SimpleModel>: Sendable {
    /// Makes these the list; if they are the first page of an answer, the cache decides which rows follow.
    case set([Entry<T>], isPage: Bool = false)
    /// Inserts elements; with `isUpsert`, the cache leaves out those whose identifiers its list has.
    case insert([Entry<T>], EntryPlace<T>, isUpsert: Bool)
    /// Shows another model, or none, in the place of an element.
    case replace(SeenEntry<T>, with: Entry<T>?)
    case move(SeenEntry<T>, EntryPlace<T>)

    /// Whether it replaces the whole list.
    var isWhole: Bool { if case .set = self { true } else { false } }

    /// The elements that it brings.
    var entries: [Entry<T>] {
        switch self {
        case .set(let entries, _), .insert(let entries, _, _): entries
        case .replace(_, let entry): [entry].compactMap(\.self)
        case .move: []
        }
    }

    /// The same edit; if its element is gone, of the element in `list` with the same identifier.
    func named(in list: PersistentVector<Entry<T>>) -> EntryEdit {
        switch self {
        case .set, .insert: self
        case .replace(let seen, let entry): .replace(seen.named(in: list), with: entry)
        case .move(let seen, let place): .move(seen.named(in: list), place)
        }
    }

    /// Applies it to `list`.
    ///
    /// - Returns: the replacements, one after the other.
    @discardableResult
    func apply(to list: inout PersistentVector<Entry<T>>) -> [EntrySplice<T>] {
        var splices: [EntrySplice<T>] = []
        func replace(_ start: Int, _ end: Int, with entries: [Entry<T>]) {
            splices.append(EntrySplice(start: start, removed: list.slice(start, end), inserted: entries))
            list.replace(start, end, with: entries)
        }
        switch self {
        case .set(let entries, _): replace(0, list.count, with: entries)
        case .insert(let entries, let place, let isUpsert):
            let gap = place.gap(in: list)
            replace(gap, gap, with: isUpsert ? list.missing(entries) : entries)
        case .replace(let seen, let entry):
            guard let index = seen.index(in: list) else { break }
            replace(index, index + 1, with: [entry].compactMap(\.self))
        case .move(let seen, let place):
            guard let from = seen.index(in: list) else { break }
            let gap = place.gap(in: list)
            let entry = list[from]
            replace(from, from + 1, with: [])
            let to = gap > from ? gap - 1 : gap
            replace(to, to, with: [entry])
        }
        return splices
    }

    /// The edit as splices of the stored list `list`, if the cache finds that unchanged; `nil` if they are not known.
    func splices(in list: ListBase<T>) -> [ListSplice]? {
        func identifiers(_ entries: [Entry<T>]) -> [ModelIdentifier]? {
            let found = entries.compactMap(\.model.modelIdentifier)
            return found.count == entries.count ? found : nil
        }
        switch self {
        case .set(let entries, let isPage):
            return isPage ? nil : identifiers(entries).map { [ListSplice(0..<list.count, $0)] }
        case .insert(let entries, let place, _):
            guard let identifiers = identifiers(entries) else { return nil }
            let gap = list.position(ofGap: place.gap(in: list.entries))
            return [ListSplice(gap..<gap, identifiers)]
        case .replace(let seen, let entry):
            guard let index = seen.index(in: list.entries) else { return [] }
            let position = list.position(of: index)
            guard let entry else { return [ListSplice(position..<position + 1, [])] }
            guard let identifier = entry.model.modelIdentifier else { return nil }
            if list.entries[index].model.modelIdentifier == identifier { return [] }
            return [ListSplice(position..<position + 1, [identifier])]
        case .move: return nil
        }
    }

    /// The edit as the cache gets it.
    ///
    /// - Parameter models: the models to store for the elements that it brings.
    func edit(storing models: [any SimpleModel]) -> ListEdit {
        switch self {
        case .set(_, let isPage): isPage ? .refresh(models) : .set(models)
        case .insert(_, let place, let isUpsert): isUpsert ? .upsert(models, place.place) : .insert(models, place.place)
        case .replace(let seen, _): .replace(seen.element, with: models.first)
        case .move(let seen, let place): .move(seen.element, place.place)
        }
    }
}

/// An element of a list as an editor saw it.
struct SeenEntry<T: SimpleModel>: Sendable {
    let index: Int
    let list: PersistentVector<Entry<T>>
    /// Its position in the cache's list.
    let position: Int

    private var handle: Int { list[index].handle }

    /// Its index in `list`; `nil` if it is gone.
    func index(in list: PersistentVector<Entry<T>>) -> Int? { list.index(of: handle, near: index) }

    /// The same element, or the element in `list` that has its identifier.
    fileprivate func named(in list: PersistentVector<Entry<T>>) -> SeenEntry {
        guard index(in: list) == nil, let identifier = self.list[index].model.modelIdentifier,
            let found = list.slice(0, list.count).firstIndex(where: { $0.model.modelIdentifier == identifier })
        else { return self }
        return SeenEntry(index: found, list: list, position: found)
    }

    /// The gap nearest to it, if it is gone: behind an element from before it, else before one from behind it, else at
    /// the nearer end.
    func neighbour(in list: PersistentVector<Entry<T>>) -> Int {
        let handles = list.slice(0, list.count).map(\.handle)
        let indices = Dictionary(zip(handles, handles.indices)) { first, _ in first }
        for before in stride(from: index - 1, through: 0, by: -1) {
            if let found = indices[self.list[before].handle] { return found + 1 }
        }
        for after in stride(from: index + 1, to: self.list.count, by: 1) {
            if let found = indices[self.list[after].handle] { return found }
        }
        return 2 * index < self.list.count ? 0 : list.count
    }

    var element: ListElement {
        ListElement(list[index].model, at: index, of: SeenEntries(entries: list), position: position)
    }
}

/// A place in a list, as an editor saw it; see `ListPlace`.
enum EntryPlace<T: SimpleModel>: Sendable {
    case first
    case last
    case before(SeenEntry<T>)
    case after(SeenEntry<T>)

    /// The index of the element of `list` before which it is.
    func gap(in list: PersistentVector<Entry<T>>) -> Int {
        switch self {
        case .first: 0
        case .last: list.count
        case .before(let seen): seen.index(in: list) ?? seen.neighbour(in: list)
        case .after(let seen): seen.index(in: list).map { $0 + 1 } ?? seen.neighbour(in: list)
        }
    }

    var place: ListPlace {
        switch self {
        case .first: .first
        case .last: .last
        case .before(let seen): .before(seen.element)
        case .after(let seen): .after(seen.element)
        }
    }
}

private struct SeenEntries<T: SimpleModel>: SeenList {
    let entries: PersistentVector<Entry<T>>

    var count: Int { entries.count }

    func identifier(at index: Int) -> ModelIdentifier? { entries[index].model.modelIdentifier }
}

extension PersistentVector {
    /// Those of `entries` that are not here, and whose identifiers no element here has.
    fileprivate func missing<T: SimpleModel>(_ entries: [Entry<T>]) -> [Entry<T>] where Element == Entry<T> {
        let there = slice(0, count)
        let (handles, identifiers) = (Set(there.map(\.handle)), Set(there.compactMap(\.model.modelIdentifier)))
        return entries.filter { entry in
            !handles.contains(entry.handle) && entry.model.modelIdentifier.map { !identifiers.contains($0) } ?? true
        }
    }

    /// The index of the element of `handle`, which is looked for from `index` outwards.
    func index<T>(of handle: Int, near index: Int) -> Int? where Element == Entry<T> {
        if index < count, self[index].handle == handle { return index }
        let near = min(max(index, 0), count)
        for distance in 1..<max(near, count - near) + 1 {
            if near >= distance, self[near - distance].handle == handle { return near - distance }
            if near + distance < count, self[near + distance].handle == handle { return near + distance }
        }
        return nil
    }
}

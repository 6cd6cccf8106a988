import GroveModel

/// A list as the cache has it: the elements that are shown, and those that are not.
struct ListBase<T: SimpleModel>: Sendable {
    var entries: PersistentVector<Entry<T>>
    /// Elements that were deleted, or are missing, by their positions in the stored list, in order.
    var hidden: [HiddenElement]

    /// The number of elements of the stored list.
    var count: Int { entries.count + hidden.count }

    /// The index of the first entry at or behind a position of the stored list.
    func index(of position: Int) -> Int {
        position - hidden.indices.firstIndex(behind: { hidden[$0].position < position })
    }

    /// The position, in the stored list, of an entry.
    func position(of index: Int) -> Int {
        var position = index
        for element in hidden {
            guard element.position <= position else { break }
            position += 1
        }
        return position
    }

    /// The position of the gap before the entry at `index`, right behind the one before it.
    func position(ofGap index: Int) -> Int {
        if index == 0 { return 0 }
        return index == entries.count ? count : position(of: index - 1) + 1
    }

    /// The hidden elements once the entry at `index`, whose model was deleted, is hidden too.
    func hiding(_ index: Int) -> [HiddenElement] {
        let element = HiddenElement(position(of: index), entries[index].model.modelIdentifier)
        var hidden = hidden
        hidden.insert(element, at: hidden.firstIndex { $0.position > element.position } ?? hidden.count)
        return hidden
    }

    /// The handles of elements of `edit` that entries outside `range` of the stored list have already.
    ///
    /// - Complexity: O(1) for inserted elements, and for one that is replaced at the index at which it was seen.
    func staying(_ edit: EntryEdit<T>, outside range: Range<Int>) -> Set<Int> {
        let (start, end) = (index(of: range.lowerBound), min(index(of: range.upperBound), entries.count))
        switch edit {
        // An inserted element was in no list before; a move brings none.
        case .insert, .move: return []
        case .replace(let seen, let entry):
            guard let entry, let found = seen.index(in: entries), found < start || found >= end else { return [] }
            return [entry.handle]
        case .set(let entries, _):
            let others = self.entries.slice(0, min(start, end)) + self.entries.slice(end, self.entries.count)
            return Set(entries.map(\.handle)).intersection(others.map(\.handle))
        }
    }

    /// Applies one splice of a commit.
    ///
    /// - Parameter make: the entry of an element that came; `nil` if that is not shown.
    /// - Returns: the change of the entries; `nil` if the stored list has no such positions, so that this is not it.
    mutating func apply(
        _ splice: ListSplice, _ make: (ModelIdentifier) -> Entry<T>?
    ) -> EntrySplice<T>? {
        guard splice.range.upperBound <= count else { return nil }
        let (start, end) = (index(of: splice.range.lowerBound), index(of: splice.range.upperBound))
        let removed = entries.slice(start, end)
        let growth = splice.elements.count - splice.range.count
        var kept: [HiddenElement] = []
        var behind: [HiddenElement] = []
        for element in hidden where !splice.range.contains(element.position) {
            if element.position < splice.range.lowerBound {
                kept.append(element)
            } else {
                behind.append(HiddenElement(element.position + growth, element.identifier))
            }
        }
        var came: [Entry<T>] = []
        for (offset, identifier) in splice.elements.enumerated() {
            if let entry = make(identifier) {
                came.append(entry)
            } else {
                kept.append(HiddenElement(splice.range.lowerBound + offset, identifier))
            }
        }
        hidden = kept + behind
        entries.replace(start, end, with: came)
        return EntrySplice(start: start, removed: removed, inserted: came)
    }
}

/// A replacement of some entries of a list by others.
struct EntrySplice<T: SimpleModel>: Sendable {
    let start: Int
    let removed: [Entry<T>]
    let inserted: [Entry<T>]

    var isEmpty: Bool { removed.isEmpty && inserted.isEmpty }

    /// The change without the elements that stay at either end.
    var trimmed: EntrySplice {
        let (before, behind) = removed.sharedEnds(with: inserted)
        return EntrySplice(
            start: start + before, removed: Array(removed[before..<removed.count - behind]),
            inserted: Array(inserted[before..<inserted.count - behind]))
    }
}

/// An edit of this manager that the cache has not reported as made.
struct PendingEdit<T: SimpleModel>: Sendable {
    /// Its number; none if the cache has not got it.
    var ticket: EditTicket
    var edit: EntryEdit<T>
    /// The number of wipes of the cache when it was made.
    let wipes: WipeCount
    /// Whether it stands for edits that the cache has refused, which are saved when it takes calls again.
    var wasRefused = false
    /// Whether it is a whole list that the network brought, under which the edits before it are applied again.
    var isAnswer = false

    /// Whether the cache makes it with the next edit that is stored.
    var isKept: Bool { ticket == .none && !wasRefused }
}

/// The changes that one commit made to a list, as they were told.
struct ListNews: Sendable {
    let commit: CommitNumber
    /// The number of this manager's own edit.
    let ticket: EditTicket
    let splices: [ListSplice]
    /// Whether the one splice is the whole list.
    let isWhole: Bool
}

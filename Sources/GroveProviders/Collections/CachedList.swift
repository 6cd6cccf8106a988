import GroveModel

/// The list as the cache has it, as far as is known, and the edits over it that the cache has not reported as made.
struct CachedList<T: SimpleModel> {
    /// Whether the cache has the list, as far as is known, so that an edit of it will do.
    var isThere = false
    /// The commit as of which the cache's list is known; `nil` if it is not known, so that news of it do not help.
    var commit: CommitNumber?
    /// The list without the pending edits; `nil` if there are none.
    var committed: PersistentVector<Entry<T>>?
    /// The elements of the cache's list that are not shown.
    var hidden: [HiddenElement] = []
    /// Elements whose models were deleted since one of the pending edits.
    var gone: Set<Int> = []
    /// The edits that are shown and that the cache was not told to have made yet, in order.
    var pending: [PendingEdit<T>] = []
    /// The number of the last edit that replaced the whole list.
    var lastWhole = EditTicket.none
    /// The number of wipes of the cache when the whole list was set or read.
    private(set) var wipes = WipeCount.zero
    /// The number of wipes by other processes at that time.
    private var wipesByOthers = WipeCount.zero
    /// Whether rows from before the cache was emptied are shown.
    var showsRowsOfBefore = false

    /// The handles of the elements that pending edits bring and that the cache's list does not have yet.
    var handlesOfPending: Set<Int> {
        guard let committed, !pending.isEmpty else { return [] }
        let there = Set(committed.slice(0, committed.count).map(\.handle))
        return Set(pending.flatMap(\.edit.entries).map(\.handle)).subtracting(there)
    }

    /// Forgets the list and its edits, as everything was emptied.
    mutating func clear() {
        isThere = false
        (pending, committed, hidden, commit) = ([], nil, [], nil)
    }

    /// Makes `list` the cache's list, under the pending edits.
    mutating func take(_ list: ListBase<T>) {
        hidden = list.hidden
        committed = pending.isEmpty ? nil : list.entries
        if pending.isEmpty { gone = [] }
    }

    /// Gives an element of the cache's list the model that is shown.
    mutating func update(_ handle: Int, near index: Int, to entry: Entry<T>) {
        guard let place = committed?.index(of: handle, near: index),
            committed?[place].model.modelIdentifier == entry.model.modelIdentifier
        else { return }
        committed?[place] = entry
    }

    /// Hides the element of `handle`, whose model was deleted, under the pending edits; false if there are none.
    mutating func hide(_ handle: Int, near index: Int) -> Bool {
        guard let committed else { return false }
        gone.insert(handle)
        if let place = committed.index(of: handle, near: index) {
            hidden = ListBase(entries: committed, hidden: hidden).hiding(place)
            self.committed?.replace(place, place + 1, with: [])
        }
        return true
    }

    // MARK: Pending edits

    /// Adds an edit of the list that was shown as `before`.
    mutating func add(_ edit: PendingEdit<T>, to before: PersistentVector<Entry<T>>) {
        if committed == nil { committed = before }
        pending.append(edit)
    }

    /// Drops and returns the edits up to `ticket`, which the cache has made.
    @discardableResult
    mutating func endEdits(through ticket: EditTicket) -> [PendingEdit<T>] {
        func isMade(_ edit: PendingEdit<T>) -> Bool { edit.ticket != .none && edit.ticket <= ticket }
        // Edits before a whole list make no difference.
        let whole = pending.lastIndex { $0.edit.isWhole && isMade($0) } ?? -1
        defer { pending = pending.enumerated().filter { $0 > whole && !isMade($1) }.map(\.element) }
        return pending.enumerated().filter { $0 <= whole || isMade($1) }.map(\.element)
    }

    /// Merges the edits up to `ticket`, which the cache has refused, into one whole list in memory.
    ///
    /// It is stored when the cache takes calls again; until then there may be many of them.
    mutating func settleRefused(through ticket: EditTicket) {
        guard let last = pending.lastIndex(where: { $0.ticket != .none && $0.ticket <= ticket }), var list = committed
        else {
            return
        }
        for edit in pending[...last] { edit.edit.apply(to: &list) }
        let whole = PendingEdit(
            ticket: .none, edit: EntryEdit.set(list.slice(0, list.count)), wipes: pending[last].wipes, wasRefused: true)
        pending.replaceSubrange(...last, with: CollectionOfOne(whole))
    }

    /// Drops the edits from before these wipes, and the list if it is from before them; `rows` rows are still shown.
    ///
    /// Edits from before another process emptied it stay, as edits of an empty list.
    mutating func endEdits(before wipes: WipeCount, _ wipesByOthers: WipeCount, rows: Int) {
        pending.removeAll { $0.wipes != wipes }
        guard self.wipes != wipes || self.wipesByOthers != wipesByOthers else { return }
        noteWipes(wipes, wipesByOthers, showsRowsOfBefore: rows > 0)
        (committed, hidden, commit) = (PersistentVector(), [], nil)
    }

    /// Notes the numbers of wipes as of which the list is known.
    mutating func noteWipes(_ wipes: WipeCount, _ wipesByOthers: WipeCount, showsRowsOfBefore: Bool = false) {
        (self.wipes, self.wipesByOthers, self.showsRowsOfBefore) = (wipes, wipesByOthers, showsRowsOfBefore)
    }
}

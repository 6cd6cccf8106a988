import GroveConsistency
import GroveModel

/// The list that is shown: the cache's list, under the pending edits.
extension CollectionStore {
    /// The differences of the shown list once the cache's list is `list`, under the pending edits.
    ///
    /// - Parameters:
    ///   - before: the cache's list before.
    ///   - former: the edits that were pending then.
    ///   - splices: the changes of the cache's list.
    /// - Complexity: O(*m*) for *m* elements that come, go or are pending, unless the element beside which a pending
    ///   edit was made is gone.
    /// - Returns: `nil` if all rows must be compared.
    func differences(
        of before: PersistentVector<Entry<T>>, _ former: [PendingEdit<T>], _ splices: [EntrySplice<T>],
        _ list: PersistentVector<Entry<T>>
    ) -> [EntrySplice<T>]? {
        guard cached.gone.isEmpty else { return nil }
        if former.isEmpty { return cached.committed == nil ? splices.filter { !$0.isEmpty } : nil }
        if former.contains(where: \.edit.isWhole) { return nil }
        var (shown, new) = (before, list)
        let made = former.flatMap { $0.edit.apply(to: &shown) }
        let again = cached.pending.flatMap { $0.edit.apply(to: &new) }
        guard shown.count == rows.entries.count else { return nil }
        var ranges = ChangedRanges()
        for splice in made.reversed() {
            ranges.note(splice.start, removed: splice.inserted.count, inserted: splice.removed.count)
        }
        for splice in splices + again {
            ranges.note(splice.start, removed: splice.removed.count, inserted: splice.inserted.count)
        }
        var found: [EntrySplice<T>] = []
        for change in ranges.changes {
            let (old, known) = (change.old.lowerBound, change.old.upperBound)
            let removed = rows.entries.slice(old, known)
            // The rows that are shown are not those that these edits make of the list.
            guard removed.map(\.handle) == shown.slice(old, known).map(\.handle) else { return nil }
            var revisions: [Int: Int] = [:]
            for entry in removed { revisions[entry.handle] = entry.revision }
            let inserted = new.slice(change.new.lowerBound, change.new.upperBound).map { entry in
                let shown = rows.newest(entry)
                return shown.revision >= entry.revision ? shown : entry
            }
            // A new version of an element that stays is told as an update.
            guard inserted.allSatisfy({ revisions[$0.handle] ?? $0.revision == $0.revision }) else { return nil }
            let splice = EntrySplice(start: change.new.lowerBound, removed: removed, inserted: inserted).trimmed
            if !splice.isEmpty { found.append(splice) }
        }
        return found
    }

    /// Shows `list`, the cache's list, under the pending edits; the list that is shown changes by `splices`.
    ///
    /// - Complexity: O(*m*) for *m* elements that come or go, whatever there is beside them.
    /// - Parameter read: the models that were read.
    /// - Returns: the changes; `nil`, and then nothing changes, as for ``show(_:asOf:over:reading:)``.
    func show(
        _ list: ListBase<T>, _ splices: [EntrySplice<T>], asOf began: Turn, over fresh: Set<ModelIdentifier>,
        reading read: [ModelIdentifier: T]
    ) -> [CollectionChangeInformation]? {
        let splices = splices.map { splice in
            EntrySplice(
                start: splice.start, removed: splice.removed, inserted: splice.inserted.map { coming($0, read) })
        }
        // The handles from before, and the entries that came; an element that moves is not new.
        let known = Set(splices.flatMap { $0.removed.map(\.handle) }.filter { rows.position(of: $0) != nil })
        let inserted = splices.flatMap(\.inserted).filter { !known.contains($0.handle) }
        guard inserted.compactMap(\.model.modelIdentifier).allSatisfy({ read[$0] != nil }) else { return nil }
        let came = Set(inserted.map(\.handle))
        cached.take(list)
        rows.take(splices)
        var information: [CollectionChangeInformation] = []
        for splice in splices {
            information += splice.removed.indices.reversed().map { .delete(index: splice.start + $0) }
            information += splice.inserted.indices.map { .insert(index: splice.start + $0) }
        }
        listen(
            to: came.compactMap { rows.position(of: $0) }, asOf: began, over: fresh,
            leaving: known.filter { rows.position(of: $0) == nil })
        return information
    }

    /// An element that comes to be shown: the version kept while an edit hid it may be older than the one that was
    /// read.
    private func coming(_ entry: Entry<T>, _ read: [ModelIdentifier: T]) -> Entry<T> {
        guard rows.position(of: entry.handle) == nil, let model = entry.model.modelIdentifier.flatMap({ read[$0] }),
            !entry.model.isEqual(to: model)
        else { return entry }
        var entry = entry
        entry.model = model
        entry.revision += 1
        return entry
    }

    /// Makes `list` the cache's list, and shows it under the pending edits.
    ///
    /// - Parameter read: the models that were read; `nil` for all.
    /// - Returns: the changes; `nil`, and then nothing changes, if an element that an edit had hidden comes back and
    ///   was not read: its newest version is not known.
    func show(
        _ list: ListBase<T>, asOf began: Turn, over fresh: Set<ModelIdentifier>, reading read: [ModelIdentifier: T]?
    ) -> [CollectionChangeInformation]? {
        let isWhole = read == nil
        var new = list.entries
        // Edits before a whole list make no difference.
        let first = cached.pending.lastIndex(where: \.edit.isWhole) ?? 0
        for edit in cached.pending.dropFirst(first) { edit.edit.apply(to: &new) }
        for index in (0..<new.count).reversed() where !cached.pending.isEmpty && cached.gone.contains(new[index].handle)
        {
            new.replace(index, index + 1, with: [])
        }
        // The version of an element that is shown may be newer than the one that was kept.
        for index in 0..<new.count {
            let entry = coming(rows.newest(new[index]), read ?? [:])
            if entry.revision > new[index].revision { new[index] = entry }
        }
        let (before, after) = (rows.entries.slice(0, rows.entries.count), new.slice(0, new.count))
        let (start, kept) = before.sharedEnds(with: after)
        let (left, came) = (start..<before.count - kept, start..<after.count - kept)
        let known = Set(before[left].map(\.handle))
        if let read {
            let back = after[came].filter { !known.contains($0.handle) }.compactMap(\.model.modelIdentifier)
            guard back.allSatisfy({ read[$0] != nil }) else { return nil }
        }
        cached.take(list)
        var information = left.reversed().map { CollectionChangeInformation.delete(index: $0) }
        information += came.map { .insert(index: $0) }
        for index in after.indices where !came.contains(index) {
            let old = before[index < start ? index : index + before.count - after.count]
            if old.revision != after[index].revision { information.append(.update(index: index)) }
        }
        let there = Set(after[came].map(\.handle))
        let leaving = isWhole ? before.map(\.handle) : before[left].map(\.handle).filter { !there.contains($0) }
        rows.replace(left, with: after[came])
        for index in after.indices where !came.contains(index) {
            if rows.entries[index].revision != after[index].revision { rows.entries[index] = after[index] }
        }
        listen(
            to: isWhole ? Array(0..<rows.entries.count) : came.filter { !known.contains(rows.entries[$0].handle) },
            asOf: began,
            over: fresh, leaving: leaving)
        return information
    }

    /// Listens to the elements at `indices`, which were read as of `began`.
    ///
    /// They ignore earlier news; their changes since the read are told once they are listened to.
    private func listen(
        to indices: [Int], asOf began: Turn, over fresh: Set<ModelIdentifier>, leaving: some Sequence<Int>
    ) {
        let joined = indices.map { (handle: rows.entries[$0].handle, model: Leaf.node(rows.entries[$0].model)) }
        let joinedAt = manager.consistencyManager.joinFetched(
            began, key, joined, leaving: Array(leaving), over: fresh)
        for index in indices { rows.entries[index].editedAt = max(rows.entries[index].editedAt, joinedAt.previous) }
    }
}

import GroveConsistency
import GroveModel

/// What is shown of a list that the cache has read or told of: it, under the edits that are pending.
extension CollectionStore {
    /// What of the shown list differs once the cache's list is `list`, under the edits that are pending.
    ///
    /// - Parameters:
    ///   - before: the cache's list before.
    ///   - former: the edits that were pending then.
    ///   - splices: what became of the cache's list.
    /// - Complexity: O(*m*) for *m* elements that come, go or are pending, unless what a pending edit was made beside is gone.
    /// - Returns: `nil` if all rows must be compared.
    func differences(
        of before: PersistentVector<Entry<T>>, _ former: [PendingEdit<T>], _ splices: [EntrySplice<T>],
        _ list: PersistentVector<Entry<T>>
    ) -> [EntrySplice<T>]? {
        guard gone.isEmpty else { return nil }
        if former.isEmpty { return committed == nil ? splices.filter { !$0.isEmpty } : nil }
        if former.contains(where: \.edit.isWhole) { return nil }
        var (shown, new) = (before, list)
        let made = former.flatMap { $0.edit.apply(to: &shown) }
        let again = pending.flatMap { $0.edit.apply(to: &new) }
        guard shown.count == entries.count else { return nil }
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
            let removed = entries.slice(old, known)
            // What is shown is not what these edits make of the list.
            guard removed.map(\.handle) == shown.slice(old, known).map(\.handle) else { return nil }
            var revisions: [Int: Int] = [:]
            for entry in removed { revisions[entry.handle] = entry.revision }
            let inserted = new.slice(change.new.lowerBound, change.new.upperBound).map { entry in
                let shown = newest(entry)
                return shown.revision >= entry.revision ? shown : entry
            }
            // Another version of an element that stays is told as that.
            guard inserted.allSatisfy({ revisions[$0.handle] ?? $0.revision == $0.revision }) else { return nil }
            let splice = EntrySplice(start: change.new.lowerBound, removed: removed, inserted: inserted).trimmed
            if !splice.isEmpty { found.append(splice) }
        }
        return found
    }

    /// Shows `list`, which is what the cache has, under the edits that are pending; that differs from what is shown by `splices`.
    ///
    /// - Complexity: O(*m*) for *m* elements that come or go, whatever there is beside them.
    /// - Parameter read: the models that were read.
    /// - Returns: what changed; `nil`, and then nothing does, as for ``show(_:asOf:over:reading:)``.
    func show(
        _ list: ListBase<T>, _ splices: [EntrySplice<T>], asOf began: Turn, over fresh: Set<ModelIdentifier>,
        reading read: [ModelIdentifier: T]
    ) -> [CollectionChangeInformation]? {
        let splices = splices.map { splice in
            EntrySplice(
                start: splice.start, removed: splice.removed, inserted: splice.inserted.map { coming($0, read) })
        }
        // What was there before, and what came: what moves is not new.
        let known = Set(splices.flatMap { $0.removed.map(\.handle) }.filter { position(of: $0) != nil })
        let inserted = splices.flatMap(\.inserted).filter { !known.contains($0.handle) }
        guard inserted.compactMap(\.model.modelIdentifier).allSatisfy({ read[$0] != nil }) else { return nil }
        let came = Set(inserted.map(\.handle))
        hidden = list.hidden
        committed = pending.isEmpty ? nil : list.entries
        take(splices)
        var information: [CollectionChangeInformation] = []
        for splice in splices {
            information += splice.removed.indices.reversed().map { .delete(index: splice.start + $0) }
            information += splice.inserted.indices.map { .insert(index: splice.start + $0) }
        }
        listen(
            to: came.compactMap { position(of: $0) }, asOf: began, over: fresh,
            leaving: known.filter { position(of: $0) == nil })
        return information
    }

    /// An element as it comes to be shown: what was kept of it while an edit hid it may be older than what was read.
    private func coming(_ entry: Entry<T>, _ read: [ModelIdentifier: T]) -> Entry<T> {
        guard position(of: entry.handle) == nil, let model = entry.model.modelIdentifier.flatMap({ read[$0] }),
            !entry.model.isEqual(to: model)
        else { return entry }
        var entry = entry
        entry.model = model
        entry.revision += 1
        return entry
    }

    /// Makes `list` what the cache has, and shows it under the edits that are pending.
    ///
    /// - Parameter read: the models that were read; `nil` for all.
    /// - Returns: what changed; `nil`, and then nothing does, if an element comes back that an edit had hidden, and that was not read:
    ///   what became of it meanwhile is not known.
    func show(
        _ list: ListBase<T>, asOf began: Turn, over fresh: Set<ModelIdentifier>, reading read: [ModelIdentifier: T]?
    ) -> [CollectionChangeInformation]? {
        let isWhole = read == nil
        var new = list.entries
        // What is before a whole list makes no difference.
        let first = pending.lastIndex(where: \.edit.isWhole) ?? 0
        for edit in pending.dropFirst(first) { edit.edit.apply(to: &new) }
        for index in (0..<new.count).reversed() where !pending.isEmpty && gone.contains(new[index].handle) {
            new.replace(index, index + 1, with: [])
        }
        // What is shown of an element may be newer than what was kept of it.
        for index in 0..<new.count {
            let entry = coming(newest(new[index]), read ?? [:])
            if entry.revision > new[index].revision { new[index] = entry }
        }
        let (before, after) = (entries.slice(0, entries.count), new.slice(0, new.count))
        let (start, kept) = before.sharedEnds(with: after)
        let (left, came) = (start..<before.count - kept, start..<after.count - kept)
        let known = Set(before[left].map(\.handle))
        if let read {
            let back = after[came].filter { !known.contains($0.handle) }.compactMap(\.model.modelIdentifier)
            guard back.allSatisfy({ read[$0] != nil }) else { return nil }
        }
        hidden = list.hidden
        committed = pending.isEmpty ? nil : list.entries
        if pending.isEmpty { gone = [] }
        var information = left.reversed().map { CollectionChangeInformation.delete(index: $0) }
        information += came.map { .insert(index: $0) }
        for index in after.indices where !came.contains(index) {
            let old = before[index < start ? index : index + before.count - after.count]
            if old.revision != after[index].revision { information.append(.update(index: index)) }
        }
        let there = Set(after[came].map(\.handle))
        let leaving = isWhole ? before.map(\.handle) : before[left].map(\.handle).filter { !there.contains($0) }
        replace(left, with: after[came])
        for index in after.indices where !came.contains(index) {
            if entries[index].revision != after[index].revision { entries[index] = after[index] }
        }
        listen(
            to: isWhole ? Array(0..<entries.count) : came.filter { !known.contains(entries[$0].handle) }, asOf: began,
            over: fresh, leaving: leaving)
        return information
    }

    /// Listens to what was read as of `began` and is shown at `indices`.
    ///
    /// News from before are not for it: what became of it since it was read is told once it is listened to.
    private func listen(
        to indices: [Int], asOf began: Turn, over fresh: Set<ModelIdentifier>, leaving: some Sequence<Int>
    ) {
        let joined = indices.map { (handle: entries[$0].handle, model: Leaf.node(entries[$0].model)) }
        let joinedAt = manager.consistencyManager.joinFetched(
            began, key, joined, leaving: Array(leaving), over: fresh)
        for index in indices { entries[index].editedAt = max(entries[index].editedAt, joinedAt.previous) }
    }
}

import GroveConsistency
import GroveModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension CollectionStore {
    /// Shows the list that others stored, unless it was edited meanwhile in memory only.
    ///
    /// - Parameters:
    ///   - isWiped: whether the cache was emptied, so that a list that it does not have is gone.
    ///   - unknown: elements that the list may hold no more, so that they are to be read too.
    func follow(isWiped: Bool = false, except unknown: Set<ModelIdentifier> = []) {
        // A load that is under way may have looked before.
        guard !isLoading else {
            return followsLater = (
                (followsLater?.isWiped ?? false) || isWiped, unknown.union(followsLater?.unknown ?? [])
            )
        }
        guard isLoaded else { return }
        let (before, resets) = (changes, resets)
        let consistency = manager.consistencyManager
        manager.readList(cacheKey, known: entries, key, except: unknown, missing: missing) {
            [manager, key, cacheKey] (fetch, epoch, read: CacheRead<[T]>?) in
            consistency.graftFetched(fetch, models: (read?.value ?? []).map { Leaf.node($0) }, isFollowing: true) {
                newest in
                let isCurrent = self.changes == before && self.resets == resets
                guard isCurrent, !manager.isOver(epoch), read?.value != nil else {
                    consistency.joinFetched(fetch, nil, [])
                    if manager.isOver(epoch) { return }
                    if !isCurrent {
                        // What it is since then is stored by now, or will be; unless it was not to be.
                        if isWiped || self.inMemoryAt <= before { self.follow(isWiped: isWiped, except: unknown) }
                    } else if isWiped {
                        self.clearForWipe(at: manager.now())
                    } else if case .miss(let miss) = read, miss.identifier.rawValue != cacheKey {
                        self.tellLacking(miss)
                    }
                    return
                }
                let shown = self.shownBeforeEdit
                let information = self.show(newest.compactMap { $0.flatMap { Leaf.base($0) as? T } })
                consistency.joinFetched(
                    fetch, key,
                    self.entries.slice(0, self.entries.count).map { ($0.handle, Leaf.node($0.model)) },
                    isFollowing: true)
                self.tellWhole()
                // Who is told may edit; so that comes last.
                guard !information.isEmpty else { return }
                self.tell(.changes(information), by: [], context: nil, at: manager.now(), before: shown)
            }
        }
    }

    /// Tells the owners that others changed the list, and that it is not whole: what is shown stays.
    private func tellLacking(_ miss: CacheMiss) {
        for holder in viewers { holder.viewer?.updateState { $0.note(.missing(miss)) } }
    }

    /// Tells owners that were told otherwise that what they show is whole.
    private func tellWhole() {
        for holder in viewers {
            guard let viewer = holder.viewer, case .missing = viewer.state else { continue }
            viewer.updateState { $0.noteData() }
        }
    }

    func note(lacking misses: [ModelIdentifier: CacheMiss], whole: Set<ModelIdentifier>, readAt time: Date) {
        for index in 0..<entries.count {
            let element = Leaf.node(entries[index].model)
            if element.holds(oneOf: whole) { tellWhole() }
            if let miss = misses.first(among: element) { return tellLacking(miss) }
        }
    }

    /// Makes `models` the list: what is the same at both ends keeps its place.
    ///
    /// The engine lets all elements go until they join again.
    ///
    /// - Returns: what changed.
    private func show(_ models: [T]) -> [CollectionChangeInformation] {
        func isSame(_ entry: Entry<T>, _ model: T) -> Bool {
            entry.model.modelIdentifier.map { $0 == model.modelIdentifier } ?? entry.model.isEqual(to: model)
        }
        let handles = entries.slice(0, entries.count).map(\.handle)
        let shared = min(entries.count, models.count)
        let start = (0..<shared).first { !isSame(entries[$0], models[$0]) } ?? shared
        let end = (0..<shared - start).first {
            !isSame(entries[entries.count - 1 - $0], models[models.count - 1 - $0])
        }
        let kept = end ?? shared - start
        let (left, came) = (start..<entries.count - kept, start..<models.count - kept)
        var information = left.reversed().map { CollectionChangeInformation.delete(index: $0) }
        for index in left.reversed() { remove(at: index) }
        if !came.isEmpty { insert(came.map { entry(models[$0]) }, at: start) }
        information += came.map { .insert(index: $0) }
        for index in models.indices where !came.contains(index) && !entries[index].model.isEqual(to: models[index]) {
            replace(models[index], at: index)
            information.append(.update(index: index))
        }
        // News from before this are not for any of them.
        markEdited(
            at: manager.consistencyManager.edit(key, leaving: handles, joining: [], posting: [], context: nil))
        return information
    }
}

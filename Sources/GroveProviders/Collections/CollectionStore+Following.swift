import GroveConsistency
import GroveModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension CollectionStore {
    /// How this list is read again: see ``DataModelManager/markStale(_:)``.
    func reader(of name: ModelIdentifier) -> ListReader {
        let (consistency, key, type) = (manager.consistencyManager, key, T.self)
        let missing = missing
        return ListReader(name: name, subscription: key) { [weak self] view, known, began, isWiped in
            view?.know(known)
            let skips = missing.withLock { $0 } == .skip
            var read = view?.list(name, of: type, missing: .miss)
            var miss = read?.miss
            if skips, let found = miss, found.identifier != name, found.reason != .deleted {
                read = view?.list(name, of: type, missing: .skip)
            }
            if miss?.reason == .deleted { miss = nil }
            consistency.graftFetched(began, models: (read?.value ?? []).map { Leaf.node($0) }, isFollowing: true) {
                [read, miss] newest in
                guard let self else { return consistency.joinFetched(began, nil, []) }
                let models = read?.value.map { _ in newest.compactMap { $0.flatMap { Leaf.base($0) as? T } } }
                self.show(models, miss, asOf: began, isWiped: isWiped)
            }
        }
    }

    /// Shows `models`, which were read as of `began`, unless the list was edited since.
    ///
    /// - Parameters:
    ///   - models: `nil` if there is no list, or not all of it.
    ///   - miss: what the cache does not have.
    ///   - isWiped: whether the cache was emptied, so that a list that it does not have is gone.
    private func show(_ models: [T]?, _ miss: CacheMiss?, asOf began: Turn, isWiped: Bool) {
        let consistency = manager.consistencyManager
        let name = ModelIdentifier(cacheKey ?? "")
        func end() { consistency.joinFetched(began, nil, []) }
        // A load that is under way may have looked before.
        guard !isLoading else {
            isStale = true
            return end()
        }
        interested.removeAll { $0.viewer == nil }
        guard isLoaded || !interested.isEmpty, !consistency.isCancelled(since: began) else { return end() }
        guard editedAt <= began else {
            end()
            // What it is since then is stored by now, or will be; unless it was not to be.
            if isWiped || inMemoryAt <= began { manager.markStale([.list(name)]) }
            return
        }
        if let miss { wait(for: miss.identifier, name) }
        guard let models else {
            end()
            if isWiped, isLoaded {
                clearForWipe(at: manager.now())
            } else if let miss, isLoaded {
                tellLacking(miss)
            }
            return
        }
        let shown = shownBeforeEdit
        let information = show(models)
        let isNew = !isLoaded
        isLoaded = true
        consistency.joinFetched(
            began, key, entries.slice(0, entries.count).map { ($0.handle, Leaf.node($0.model)) }, isFollowing: true)
        tellWhole()
        // Who is told may edit; so that comes last.
        guard !information.isEmpty || isNew else { return }
        tell(.changes(information), by: [], context: nil, at: manager.now(), before: shown)
    }

    /// Lets the list be read again when the cache has the node that it lacks.
    private func wait(for missing: ModelIdentifier, _ name: ModelIdentifier) {
        guard manager.followed != nil else { return }
        _ = manager.stale.withLock { $0.wait(.list(name), for: missing) }
    }

    /// Lets `viewer`, which shows nothing, have the list as soon as somebody brings it.
    func addInterest(_ viewer: CollectionDataProvider<T>, lacking missing: ModelIdentifier) {
        interested.removeAll { $0.viewer == nil || $0.viewer === viewer }
        interested.append(WeakViewer(viewer: viewer))
        guard let cacheKey else { return }
        wait(for: missing, ModelIdentifier(cacheKey))
        // What came in the meantime is read now.
        manager.markStale([.list(ModelIdentifier(cacheKey))])
    }

    func removeInterest(_ viewer: CollectionDataProvider<T>) {
        interested.removeAll { $0.viewer == nil || $0.viewer === viewer }
    }

    /// Gives the list to those who asked for it when nobody had it.
    func welcome(_ context: (any Sendable)?, at time: Date) {
        guard isLoaded, !interested.isEmpty else { return }
        let welcomed = interested.compactMap(\.viewer)
        interested = []
        for viewer in welcomed { viewer.takeAwaited(self, context, at: time) }
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

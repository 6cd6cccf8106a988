import GroveConsistency
import GroveModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A manager over a cache that can be followed: each commit of the cache reaches every holder of its models and every
/// provider that waits for one.
///
/// Data that may be older than the cache are *stale*. One loop reads all stale data in one view, behind every write
/// that was called before. It shows them as of that moment: changes since, by any writer, win over the read.
extension DataModelManager {
    /// Marks as stale the data that other writers committed.
    ///
    /// Called in the order of commits.
    func follow(_ changes: any CommittedChanges) {
        if changes.ticket != .none {
            // An edit of this manager's own: the list that is shown has it.
            stale.withLock { $0.mark(changes) }
            return readStale()
        }
        // Replaced files leave the data that are shown; a wipe does not, and is told by itself.
        if noteLife(isShown: changes.extent == .anything && !changes.beginsLife) { endRequests() }
        // Refused saves are made again before the cache is read.
        saveAgain(isNow: changes.extent != .named)
        inOrder { _ in
            consistencyManager.learn(changes)
            stale.withLock { $0.mark(changes) }
        }
        readStale()
    }

    /// Marks models and lists as stale, by name.
    func markStale(_ keys: some Sequence<StaleSet.Key>) {
        guard followed != nil else { return }
        stale.withLock { $0.mark(keys) }
        readStale()
    }

    /// Marks as stale the nodes that a read or an answer has brought: see ``ConsistencyManager/onStale(_:)``.
    func markStale(_ nodes: Set<ModelIdentifier>, deleted: Set<ModelIdentifier>, isEmptied: Bool) {
        stale.withLock { stale in
            if isEmptied { stale.markEmptied(nodes) } else { stale.mark(nodes.map { .model($0) }) }
            stale.markDeleted(deleted)
        }
        readStale()
    }

    /// Reads the models of a save again if it was not stored whole, was late, or came after everything was emptied.
    func markStale(
        _ models: @autoclosure () -> [any SimpleModel], after outcome: SaveOutcome, isLate: Bool = false
    ) {
        switch outcome {
        case .stored(isWhole: true, _) where !isLate: break
        case .stored: markStale(models().identifiers.map { .model($0) })
        case .refused(let error, _):
            guard error.code == .cancelled else { return }
            markEmptied(models().identifiers)
        }
    }

    /// Reads models again that are from before everything was emptied: those that the cache does not have are gone.
    func markEmptied(_ models: Set<ModelIdentifier>) {
        guard followed != nil else { return }
        stale.withLock { $0.markEmptied(models) }
        readStale()
    }

    /// Marks as stale the data that wait for a node in `models`, or for the list or key `name`, which this manager has
    /// just saved.
    func wakeWhatLacks(_ models: [any SimpleModel], named name: ModelIdentifier? = nil) {
        guard stale.withLock({ $0.watchesSaves }) else { return }
        let saved = models.identifiers.union([name].compactMap(\.self))
        stale.withLock { $0.wake(by: saved) }
        readStale()
    }

    /// Ends the waits of models, lists and windows that have no owner any more, once many wait.
    private func forgetOwnerless() {
        guard let waiting = stale.withLock({ $0.beginForgetting() }) else { return }
        let (lists, windows) = screens.listReaders.withLock { (Set($0.values.map(\.name)), Set($0.keys)) }
        var models: Set<ModelIdentifier> = []
        var ownerless: Set<StaleSet.Key> = []
        for key in waiting {
            switch key {
            case .model(let identifier): models.insert(identifier)
            case .list(let name): if !lists.contains(name) { ownerless.insert(key) }
            case .window(let window): if !windows.contains(window) { ownerless.insert(key) }
            }
        }
        // In order: an owner that waits has begun to listen before.
        consistencyManager.findUnheld(models) { [stale, ownerless] unheld in
            stale.withLock { $0.forget(ownerless.union(unheld.map { .model($0) })) }
        }
    }

    /// Reads the stale data, unless a read is under way.
    private func readStale() {
        forgetOwnerless()
        guard let cache = followed, let batch = stale.withLock({ $0.begin() }) else { return }
        let held = Future<HeldStale>()
        inOrder { _ in
            let lists = screens.listReaders.withLock { readers in
                readers.values.compactMap { reader in
                    batch.reading(of: reader).map { BegunList(reader: reader, reading: $0, wish: reader.wishes()) }
                }
            }
            let began = consistencyManager.beginFollowing(
                batch.models, named: batch.models.names,
                lists: lists.map { ($0.reader.subscription, isWhole: $0.reading.isWhole || $0.reader.isWindow) },
                except: batch.unknown
            ) { held.put(HeldStale(changes: $0, elements: $1)) }
            onCache { [self] in
                let life = lifeNow
                let refused = calls.unsaved.withLock { $0.models }
                cache.readAgain { view in
                    self.show(batch, lists, held.take(), refused, view, asOf: began, of: life)
                    for body in self.stale.withLock({ $0.end() }) { body() }
                    self.readStale()
                }
            }
        }
    }

    /// The held versions of the stale data.
    private struct HeldStale: Sendable {
        let changes: ConsistencyManager.HeldChanges
        let elements: [SubscriptionKey: [any SimpleModel]]
    }

    /// A stale list, and the last wish of its reader before there is a view.
    private struct BegunList: Sendable {
        let reader: ListReader
        let reading: ListReading
        let wish: Int
    }

    /// Shows the stale data as `view` has them.
    ///
    /// - Parameters:
    ///   - refused: the models of which the cache had refused saves before the view.
    ///   - life: the life before the view.
    private func show(
        _ batch: StaleSet.Batch, _ lists: [BegunList], _ held: HeldStale,
        _ refused: [ModelIdentifier: CallNumber], _ view: (any FollowedView)?, asOf began: Turn, of life: Life
    ) {
        let isWiped = batch.models.extent == .emptied
        let readAt = now()
        if view == nil, !isWiped { stale.withLock { $0.keepUnread(batch) } }
        // A refused model is newer than the cache's, unless another writer has changed it since.
        let refused = refused.merging(calls.unsaved.withLock { $0.models }, uniquingKeysWith: max)
        let ahead =
            batch.models.beginsLife
            ? [] : Set(refused.keys.filter { !batch.models.commits.name($0, after: refused[$0] ?? .zero) })
        // Deletions are known without a read.
        let gone = view == nil ? batch.models.deletedAtLast : []
        view?.know(held.changes.known)
        var (misses, whole): ([ModelIdentifier: CacheMiss], Set<ModelIdentifier>) = ([:], [])
        let outcomes: [ConsistencyManager.Followed] = held.changes.wanted.map { wanted in
            switch view?.model(wanted.identifier, as: wanted.type) {
            case .hit(let model):
                whole.insert(wanted.identifier)
                return .model(model)
            // A model that requires a deleted one is deleted too.
            case .miss(let miss)
            where miss.reason == .deleted || isWiped || batch.emptied.contains(wanted.identifier)
                || batch.models.deletesAll(of: wanted.type):
                return .deleted
            case .miss(let miss):
                if miss.identifier != wanted.identifier { misses[wanted.identifier] = miss }
                return .unknown
            case nil: return isWiped || gone.contains(wanted.identifier) ? .deleted : .unknown
            }
        }
        consistencyManager.endFollowing(
            began, held.changes, outcomes, except: ahead,
            onRewritten: { [weak self] models, holders in
                self?.stale.withLock { stale in
                    stale.mark(models.union(holders).map { .model($0) })
                    stale.markLists(except: models)
                }
                self?.readStale()
            })
        if batch.models.beginsLife {
            let shown = lives.known.withLock(\.self)
            consistencyManager.afterDelivery { [lives] in lives.shown.withLock { $0 = shown } }
        }
        // The view takes elements that a list holds for all lists: they are held, and not read.
        let elements = lists.flatMap { held.elements[$0.reader.subscription] ?? [] }
        view?.know(elements)
        let known = Set((held.changes.known + elements).compactMap(\.modelIdentifier))
        for list in lists { list.reader.read(view, list.reading, known, ahead, began, life, isWiped, list.wish) }
        if !misses.isEmpty, !batch.models.commits.isEmpty {
            // A part of a tree that the cache has forgotten may be in memory: read by itself, the tree gets it from
            // there.
            stale.withLock { $0.mark(misses.keys.map { .model($0) }) }
            misses = [:]
        }
        tell(misses, whole, readAt)
    }

    /// Tells the owners of models that were read which of them miss a node, and which are whole again.
    private func tell(_ misses: [ModelIdentifier: CacheMiss], _ whole: Set<ModelIdentifier>, _ readAt: Date) {
        let (missing, settled) = stale.withLock { stale in
            let missing = misses.filter { stale.wait(.model($0.key), for: $0.value.identifier) }
            let settled = stale.isNobodyTold ? [] : stale.settle(whole)
            stale.tell(missing.keys)
            return (missing, settled)
        }
        guard !missing.isEmpty || !settled.isEmpty else { return }
        consistencyManager.afterDelivery { [weak self] in
            guard let self else { return }
            for holder in screens.providers.values {
                holder.provider?.note(missing: missing, whole: settled, readAt: readAt)
            }
            for holder in screens.stores.values { holder.store?.note(missing: missing, whole: settled, readAt: readAt) }
        }
    }
}

/// A reader that brings the list of a cache key up to date, off the main actor.
struct ListReader: Sendable {
    /// The cache key.
    let name: ModelIdentifier
    let subscription: SubscriptionKey
    /// Whether it is a window over the list, which reads its rows after all news.
    var isWindow = false
    /// The number of the last wish for rows: what was wished for before there is a view is shown by the read.
    var wishes: @Sendable () -> Int = { 0 }
    /// Brings the list up to date in a view, and shows it.
    ///
    /// It is given the identifiers that are held already, those that are held in newer versions than the cache has, and
    /// the turn and the life in which the read began.
    let read:
        @Sendable (
            _ view: (any FollowedView)?, _ reading: ListReading, _ known: Set<ModelIdentifier>,
            _ ahead: Set<ModelIdentifier>, _ began: Turn, _ life: DataModelManager.Life, _ isWiped: Bool,
            _ wish: Int
        ) -> Void
}

extension [any CommittedChanges] {
    /// Whether one of these, called after `call`, says that it changed `identifier`.
    fileprivate func name(_ identifier: ModelIdentifier, after call: CallNumber) -> Bool {
        contains { changes in
            changes.extent == .named && (changes.sequence == .zero || changes.sequence > call)
                && !changes.changed(among: CollectionOfOne(identifier)) { $0 == identifier }.isEmpty
        }
    }
}

extension [ModelIdentifier: CacheMiss] {
    /// The miss of the first node in `tree` that has one.
    func first(among tree: any Model) -> CacheMiss? {
        var found: CacheMiss?
        tree.forEachInOrder { model in
            if found == nil, let identifier = model.modelIdentifier { found = self[identifier] }
        }
        return found
    }
}

extension Model {
    /// Whether one of `identifiers` is in the tree.
    func holds(oneOf identifiers: Set<ModelIdentifier>) -> Bool {
        guard !identifiers.isEmpty else { return false }
        var isFound = false
        forEachInOrder { if let identifier = $0.modelIdentifier, identifiers.contains(identifier) { isFound = true } }
        return isFound
    }
}

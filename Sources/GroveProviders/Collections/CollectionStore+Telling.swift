import GroveConsistency
import GroveModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A state of a list: its elements, and the number of times that everything had been replaced.
struct ListState<T: Sendable>: Sendable {
    var entries: PersistentVector<Entry<T>>
    let resets: Int
}

/// One change of a shared list, on its way to the providers that share it.
@MainActor
struct CollectionNews<T: SimpleModel> {
    let number: Int
    let change: CollectionChange
    let context: (any Sendable)?
    let time: Date
    let after: ListState<T>
    let receivers: [ListAudience<T>.WeakViewer]
}

extension CollectionStore {
    /// The state before an edit, if a viewer may look at it before being told; holding it makes the edit copy a path.
    var shownBeforeEdit: ListState<T>? { audience.viewers.count > 1 || !audience.news.isEmpty ? rows.state : nil }

    /// Tells every viewer but `actors`, which know, of a change that was made.
    ///
    /// Each viewer is told of all changes in their order, and sees the list as it was before a change until told of it.
    /// That holds even if a viewer edits the list while it is told: its change waits until every viewer was told of the
    /// first one.
    func tell(
        _ change: CollectionChange, by actors: [CollectionDataProvider<T>], context: (any Sendable)?, at time: Date,
        before: ListState<T>?
    ) {
        noteRefused()
        welcome(context, at: time)
        audience.viewers.removeAll { $0.viewer == nil }
        audience.lastNews += 1
        let receivers = audience.viewers.filter { holder in !actors.contains { $0 === holder.viewer } }
        for holder in receivers { holder.viewer?.following.willTell(before: before, context: context, at: time) }
        let isTelling = !audience.news.isEmpty
        audience.news.append(
            CollectionNews(
                number: audience.lastNews, change: change, context: context, time: time, after: rows.state,
                receivers: receivers))
        guard !isTelling else { return }
        var next = 0
        while next < audience.news.count {
            let told = audience.news[next]
            next += 1
            for holder in told.receivers {
                guard let viewer = holder.viewer, viewer.store === self else { continue }
                viewer.take(told)
            }
            manager.consistencyManager.afterUpdate { self.finish(told.context) }
        }
        audience.news = []
    }

    /// Tells every viewer of a fetch; the viewers that asked for it are told as of a change of their own.
    func tellFetched(_ askers: [CollectionDataProvider<T>], _ context: (any Sendable)?) {
        let askers = askers.filter { $0.store === self }
        let time = manager.now()
        for asker in askers { asker.showNewest(context, at: time) }
        tell(.reset, by: askers, context: context, at: time, before: nil)
    }

    /// Lets the batches of all viewers tell the changes that were noted.
    func finish(_ context: (any Sendable)?) {
        for holder in audience.viewers { holder.viewer?.batchListener?.finishUpdate(context: context) }
    }
}

import GroveModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The point up to which a provider follows its shared list: while it is paused, or not told, it shows an older one.
struct ListFollowing<T: SimpleModel> {
    /// The list that is shown while the provider is paused or was not told of the newest changes.
    var snapshot: ListState<T>?
    /// Whether the owner edited the list that is shown before being told of newer changes.
    var isDiverged = false
    /// The last change of the store that the provider was told of or skipped.
    var toldThrough = 0
    var isPaused = false
    /// The context and the time of the last change that was not told yet.
    var missed: (context: (any Sendable)?, time: Date)?

    /// Shows the newest list of `store`; a paused provider stays with the state that the list has now.
    @MainActor
    mutating func showNewest(_ store: CollectionStore<T>) {
        snapshot = isPaused ? store.rows.state : nil
        isDiverged = false
        toldThrough = store.audience.lastNews
    }

    /// The shared list changed, of which the provider will be told in turn.
    mutating func willTell(before: ListState<T>?, context: (any Sendable)?, at time: Date) {
        if isPaused {
            missed = (context, time)
        } else if snapshot == nil {
            snapshot = before
        }
    }
}

import GroveModel

/// The load of a list from the cache: one for all callers that ask meanwhile, each of which waits for its end.
struct ListLoad<T: SimpleModel> {
    struct Waiter {
        weak var viewer: CollectionDataProvider<T>?
        let completion: @MainActor ([T]?, (any Error)?) -> Void
    }

    var isUnderWay = false
    var waiters: [Waiter] = []
    /// The number of loads; a wipe raises it, which ends a load under way.
    var count = 0
    /// The reason why the last load brought nothing, if it did not fail.
    var miss: CacheMiss?
    /// Whether others changed the list while it was being loaded.
    var isStale = false
    /// The treatment of an element that a read does not find: it is left out, once a viewer of the list wants that.
    let missing = Lock(MissingElements.miss)
}

import GroveModel

/// The owner's last request of a list: data that were set, a fetch or a load.
struct ListRequest<T: SimpleModel> {
    var state = RequestState()
    /// The number of the request; each has the next one.
    var number = 0
    /// The request that a load under way is about, and its key.
    var loading: (number: Int, cacheKey: String)?
    /// The list that was asked for, and that neither memory nor the cache has yet; the provider may show another one.
    var interest: CollectionStore<T>?

    /// Whether the list of `cacheKey` is being loaded, and nothing else was asked for since.
    func isLoading(_ cacheKey: String?) -> Bool { loading?.number == number && loading?.cacheKey == cacheKey }

    /// Notes the end of the load that is about the request of `number`.
    mutating func endLoad(of number: Int) {
        if loading?.number == number { loading = nil }
    }
}

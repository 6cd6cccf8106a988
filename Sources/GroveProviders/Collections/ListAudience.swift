import GroveModel

/// The providers that share a list, held weakly, and the changes that they are being told, in order.
@MainActor
struct ListAudience<T: SimpleModel> {
    struct WeakViewer {
        weak var viewer: CollectionDataProvider<T>?
    }

    /// The providers that share the list, in the order in which they came.
    var viewers: [WeakViewer] = []
    /// The viewers that show nothing and asked for the list when neither memory nor the cache had it.
    var interested: [WeakViewer] = []
    /// The number of changes that were told.
    var lastNews = 0
    /// The changes that are being told.
    var news: [CollectionNews<T>] = []

    /// Whether a provider that shares the list says that it holds each identifier once.
    var holdsEachOnce: Bool { viewers.contains { $0.viewer?.holdsEachOnce == true } }

    mutating func add(_ viewer: CollectionDataProvider<T>) { viewers.append(WeakViewer(viewer: viewer)) }

    mutating func remove(_ viewer: CollectionDataProvider<T>) {
        viewers.removeAll { $0.viewer == nil || $0.viewer === viewer }
    }

    mutating func removeInterest(_ viewer: CollectionDataProvider<T>) {
        interested.removeAll { $0.viewer == nil || $0.viewer === viewer }
    }
}

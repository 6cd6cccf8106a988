import GroveConsistency
public import GroveModel
public import Observation

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Holds some rows of a long list, each in its newest version, for a screen: what it costs follows these rows, not the list.
///
/// The rows are read from the cache and follow it, as ``CollectionDataProvider`` does. What others put in, remove or
/// move elsewhere leaves the shown rows as they are. Of what is put in at an end, a window at that end shows more, and any
/// other says ``hasLater`` or ``hasEarlier``. If a shown row is removed, the next one is shown in addition.
///
/// ```swift
/// let messages = WindowDataProvider<Message>(dataModelManager: manager)
/// messages.open("chat", at: .last)
/// ```
///
/// It works over the caches of Grove only; over another ``CacheDelegate`` the state is `.failed`, with code
/// `unsupported`. See Docs/Guides/LongLists.md.
@MainActor
@Observable
public final class WindowDataProvider<Element: SimpleModel> {
    /// The manager whose cache and engine are used.
    @ObservationIgnored public let dataModelManager: DataModelManager

    /// The rows that are in memory, in order, each of which is observed by itself: those of the cache, with what is
    /// pending in an outbox over them.
    ///
    /// A view that reads this is told when rows come, go or move. A row stays the same object as long as it is shown.
    public internal(set) var rows: [WindowRow<Element>] {
        get {
            access(keyPath: \.rows)
            return shownRows
        }
        set { withMutation(keyPath: \.rows) { shownRows = newValue } }
    }

    /// The same, for one that is not told of changes.
    @ObservationIgnored private(set) var shownRows: [WindowRow<Element>] = []
    /// The rows without what is pending over them: those that the cache has, and that are listened to.
    @ObservationIgnored var confirmedRows: [WindowRow<Element>] = []
    /// Their identifiers, and their positions in the list.
    @ObservationIgnored var confirmedNames: [ModelIdentifier?] = []
    @ObservationIgnored var confirmedPositions: [Int] = []
    /// The rows that are pending themselves.
    @ObservationIgnored var pendingRows: [ModelIdentifier: WindowRow<Element>] = [:]
    /// Whether something was pending when the rows were shown last.
    @ObservationIgnored var isLayered = false
    /// Those that show the rows in another order.
    @ObservationIgnored var arrangements = RowFollowers()

    /// The parts of the list beside these rows that the cache does not have, in order.
    public internal(set) var gaps: [WindowGap] = []

    /// The position of the first row that the cache has, all elements of the list counted; `nil` without rows.
    public internal(set) var position: Int?

    /// How many elements of the list the cache knows, deleted ones included; `nil` if it does not have the list.
    public internal(set) var knownCount: Int?

    /// Whether there are rows before those that are shown: in the cache, or as far as is known from the network.
    public internal(set) var hasEarlier = false

    /// Whether there are rows after those that are shown: in the cache, or as far as is known from the network.
    public internal(set) var hasLater = false

    /// How far the last request has come.
    public internal(set) var state = ProviderState.idle
    @ObservationIgnored private var request = RequestState()

    /// The key of the list; `nil` before the window is opened.
    public internal(set) var cacheKey: String?

    /// The row that stays where it is while rows come and go around it, if it is shown; set it to the first visible row.
    ///
    /// Without one, it is the row at which the last rows were asked for.
    @ObservationIgnored public var anchor: WindowRow<Element>? {
        didSet {
            let name = anchor?.model.modelIdentifier
            cursor.withLock { $0.named = name }
        }
    }

    @ObservationIgnored let key: SubscriptionKey
    @ObservationIgnored let cursor: Lock<WindowCursor>
    /// What the network is asked for at the ends.
    @ObservationIgnored var pages = WindowPages<Element>()
    /// Whether the cache has more at either end.
    @ObservationIgnored var cacheHasEarlier = false
    @ObservationIgnored var cacheHasLater = false
    /// Whether the cache has yet to be read for the first time since the window was opened.
    @ObservationIgnored var isOpening = false
    /// Whether everything was wiped, and nothing was asked for or shown since.
    @ObservationIgnored var isEmptied = false
    /// How many pages are on their way.
    @ObservationIgnored var loads = 0
    @ObservationIgnored private var waiting: [(wish: Int, continuation: CheckedContinuation<Void, Never>)] = []
    @ObservationIgnored var lastHandle = 0
    /// Whether rows were read that are gone already, so that others are read.
    @ObservationIgnored var isReadAgain = false

    /// Makes a window over no list.
    ///
    /// - Parameter limit: the most rows in memory, at least 2: those farthest from where the user is are let go of.
    public init(dataModelManager: DataModelManager, limit: Int = 200) {
        self.dataModelManager = dataModelManager
        cursor = Lock(WindowCursor(limit: max(limit, 2)))
        let relay = ProviderRelay()
        key = dataModelManager.consistencyManager.subscribe(relay, to: Element.self)
        relay.target = self
        dataModelManager.register(self, key)
    }

    deinit {
        dataModelManager.consistencyManager.unsubscribe(key)
        dataModelManager.listReaders.withLock { $0[key] = nil }
    }

    /// Shows `count` rows of the list under `cacheKey`, from the cache.
    ///
    /// Rows around that place that another window or a ``CollectionDataProvider`` of the manager has in memory are shown
    /// in this turn. All others are shown in a later one, when the cache has been read. The state is `.missing` if the
    /// cache does not have the list, or not the row that is asked for. They are shown as soon as the cache has them. A
    /// window that is open already, over this list or another, is opened there; until then, a window over the same list
    /// shows the former rows.
    ///
    /// - Parameters:
    ///   - before: asks the network for the rows right before a row, in order; for `nil`, for the last rows of the list.
    ///     No rows say that there are none.
    ///   - after: asks the network for the rows right after a row; for `nil`, for the first rows of the list.
    /// - Complexity: that of reading so many models, and of finding the row that is asked for: a pass over the bytes of
    ///   the list for `.around`.
    public func open(
        _ cacheKey: String, at place: WindowPlace, count: Int = 50, before: Fetch? = nil,
        after: Fetch? = nil
    ) {
        func source(_ fetch: @escaping Fetch) -> PageSource<Element> {
            PageSource { row, _ in (try await fetch(row), nil) }
        }
        open(cacheKey, count, WindowPages(place: place, before: before.map(source), after: after.map(source)))
    }

    func open(_ cacheKey: String, _ count: Int, _ pages: WindowPages<Element>) {
        let isOther = cacheKey != self.cacheKey
        (self.cacheKey, isOpening) = (cacheKey, dataModelManager.followed != nil)
        if isOther { clear() }
        self.pages = pages
        anchor = nil
        cursor.withLock { $0.open(pages.place, count: count) }
        noteEnds()
        resume(through: .max)
        guard dataModelManager.followed != nil else {
            let error = CacheError(.unsupported, "A window reads a cache of Grove, and not another delegate.")
            return updateState { $0.end(.failed(error)) }
        }
        isEmptied = false
        updateState { $0.begin() }
        borrow(cacheKey)
        let reader = reader(of: ModelIdentifier(cacheKey))
        dataModelManager.listReaders.withLock { $0[key] = reader }
        dataModelManager.markStale([.window(key)])
    }

    /// Shows `count` rows elsewhere in the list that is open, as ``open(_:at:count:before:after:)`` does with the same
    /// key and the same closures.
    public func jump(to place: WindowPlace, count: Int = 50) {
        guard let cacheKey else { return }
        let former = pages
        open(cacheKey, count, WindowPages(place: place, before: former.before, after: former.after))
        pages = former
        noteEnds()
    }

    /// Shows what the cache has more at an end; returns when it is shown.
    func extend(earlier: Int = 0, later: Int = 0) async {
        guard dataModelManager.followed != nil, cacheKey != nil else { return }
        let wish = cursor.withLock { $0.want(earlier: earlier, later: later) }
        await withCheckedContinuation { continuation in
            waiting.append((wish, continuation))
            dataModelManager.markStale([.window(key)])
        }
    }

    func updateState(_ body: (inout RequestState) -> Void) {
        body(&request)
        if !state.isSame(as: request.shown) { state = request.shown }
    }

    /// Says what is known of the list, as far as that is news.
    func note(_ position: Int?, _ count: Int, _ gaps: [WindowGap]) {
        // Reading an observed property of a generic type takes a microsecond or more.
        if _position != position { self.position = position }
        if _knownCount != count { knownCount = count }
        if _gaps != gaps { self.gaps = gaps }
    }

    /// Lets those go on who asked for rows up to a wish.
    func resume(through wish: Int) {
        let settled = waiting.filter { $0.wish <= wish }
        waiting.removeAll { $0.wish <= wish }
        for waiter in settled { waiter.continuation.resume() }
    }
}

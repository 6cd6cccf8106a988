import GroveConsistency
public import GroveModel
public import Observation

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Holds some rows of a long list, each in its newest version, for a screen.
///
/// Its cost depends on the number of these rows, not on the length of the list. The rows are read from the cache and
/// follow it, as those of a ``CollectionDataProvider`` do. Rows that others insert, remove or move elsewhere in the
/// list do not change the shown rows. If others add rows at an end of the list, a window at that end shows them, and
/// any other window sets ``hasLater`` or ``hasEarlier``. If a shown row is removed, the next one is shown in addition.
///
/// ```swift
/// let messages = WindowDataProvider<Message>(dataModelManager: manager)
/// messages.open("chat", at: .last)
/// ```
///
/// It works with the caches of Grove only. With another ``CacheDelegate``, the state is `.failed` with code
/// `unsupported`. See Docs/Guides/LongLists.md.
@MainActor
@Observable
public final class WindowDataProvider<Element: SimpleModel> {
    /// The manager whose cache and engine are used.
    @ObservationIgnored public let dataModelManager: DataModelManager

    /// The rows in memory, in order: those of the cache, with the pending changes of an outbox applied.
    ///
    /// Each row is observed by itself. A view that reads this is told when rows come, go or move. A row stays the same
    /// object as long as it is shown.
    public internal(set) var rows: [WindowRow<Element>] {
        get {
            access(keyPath: \.rows)
            return shown.rows
        }
        set { withMutation(keyPath: \.rows) { shown.rows = newValue } }
    }
    @ObservationIgnored var shown = ShownRows<Element>()

    /// The parts of the list between and beside these rows that the cache does not have, in order.
    public internal(set) var gaps: [WindowGap] {
        get {
            access(keyPath: \.gaps)
            return cached.gaps
        }
        set { if cached.gaps != newValue { withMutation(keyPath: \.gaps) { cached.gaps = newValue } } }
    }

    /// The position of the first row that the cache has, counting all elements of the list; `nil` if there are no rows.
    public var position: Int? {
        access(keyPath: \.position)
        return cached.positions.first
    }

    /// The number of elements that the cache knows of the list, including deleted ones; `nil` if it does not have the
    /// list.
    public internal(set) var knownCount: Int? {
        get {
            access(keyPath: \.knownCount)
            return cached.knownCount
        }
        set {
            if cached.knownCount != newValue { withMutation(keyPath: \.knownCount) { cached.knownCount = newValue } }
        }
    }
    @ObservationIgnored var cached = CachedRows<Element>()

    /// Whether there are more rows before the shown ones, in the cache or, as far as is known, on the network.
    public internal(set) var hasEarlier = false

    /// Whether there are more rows after the shown ones, in the cache or, as far as is known, on the network.
    public internal(set) var hasLater = false

    /// The progress of the last request.
    public internal(set) var state: ProviderState {
        get {
            access(keyPath: \.state)
            return progress.request.told
        }
        set { withMutation(keyPath: \.state) { progress.request.told = newValue } }
    }
    @ObservationIgnored var progress = WindowProgress()

    /// The key of the list; `nil` before the window is opened.
    public internal(set) var cacheKey: String?

    /// The row that keeps its place on screen while rows come and go around it; set it to the first visible row.
    ///
    /// If it is `nil` or not shown, the row at which rows were last asked for takes its part.
    @ObservationIgnored public var anchor: WindowRow<Element>? {
        didSet {
            let name = anchor?.model.modelIdentifier
            cursor.withLock { $0.named = name }
        }
    }

    @ObservationIgnored let key: SubscriptionKey
    @ObservationIgnored let cursor: Lock<WindowCursor>
    /// The pages that the network is asked for at the ends.
    @ObservationIgnored var pages = WindowPages<Element>()

    /// Makes a window over no list.
    ///
    /// - Parameter limit: the most rows in memory, at least 2; `.max` for no limit. If there are more, the rows
    ///   farthest from the user's place are released.
    public init(dataModelManager: DataModelManager, limit: Int = 200) {
        self.dataModelManager = dataModelManager
        // Rows are counted beyond the limit.
        cursor = Lock(WindowCursor(limit: min(max(limit, 2), .max / 4)))
        let relay = ProviderRelay()
        key = dataModelManager.consistencyManager.subscribe(relay, to: Element.self)
        relay.target = self
        dataModelManager.screens.register(self, key)
    }

    deinit {
        dataModelManager.consistencyManager.unsubscribe(key)
        dataModelManager.screens.listReaders.withLock { $0[key] = nil }
    }

    /// Shows `count` rows of the list under `cacheKey`, from the cache.
    ///
    /// If another window or a ``CollectionDataProvider`` of the manager has rows around that place in memory, those are
    /// shown in this turn. All others are shown in a later turn, when the cache has been read. The state is `.missing`
    /// if the cache does not have the list, or not the row that is asked for. The rows are then shown as soon as the
    /// cache has them.
    ///
    /// A window that is open already is opened again, over this list or another. Until the rows are read, a window over
    /// the same list shows the former ones.
    ///
    /// - Parameters:
    ///   - before: asks the network for the rows right before a row, in order; if the row is `nil`, for the last rows
    ///     of the list. An empty answer says that there are none.
    ///   - after: asks the network for the rows right after a row; if the row is `nil`, for the first rows of the list.
    /// - Complexity: the cost of reading that many models, and of finding the row that is asked for: for `.around`, a
    ///   pass over the bytes of the list.
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
        self.cacheKey = cacheKey
        if dataModelManager.followed != nil { progress.phase = .opening }
        if isOther { clear() }
        self.pages = pages
        anchor = nil
        cursor.withLock { $0.open(pages.place, count: count) }
        noteEnds()
        resume(through: .max)
        guard dataModelManager.followed != nil else {
            let error = CacheError(.unsupported, "A window reads a cache of Grove, and not another delegate.")
            return updateState { $0.request.end(.failed(error)) }
        }
        updateState { $0.request.begin() }
        borrow(cacheKey)
        let reader = reader(of: ModelIdentifier(cacheKey))
        dataModelManager.screens.listReaders.withLock { $0[key] = reader }
        dataModelManager.markStale([.window(key)])
    }

    /// Shows `count` rows elsewhere in the open list, as ``open(_:at:count:before:after:)`` does with the same key and
    /// closures.
    public func jump(to place: WindowPlace, count: Int = 50) {
        guard let cacheKey else { return }
        let former = pages
        open(cacheKey, count, WindowPages(place: place, before: former.before, after: former.after))
        pages = former
        noteEnds()
    }

    /// Shows more rows of the cache at an end; returns when they are shown.
    func extend(earlier: Int = 0, later: Int = 0) async {
        guard dataModelManager.followed != nil, cacheKey != nil else { return }
        let wish = cursor.withLock { $0.want(earlier: earlier, later: later) }
        await withCheckedContinuation { continuation in
            progress.waiting.append((wish, continuation))
            dataModelManager.markStale([.window(key)])
        }
    }

    func updateState(_ body: (inout WindowProgress) -> Void) {
        body(&progress)
        if !state.isSame(as: progress.request.shown) { state = progress.request.shown }
    }

    /// Changes the rows of the cache; a view is told if the first one has another position then.
    func hold(_ rows: [WindowRow<Element>], _ names: [ModelIdentifier?], _ positions: [Int]) {
        // Reading an observed property of a generic type takes a microsecond or more.
        guard cached.positions.first != positions.first else { return cached.hold(rows, names, positions) }
        withMutation(keyPath: \.position) { cached.hold(rows, names, positions) }
    }

    /// Resumes the callers that asked for rows up to a wish.
    func resume(through wish: Int) {
        for waiter in progress.takeWaiting(through: wish) { waiter.continuation.resume() }
    }
}

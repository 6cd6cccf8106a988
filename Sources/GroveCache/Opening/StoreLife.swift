import GroveModel

/// The state of a cache's store between its first opening and its last closing.
///
/// ```
///            replaced ⇄ current
/// open  ──  suspending  ──  suspended  ──  open
///   └──────────┴──────  closing  ───────────┘ ──  closed
/// ```
///
/// Calls are taken while it is open. A suspension and a closing commit the queued calls before they let go of the
/// store.
struct StoreLife: Sendable {
    enum Phase: Sendable {
        case open
        /// Calls are refused; the queued ones are still to be committed.
        case suspending
        /// Calls are refused, and no file is open; a store in memory is kept.
        case suspended
        /// Calls are refused for good.
        case closing
        case closed
    }

    private(set) var phase = Phase.open
    /// The store that is open, its files replaced or not; `nil` if it was let go of.
    private(set) var store: OpenStore?
    /// Whether the store is to be opened again before anything else.
    private var isReplaced = false
    /// Whether a store is there to commit to, or can be opened for it.
    private(set) var mayCommit = true

    init(_ store: OpenStore) { self.store = store }

    /// - Throws: ``CacheError`` with code `closed` or `suspended`.
    func checkUsable() throws(CacheError) {
        switch phase {
        case .open: return
        case .suspending, .suspended: throw .isSuspended
        case .closing, .closed: throw .isClosed
        }
    }

    /// The store that is open and the one to use.
    var currentStore: OpenStore? { isReplaced ? nil : store }

    /// Whether calls are refused for good.
    var isClosing: Bool { phase == .closing || phase == .closed }

    // MARK: Transitions

    /// The files of the store were replaced.
    mutating func markReplaced() { isReplaced = true }

    /// The store was opened again.
    mutating func adopt(_ store: OpenStore) { (self.store, isReplaced, mayCommit) = (store, false, true) }

    /// The store is let go of; it is opened again before anything else.
    mutating func letGo() -> OpenStore? { store.take() }

    /// Calls are refused from now on.
    ///
    /// - Throws: ``CacheError`` with code `closed`.
    mutating func beginSuspension() throws(CacheError) {
        if isClosing { throw .isClosed }
        if phase == .open { phase = .suspending }
    }

    /// The queued calls are committed, and the store is let go of but for one in memory.
    mutating func finishSuspension() {
        guard phase == .suspending else { return }
        (phase, mayCommit) = (.suspended, store != nil)
    }

    /// Calls are taken again, unless the cache is about to be closed; `store` was opened for that, if it was let go of.
    mutating func resume(_ store: OpenStore) {
        adopt(store)
        if !isClosing { phase = .open }
    }

    /// Calls are refused for good.
    mutating func beginClosing() { if !isClosing { phase = .closing } }

    /// The store is closed: the last thing that happens.
    mutating func finishClosing() { (phase, mayCommit) = (.closed, false) }
}

/// A store while it is open.
final class OpenStore: Sendable {
    let engine: any NodeStore
    /// The engine, if it keeps its files within a budget.
    let budgeted: (any BudgetedStore)?
    /// The generation of the files, which tells if another process replaced them; `nil` if no other process may have
    /// them open.
    let generation: StoreGeneration?

    init(_ engine: any NodeStore, _ generation: StoreGeneration?) {
        self.engine = engine
        budgeted = engine as? any BudgetedStore
        self.generation = generation
    }
}

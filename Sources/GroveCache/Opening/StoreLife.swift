import GroveModel

/// The state of a cache's store between its first opening and its last closing.
///
/// ```
///            replaced ⇄ current
/// open  ──  suspending  ──  suspended  ──  open
///   └──────────┴──────  closing  ───────────┘ ──  closed
/// ```
///
/// Calls are taken while it is open. A suspension and a closing commit the queued calls before they let go of the store.
enum StoreLife: Sendable {
    /// A store that is open, or was until its files were replaced.
    enum Link: Sendable {
        case current(OpenStore)
        /// The store is opened again before anything else; `nil` if it was let go of already.
        case replaced(OpenStore?)

        var store: OpenStore? {
            switch self {
            case .current(let store): store
            case .replaced(let store): store
            }
        }
    }

    case open(Link)
    /// Calls are refused; the queued ones are still to be committed.
    case suspending(Link)
    /// Calls are refused, and no file is open; a store in memory is kept.
    case suspended(OpenStore?)
    /// Calls are refused for good; `nil` if the store was let go of.
    case closing(Link?)
    case closed

    /// - Throws: ``CacheError`` with code `closed` or `suspended`.
    func checkUsable() throws(CacheError) {
        switch self {
        case .open: return
        case .suspending, .suspended: throw .isSuspended
        case .closing, .closed: throw .isClosed
        }
    }

    /// The store that is open, its files replaced or not.
    var store: OpenStore? { link?.store }

    /// The store that is open and the one to use.
    var currentStore: OpenStore? {
        guard case .current(let store) = link else { return nil }
        return store
    }

    /// Whether a store is there to commit to, or can be opened for it.
    var mayCommit: Bool { link != nil }

    /// Whether calls are refused for good.
    var isClosing: Bool {
        switch self {
        case .closing, .closed: true
        case .open, .suspending, .suspended: false
        }
    }

    private var link: Link? {
        switch self {
        case .open(let link), .suspending(let link): link
        case .closing(let link): link
        case .suspended(let store): store.map { .current($0) }
        case .closed: nil
        }
    }

    // MARK: Transitions

    /// Replaces the link by `link`.
    private mutating func set(_ link: Link) {
        switch self {
        case .open: self = .open(link)
        case .suspending: self = .suspending(link)
        case .suspended, .closed: break
        case .closing: self = .closing(link)
        }
    }

    /// The files of the store were replaced.
    mutating func markReplaced() { set(.replaced(store)) }

    /// The store was opened again.
    mutating func adopt(_ store: OpenStore) { set(.current(store)) }

    /// The store is let go of; it is opened again before anything else.
    mutating func letGo() -> OpenStore? {
        let store = store
        set(.replaced(nil))
        return store
    }

    /// Calls are refused from now on.
    ///
    /// - Throws: ``CacheError`` with code `closed`.
    mutating func beginSuspension() throws(CacheError) {
        switch self {
        case .open(let link): self = .suspending(link)
        case .suspending, .suspended: return
        case .closing, .closed: throw .isClosed
        }
    }

    /// The queued calls are committed, and the store is let go of but for one in memory.
    mutating func finishSuspension() {
        guard case .suspending(let link) = self else { return }
        self = .suspended(link.store)
    }

    /// Calls are taken again; `store` was opened for that, if it was let go of.
    mutating func resume(_ store: OpenStore) { self = .open(.current(store)) }

    /// Calls are refused for good.
    mutating func beginClosing() {
        switch self {
        case .open(let link), .suspending(let link): self = .closing(link)
        case .suspended(let store): self = .closing(store.map { .current($0) })
        case .closing, .closed: return
        }
    }

    /// A store that was let go of is opened once more.
    mutating func reopenWhileClosing(_ store: OpenStore) {
        guard case .closing(nil) = self else { return }
        self = .closing(.current(store))
    }

    /// The store is closed: the last thing that happens.
    mutating func finishClosing() { self = .closed }
}

/// A store while it is open.
final class OpenStore: Sendable {
    let engine: any NodeStore
    /// The engine, if it keeps its files within a budget.
    let budgeted: (any BudgetedStore)?
    /// The generation of the files, which tells if another process replaced them; `nil` if no other process may have them open.
    let generation: StoreGeneration?

    init(_ engine: any NodeStore, _ generation: StoreGeneration?) {
        self.engine = engine
        budgeted = engine as? any BudgetedStore
        self.generation = generation
    }
}

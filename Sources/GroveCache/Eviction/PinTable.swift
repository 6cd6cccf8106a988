import GroveModel

/// What must not be evicted: the roots that somebody retains, and a mark on everything that is reachable from them.
///
/// A mark is the hash of a store's key and the bytes of what is stored under it, 0 where nothing is: then whatever comes
/// is held as soon as it is written. What is marked is not in the policy, and goes back to it when it is released.
///
/// Marks come at once: when a root is retained, and when something that is marked is written. They go by walks. What
/// somebody lets go of may still be held by others, in cycles too, so a walk starts at the roots, takes ``former`` marks
/// over into ``current`` as it meets them, and releases what it has not met. It goes on from transaction to transaction;
/// what is written meanwhile is marked as current, and what it names is walked.
struct PinTable {
    /// Who retains a root.
    struct Root: Equatable {
        /// Whether the store itself remembers it.
        var isPersistent = false
        /// How often each handle retains it.
        var handles: [UInt64: Int] = [:]

        var isRetained: Bool { isPersistent || !handles.isEmpty }
    }

    /// What ``mark(_:)`` found.
    enum Marking {
        /// It was not marked.
        case new
        /// It was marked, and the walk that is under way has not met it.
        case former
        case current
    }

    /// By the store's key: of a node, or of a collection.
    private(set) var roots: [[UInt8]: Root] = [:]
    /// What this transaction has changed of the roots, as it was before.
    private var undo: [(root: [UInt8], entry: Root?)] = []
    /// Handles that are closed: what they asked for before comes too late.
    private var departed: Set<UInt64> = []
    private var current: [UInt64: UInt32] = [:]
    private var former: [UInt64: UInt32] = [:]
    /// Keys whose references the walk has yet to follow.
    private var work: [[UInt8]] = []
    /// Hashes in ``former`` that the walk did not meet; some have been marked again since.
    private var leftovers: [UInt64] = []
    /// Whether the walk is over and something of what it did not meet has been released: what is marked again from here on
    /// may hold what is not marked any more.
    private var hasReleased = false
    /// Whether something that is reachable has no mark, because it did not fit.
    private(set) var isIncomplete = false
    /// Whether something was let go of since the last walk began.
    private var mustWalk = false
    /// Whether others have written since the last walk: what they wrote may be reachable and have no mark.
    var isStale = false
    /// How many records a transaction looks at for releasing, beside two for each that it writes.
    var pace = 64
    /// The records that are marked and stored, and what they take.
    private(set) var count = 0
    private(set) var bytes = 0
    /// What the store's own records of ``roots`` take, whether anything is stored under those or not.
    private(set) var rootBytes = 0
    /// The same as of the last commit.
    private(set) var committed = (count: 0, bytes: 0)

    // MARK: Roots

    /// Whether nothing is retained, or was so lately.
    var isEmpty: Bool { current.isEmpty && former.isEmpty && roots.isEmpty }

    /// Changes who retains `root`; returns whether that begins or ends its being retained.
    mutating func change(_ root: [UInt8], _ change: (inout Root) -> Void) -> Bool {
        var entry = roots[root] ?? Root()
        let before = entry
        change(&entry)
        guard entry != before else { return false }
        undo.append((root, roots[root]))
        set(root, entry.isRetained ? entry : nil)
        if before.isRetained, !entry.isRetained { mustWalk = true }
        return before.isRetained != entry.isRetained
    }

    private mutating func set(_ root: [UInt8], _ entry: Root?) {
        let former = roots.updateValue(entry ?? Root(), forKey: root)
        if entry == nil { roots[root] = nil }
        let records = (entry?.isPersistent == true ? 1 : 0) - (former?.isPersistent == true ? 1 : 0)
        rootBytes += records * PinChange.recordBytes(of: root)
    }

    /// Takes over what the store remembers; whoever is not in `persistent` is forgotten there.
    mutating func setPersistent(_ persistent: Set<[UInt8]>) {
        for root in persistent { _ = change(root) { $0.isPersistent = true } }
        for (root, entry) in roots where entry.isPersistent && !persistent.contains(root) {
            _ = change(root) { $0.isPersistent = false }
        }
        if !roots.isEmpty { isStale = true }
    }

    /// Whether `handle` is closed.
    func hasLeft(_ handle: UInt64) -> Bool { departed.contains(handle) }

    /// Lets go of everything that `handle` retains.
    mutating func leave(_ handle: UInt64) {
        departed.insert(handle)
        for (root, entry) in roots where entry.handles[handle] != nil {
            _ = change(root) { $0.handles[handle] = nil }
        }
        undo = []
    }

    /// Notes that the transaction was committed.
    mutating func commit() {
        undo = []
        committed = (count, bytes)
    }

    /// Takes back what the transaction, which failed, did to the roots.
    mutating func rollBack() {
        while let last = undo.popLast() { set(last.root, last.entry) }
    }

    /// Forgets roots and marks: the store is empty.
    mutating func removeAll() {
        removeMarks()
        roots = [:]
        rootBytes = 0
        commit()
    }

    /// Forgets the marks: all are to be set anew.
    mutating func removeMarks() {
        current = [:]
        former = [:]
        work = []
        leftovers = []
        mustWalk = false
        hasReleased = false
        isIncomplete = false
        isStale = !roots.isEmpty
        (count, bytes) = (0, 0)
    }

    // MARK: Marks

    /// Whether what is under the key whose hash is `hash` must stay.
    func isMarked(_ hash: UInt64) -> Bool {
        !current.isEmpty && current[hash] != nil || !former.isEmpty && former[hash] != nil
    }

    /// Whether the walk that is under way has yet to meet it, if it ever does.
    func isFormer(_ hash: UInt64) -> Bool { !former.isEmpty && former[hash] != nil }

    /// Marks a key, with what it was known to hold.
    mutating func mark(_ hash: UInt64) -> Marking {
        if current[hash] != nil { return .current }
        let before = former.removeValue(forKey: hash)
        current[hash] = before ?? 0
        return before == nil || hasReleased ? .new : .former
    }

    /// Notes what a marked record takes, 0 for none.
    mutating func note(_ hash: UInt64, bytes new: Int) {
        guard !isEmpty else { return }
        let size = UInt32(clamping: new)
        guard let old = current[hash] ?? former[hash], old != size else { return }
        if current[hash] == nil { former[hash] = size } else { current[hash] = size }
        tally(old, -1)
        tally(size, 1)
    }

    /// Takes a mark away and returns what the record takes.
    mutating func unmark(_ hash: UInt64) -> Int {
        guard let size = current.removeValue(forKey: hash) ?? former.removeValue(forKey: hash) else { return 0 }
        tally(size, -1)
        return Int(size)
    }

    private mutating func tally(_ size: UInt32, _ sign: Int) {
        bytes += sign * Int(size)
        if size > 0 { count += sign }
    }

    // MARK: Walks

    /// Notes that something marked names less than it did.
    mutating func letGo() { mustWalk = true }

    /// Notes that something that is reachable does not fit.
    mutating func leaveOut() { isIncomplete = true }

    /// Lets the walk follow what `key`, which is marked, names.
    mutating func follow(_ key: [UInt8]) { work.append(key) }

    /// Whether there is anything left to walk or to release.
    var isReleasing: Bool { mustWalk || !work.isEmpty || !former.isEmpty }

    /// The next key whose references are to be followed.
    mutating func nextToFollow() -> [UInt8]? {
        if work.isEmpty, mustWalk, former.isEmpty { beginWalk() }
        return work.popLast()
    }

    /// Begins anew at the roots, whatever is under way.
    mutating func beginAgain() {
        current.merge(former) { new, _ in new }
        former = [:]
        work = []
        beginWalk()
    }

    private mutating func beginWalk() {
        mustWalk = false
        hasReleased = false
        isIncomplete = false
        leftovers = []
        swap(&former, &current)
        for root in roots.keys {
            for key in PinTable.keys(of: root) {
                _ = unsafe key.withUnsafeBytes { unsafe mark(EvictionIndex.hash($0)) }
                work.append(key)
            }
        }
    }

    /// The hash of the next record to release; the walk is over.
    mutating func nextToRelease() -> UInt64? {
        while work.isEmpty, !former.isEmpty {
            guard let hash = leftovers.popLast() else {
                leftovers = Array(former.keys)
                continue
            }
            guard former[hash] != nil else { continue }
            hasReleased = true
            return hash
        }
        return nil
    }

    /// The keys that a root stands for: an identifier may be a cache key too, under which another model was set.
    static func keys(of root: [UInt8]) -> [[UInt8]] {
        root.first == Namespace.node ? [root, [Namespace.alias] + root.dropFirst()] : [root]
    }
}

import GroveCoding
import GroveModel

/// The records that must not be evicted: the roots that handles retain, and a mark on everything that is reachable from
/// them.
///
/// A mark is the hash of a store's key and the bytes of its record. These are 0 if none is stored: then a record is
/// held as soon as it is written. Marked records are passed over.
///
/// Marks follow writes: they come when a root is retained, and when a marked record is written and names more. A record
/// that is let go of keeps its mark until a record must be evicted and enough marks may be idle. Then all marks are
/// made again from the roots (Dijkstra's marking, without a heap to move).
struct PinTable {
    private struct Mark {
        var bytes: UInt32 = 0
        /// The number of the call that wrote the record.
        var number = CallNumber.zero
    }

    /// The ways in which the marks may be wrong.
    struct Doubts {
        /// Whether a reachable record may have no mark: another process wrote, or a record that did not fit may fit
        /// now.
        var isStale = false
        /// Whether a reachable record has no mark, because it did not fit.
        var isIncomplete = false
        /// Whether marks may be those of a transaction that was given up: they are made again in the next one.
        var isWrong = false
    }

    /// The open handles: a closed one can retain nothing.
    let handles: OpenHandles
    /// The most bytes and records that may be marked.
    var limit = (bytes: Int.max, count: Int.max)
    /// The number of times that each handle retains each root, by the store's key of a node or of a collection.
    private(set) var roots: [[UInt8]: [HandleID: Int]] = [:]
    /// The roots that this transaction has changed, as they were before.
    private var undo: [(root: [UInt8], handles: [HandleID: Int]?)] = []
    private var marks: [UInt64: Mark] = [:]
    /// The number of references that were let go of since the marks were made, each of which may leave marks idle.
    private var lost = 0
    private(set) var doubts = Doubts()
    /// Whether this transaction has changed marks.
    private var hasChanged = false
    /// The number of records that lost their marks because they did not fit, and the number of which the observer was
    /// told.
    private(set) var released = (count: 0, told: 0)
    /// The number of records that are marked and stored, and their bytes.
    private var held = (count: 0, bytes: 0)
    /// The marked and stored records as of the last commit, and whether every reachable record was marked.
    private(set) var committed = (count: 0, bytes: 0, isComplete: true)

    init(_ handles: OpenHandles) { self.handles = handles }

    var count: Int { held.count }
    var bytes: Int { held.bytes }

    // MARK: Roots

    /// Whether no root is retained, and no mark of a former one is left.
    var isEmpty: Bool { marks.isEmpty && roots.isEmpty }

    /// Changes the count of pins of `handle` on `root` by `step`; returns whether `root` is retained now, and was not
    /// before.
    mutating func change(_ root: [UInt8], of handle: HandleID, by step: Int) -> Bool {
        let before = roots[root]
        undo.append((root, before))
        let count = (before?[handle] ?? 0) + step
        roots[root, default: [:]][handle] = count > 0 ? count : nil
        if roots[root]?.isEmpty == true {
            roots[root] = nil
            if before != nil { letGoOfRoot() }
        }
        return before == nil && roots[root] != nil
    }

    /// Lets go of everything that `handle` retains.
    mutating func leave(_ handle: HandleID) {
        for (root, handles) in roots where handles[handle] != nil {
            roots[root]?[handle] = nil
            if roots[root]?.isEmpty == true { roots[root] = nil }
            letGoOfRoot()
        }
    }

    /// Notes that the transaction was committed.
    mutating func commit() {
        undo = []
        hasChanged = false
        committed = (count, bytes, !doubts.isIncomplete)
    }

    /// Takes back the changes of the transaction, which failed, to the roots.
    mutating func rollBack() {
        while let last = undo.popLast() { roots[last.root] = last.handles }
        // Marks may be those of the transaction that was given up.
        doubts.isWrong = hasChanged
    }

    /// Forgets roots and marks: the store is empty.
    mutating func removeAll() {
        roots = [:]
        beginMarking()
        commit()
    }

    // MARK: Marks

    /// Whether the record under the key whose hash is `hash` must stay.
    func isMarked(_ hash: UInt64) -> Bool { !marks.isEmpty && marks[hash] != nil }

    /// Marks a key; returns whether it was not marked.
    mutating func mark(_ hash: UInt64) -> Bool {
        guard marks[hash] == nil else { return false }
        hasChanged = true
        marks[hash] = Mark()
        return true
    }

    /// Notes the bytes of a marked record, 0 for none, and the number of the call that wrote it.
    mutating func note(_ hash: UInt64, bytes new: Int, number: CallNumber) {
        guard !marks.isEmpty, let old = marks[hash]?.bytes else { return }
        hasChanged = true
        let size = UInt32(clamping: new)
        marks[hash] = Mark(bytes: size, number: number)
        held.bytes += Int(size) - Int(old)
        held.count += (size > 0 ? 1 : 0) - (old > 0 ? 1 : 0)
    }

    /// Whether the marked records are over the limit.
    var isOver: Bool { bytes > limit.bytes || count > limit.count }

    /// Takes away the marks of the records that were written longest ago, so that an eighth of the limit is free.
    mutating func releaseOldest() { release(downTo: limit.bytes - limit.bytes / 8, limit.count - limit.count / 8) }

    /// Takes away the older half of the marks, as nothing else may go; false if there are none.
    mutating func releaseHalf() -> Bool {
        guard count > 0 else { return false }
        release(downTo: bytes / 2, count / 2)
        return true
    }

    private mutating func release(downTo most: Int, _ mostCount: Int) {
        for (hash, mark) in marks.filter({ $0.value.bytes > 0 }).sorted(by: { $0.value.number < $1.value.number }) {
            guard bytes > most || count > mostCount else { break }
            held.bytes -= Int(mark.bytes)
            held.count -= 1
            marks[hash] = nil
            released.count += 1
        }
        (doubts.isIncomplete, hasChanged) = (true, true)
    }

    /// The number of records that lost their marks since the last call of this.
    mutating func takeReleased() -> Int {
        defer { released.told = released.count }
        return released.count - released.told
    }

    // MARK: Letting go

    /// Notes that marked records name `references` less than they did.
    mutating func letGo(_ references: Int) {
        lost += references
        hasChanged = true
    }

    /// Notes that a reachable record may have no mark.
    mutating func distrust() { doubts.isStale = !roots.isEmpty }

    private mutating func letGoOfRoot() {
        lost += max(marks.count, 1)
        // A record that did not fit may fit now.
        if doubts.isIncomplete { distrust() }
    }

    /// Whether nothing has been let go of since the marks were made.
    var isExact: Bool { lost == 0 && !doubts.isStale }

    /// Whether the marks must be made again before a record is evicted: one may be missing, or more than an eighth of
    /// them may be idle.
    var mustMark: Bool { doubts.isStale || lost > marks.count / 8 }

    /// Takes all marks away.
    mutating func beginMarking() {
        marks = [:]
        (held, lost) = ((0, 0), 0)
        (doubts, hasChanged) = (Doubts(), true)
    }

    /// The keys that a root stands for: an identifier may be a cache key too, under which another model was set.
    static func keys(of root: [UInt8]) -> [[UInt8]] {
        root.first == Namespace.node ? [root, [Namespace.alias] + root.dropFirst()] : [root]
    }
}

/// One call that retains a root or lets go of it.
struct PinChange: Sendable {
    /// The store's key of the node or the collection that is retained.
    let root: [UInt8]
    let isRetaining: Bool
    /// The handle whose call it is.
    let handle: HandleID
}

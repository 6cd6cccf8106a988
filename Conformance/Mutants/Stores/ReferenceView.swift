import GroveCache
import GroveCoding
import GroveModel
import Synchronization

/// A view of a ``ReferenceStore``: the content as it was when the view was opened.
class ReferenceView<Flaw: StoreFlaw>: NodeView {
    class var keepsBytes: Bool { true }

    var content: ReferenceContent
    private let disk: ReferenceDisk?
    /// Values that were handed out and must stay.
    private var kept: [ReferenceBytes] = []
    /// What was looked for, where a flaw minds.
    private var found: Set<[UInt8]> = []
    /// The node that was found last.
    private var last: [UInt8] = []

    init(_ content: ReferenceContent, of disk: ReferenceDisk?) {
        self.content = content
        self.disk = disk
        disk?.countView(1)
    }

    deinit { disk?.countView(-1) }

    func get(_ key: UnsafeRawBufferPointer) throws(CacheError) -> UnsafeRawBufferPointer? {
        if disk != nil { try Flaw.willLook() }
        if Flaw.hasLiveViews, let disk { content = disk.contents.now }
        let name = Flaw.lookUp(Flaw.key(unsafe Array(key), in: content), in: content)
        guard let value = content[name] else { return nil }
        if Flaw.givesOnce, disk != nil, name.first == 1 {
            // A read asks again for a record whose shape it had to look up.
            guard name == last || found.insert(name).inserted else { return nil }
            last = name
        }
        if Flaw.hasLiveViews || disk == nil { kept.append(value) }
        return unsafe value.borrowed
    }

    func scan(
        prefix: UnsafeRawBufferPointer,
        _ visit: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws(CacheError) -> Bool
    ) throws(CacheError) {
        if Flaw.hasLiveViews, let disk { content = disk.contents.now }
        let prefix = unsafe Array(prefix)
        let keys = content.keys.filter { $0.starts(with: prefix) }.sorted { $0.lexicographicallyPrecedes($1) }
        for key in Flaw.scan(keys) {
            guard let value = content[key] else { continue }
            let name = ReferenceBytes(key)
            guard try unsafe visit(name.borrowed, value.borrowed) else { return }
        }
    }

    func end() { kept = [] }
}

/// A transaction of a ``ReferenceStore``: its own content, and the changes that led to it.
final class ReferenceTransaction<Flaw: StoreFlaw>: ReferenceView<Flaw>, SweepableTransaction {
    private(set) var changes: [ReferenceChange] = []
    /// Commits changes before the transaction's end, as no store may.
    var commitEarly: (([ReferenceChange]) -> Void)?

    private let round: ReferenceRound

    init(_ content: ReferenceContent, sweeping round: ReferenceRound = ReferenceRound()) {
        self.round = round
        super.init(content, of: nil)
    }

    func put(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws(CacheError) {
        let key = unsafe Array(key)
        change((key, Flaw.put(key, unsafe Array(value))))
    }

    /// In the order of the keys' bytes.
    func sweep(
        from cursor: SweepCursor?, limit: Int,
        _ visit: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws(CacheError) -> Bool
    ) throws(CacheError) -> SweepCursor? {
        let next = round.keys(after: cursor?.bytes, in: content).prefix(limit)
        for key in next {
            guard let value = content[key] else { continue }
            let name = ReferenceBytes(key)
            guard try unsafe visit(name.borrowed, value.borrowed) else { return SweepCursor(key) }
        }
        return next.count == limit ? next.last.map { SweepCursor($0) } : nil
    }

    func sweepCursor(at key: UnsafeRawBufferPointer) throws(CacheError) -> SweepCursor {
        unsafe SweepCursor(Array(key))
    }

    func remove(_ key: UnsafeRawBufferPointer) throws(CacheError) { change((unsafe Array(key), nil)) }

    private func change(_ change: ReferenceChange) {
        changes.append(change)
        if !Flaw.isBlind { ReferenceStore<Flaw>.apply(change, to: &content) }
        if let limit = Flaw.commitsEvery, changes.count >= limit {
            commitEarly?(changes)
            changes = []
        }
    }
}

/// The keys of a sweep in the order of their bytes: a dictionary has none, and sorting it for each step is slow.
final class ReferenceRound: Sendable {
    private let sorted = Mutex<[[UInt8]]>([])

    /// The keys after `start`.
    ///
    /// Those of a later write are seen in the next round.
    func keys(after start: [UInt8]?, in content: ReferenceContent) -> ArraySlice<[UInt8]> {
        sorted.withLock { sorted in
            if start == nil || sorted.isEmpty {
                sorted = content.keys.sorted { left, right in
                    unsafe left.withUnsafeBytes { left in
                        unsafe right.withUnsafeBytes { unsafe lexicographicOrder(left, $0) < 0 }
                    }
                }
            }
            guard let start else { return sorted[...] }
            var (low, high) = (0, sorted.count)
            while low < high {
                let middle = (low + high) / 2
                if start.lexicographicallyPrecedes(sorted[middle]) { high = middle } else { low = middle + 1 }
            }
            return sorted[low...]
        }
    }
}

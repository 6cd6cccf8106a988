import GroveCoding
import GroveModel

/// The state of a read while it lasts, and the memory that it leaves to the next one.
///
/// It lies behind a pointer, because a class's own properties are checked for exclusive access at every use, which
/// costs as much as decoding a field. Its parts lie inside it, and those that hold memory cannot be copied, so that no
/// use of one copies it.
struct ReadState: ~Copyable {
    /// The index of the pool on which the reader counts as active, and then rests: see ``Readers``.
    var pool = 0
    var basis = ReadBasis()
    /// The current key, under which records are fetched.
    var key = KeyBuffer()
    /// The reason why the record that was fetched last is not there.
    var absence = CacheMiss.Reason.absent
    var descent = Descent()
    var models = ReadyModels()
    var learnt = LearntNames()
    var touches = ReadTouches()
    /// Bytes that are being decoded and that the view does not keep.
    var arena = ScratchArena()
    private var folded = FoldedRecord()
    var deletion = MetDeletion()

    /// The node whose deletion was met last.
    struct MetDeletion: ~Copyable {
        private var buffer = ByteBuffer(capacity: 64)
        /// Whether the reference was set after the deletion, and finds the node again once that is written.
        private(set) var mayReturn = false

        deinit { buffer.deallocate() }

        var identifier: UnsafeRawBufferPointer { unsafe buffer.bytes }

        mutating func note(_ identifier: UnsafeRawBufferPointer, mayReturn: Bool) {
            self.mayReturn = mayReturn
            buffer.removeAll()
            unsafe buffer.append(identifier)
        }

        /// Forgets the identifier, and gives back memory that the next read, as reads go, will not need.
        mutating func letGo() { buffer.removeAll(keeping: ReadState.retainedBytes) }

        /// The bytes of heap that the buffer holds.
        var allocatedByteCount: Int { buffer.allocatedByteCount }
    }

    /// Lets go of all that was remembered of one tree; the basis of the read stays.
    mutating func endTree() {
        basis.endAgeLimit()
        models.endTree()
        letGo()
        descent.reset()
    }

    /// Gives back memory that the next read, as reads go, will not need: a reader lies in a pool for ever.
    private mutating func letGo() {
        arena.reset()
        guard basis.placement != nil || deletion.allocatedByteCount > ReadState.retainedBytes else { return }
        deletion.letGo()
        folded.letGo()
    }

    /// The most bytes that a buffer of a reader at rest may hold.
    static let retainedBytes = 16 << 10

    /// Bytes of heap that the reader's buffers hold.
    var allocatedByteCount: Int {
        arena.allocatedByteCount + deletion.allocatedByteCount + folded.allocatedByteCount
    }

    /// The record under the current key, queued writes applied, and whether its bytes outlive the next call.
    mutating func fetch() throws(CacheError) -> (bytes: UnsafeRawBufferPointer, isKept: Bool)? {
        absence = .absent
        guard basis.mustLook else {
            return try unsafe basis.view?.get(key.bytes).map { unsafe ($0, basis.keepsBytes) }
        }
        let updates = try unsafe basis.updates(of: key.bytes)
        var stored = try unsafe basis.view?.get(key.bytes)
        if updates.isEmpty, basis.ageLimit == nil { return unsafe stored.map { unsafe ($0, basis.keepsBytes) } }
        if !updates.isEmpty, let bytes = unsafe stored, let hash = unsafe RecordHeader.shapeHash(of: bytes),
            unsafe learnt.shapes.find(hash) == nil
        {
            _ = try findShape(hash)
            unsafe stored = try unsafe basis.view?.get(key.bytes)
        }
        return try unsafe fold(updates, over: stored)
    }

    /// Fetches the shape of `hash`; false if it is lost.
    ///
    /// Bytes that were fetched before may be gone.
    mutating func findShape(_ hash: UInt64) throws(CacheError) -> Bool {
        guard let shape = try basis.view?.shape(hash) else { return false }
        learnt.shapes.add(shape)
        return true
    }

    private mutating func fold(
        _ updates: [RecordUpdate], over base: UnsafeRawBufferPointer?
    ) throws(CacheError) -> (bytes: UnsafeRawBufferPointer, isKept: Bool)? {
        var stored = unsafe base
        var isFolded = false
        var forgottenDeletion = basis.placement?.forgottenDeletion ?? .zero
        let lastAnswer = updates.lastIndex { $0.yieldsAfter != nil } ?? 0
        for (index, var update) in updates.enumerated() {
            update.forgottenDeletion = forgottenDeletion
            // The number of the write stands for the holder even if its bytes are the same; but to an answer it is no
            // change.
            update.refreshes = index >= lastAnswer
            if case .node(let node) = update.change { update.shaped = learnt.shaped(node) }
            let outcome = unsafe try folded.apply(&update, to: stored, shapes: learnt.shapes)
            forgottenDeletion = update.forgottenDeletion
            switch outcome {
            case .unchanged, .renewed, .superseded: break
            case .removed:
                unsafe stored = nil
                if case .invalidate = update.change { absence = .invalidated }
            case .replaced, .overtaken:
                absence = .absent
                unsafe stored = folded.keep()
                isFolded = true
            }
        }
        guard let stored = unsafe stored else { return nil }
        if basis.ageLimit != nil, unsafe !basis.isYoungEnough(stored, under: key.bytes) {
            absence = .expired
            return nil
        }
        return isFolded ? unsafe (arena.keep(stored), true) : unsafe (stored, basis.keepsBytes)
    }
}

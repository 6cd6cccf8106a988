import GroveCoding
import GroveModel

/// A reader that rebuilds trees from records inside one view of the store and the writes queued at that moment.
///
/// It is linear in distinct nodes and references. A node that holds references is decoded at most twice in one tree,
/// however many paths lead to it. One that holds none is decoded once for each reference to it.
@safe
// SAFETY: one read at a time uses it, one step after the other; between reads it lies in a pool behind a mutex.
final class Reconstructor: CurrentRead, NodeSource, @unchecked Sendable {
    let state: UnsafeMutablePointer<ReadState>
    let decodingScratch = DecodingScratch()

    /// Whether a read notes the nodes that it meets, for the evictor.
    private let keepsTouches: Bool
    /// Whether this read does not count as a use of the records that it meets, as a follower's read does not.
    private var isNoUse = false
    /// The error that ended a stream of models early; the call that the view belongs to throws it.
    var streamFailure: CacheError?

    init(owner: ObjectIdentifier, keepsTouches: Bool) {
        self.keepsTouches = keepsTouches
        unsafe state = .allocate(capacity: 1)
        unsafe state.initialize(to: ReadState())
        super.init(owner: owner)
    }

    deinit {
        unsafe state.deinitialize(count: 1)
        unsafe state.deallocate()
    }

    /// Begins a read of `view`, or of nothing but `pending` if the store is about to be emptied.
    func begin(_ view: (any NodeView)?, keepsBytes: Bool, pending: PendingReads?) {
        unsafe state.pointee.basis.begin(view, keepsBytes: keepsBytes, pending: pending)
        unsafe state.pointee.learnt.limitShapes()
        enterThread()
    }

    /// Ends the read and lets go of its view and of everything it remembered.
    ///
    /// - Returns: whether entries of the overlay that were kept for this read may go.
    @discardableResult
    func end() -> Bool {
        endTree()
        leaveThread()
        unsafe state.pointee.models.endRead()
        streamFailure = nil
        isNoUse = false
        return unsafe state.pointee.basis.end()
    }

    /// Lets go of all that was remembered of one tree; the view stays.
    func endTree() { unsafe state.pointee.endTree() }

    /// Bytes of heap that the reader's buffers hold.
    var allocatedByteCount: Int { unsafe state.pointee.allocatedByteCount }

    /// Moves the touched keys to `findings` for the writer; returns whether it should take them now.
    func hand(to findings: inout Readers.Findings) -> Bool { unsafe state.pointee.touches.hand(to: &findings) }

    /// Notes that the read found a record under the current key, if there is an evictor and the read counts as a use.
    func noteTouch() {
        if keepsTouches, !isNoUse { unsafe state.pointee.touches.note(state.pointee.key.bytes) }
    }

    /// Says whether the rest of this read counts as a use of the records that it meets.
    func keepsTouches(_ keeps: Bool) { isNoUse = !keeps }

    /// Makes lost keys good that `write` names; false if no lost key shows to the read.
    func settle(by write: PendingWrite) -> Bool { unsafe state.pointee.basis.settle(by: write) }

    /// Whether no tree is being read at this moment.
    var isBetweenTrees: Bool { unsafe state.pointee.descent.isOver }

    /// Whether the read holds a view of the store open.
    var hasView: Bool { unsafe state.pointee.basis.view != nil }

    /// The store that the read looks at.
    var store: OpenStore? { unsafe state.pointee.basis.snapshot?.store }

    // MARK: Roots

    /// A decoder whose value is a reference to `identifier`: a tree is read by decoding it.
    func decoder(ofReferenceTo identifier: ModelIdentifier) -> NodeDecoder {
        unsafe NodeDecoder(state.pointee.descent.begin(at: identifier), source: self, isStable: true)
    }

    /// The miss that the caller who asked for `identifier` gets for `failure`.
    ///
    /// - Throws: the error, if `failure` is not a miss.
    func miss(_ failure: NodeReadFailure, at identifier: ModelIdentifier) throws(CacheError) -> CacheMiss {
        switch failure {
        case .deleted: return unsafe CacheMiss(.deleted, text(state.pointee.deletion.identifier))
        case .otherShape: return CacheMiss(.otherShape, identifier)
        case .incomplete: return CacheMiss(.incomplete, identifier)
        case .corrupted: throw CacheError(.corrupted, "The stored record is damaged.", identifier: identifier)
        case .miss(let miss): return miss
        case .failed(let error): throw error.concerning(identifier)
        }
    }

    /// The record under `name` in `namespace`, checked; its bytes stay until the read ends.
    func value(_ namespace: UInt8, _ name: ModelIdentifier) throws(CacheError) -> RecordHeader? {
        unsafe name.withUTF8 { unsafe state.pointee.key.set(namespace, $0) }
        guard let stored = unsafe try state.pointee.fetch() else { return nil }
        noteTouch()
        let bytes = unsafe stored.isKept ? stored.bytes : state.pointee.arena.keep(stored.bytes)
        var header: RecordHeader
        do throws(RecordHeader.Failure) {
            header = unsafe try RecordHeader(bytes, key: state.pointee.key.bytes)
        } catch {
            throw Reconstructor.error(error, name)
        }
        if unsafe header.findShape(state.pointee.learnt.shapes) { return header }
        guard unsafe try state.pointee.findShape(header.shapeHash) else { return nil }
        return unsafe header.findShape(state.pointee.learnt.shapes) ? header : nil
    }

    // MARK: Nodes

    /// Says that the thread's stack is a large one, so that nothing needs to hop.
    func stayOnLargeStack() {
        // It is another thread than that on which the read began.
        threadDidChange()
        unsafe state.pointee.descent.stayOnLargeStack()
    }

    var hops: Int {
        get { unsafe state.pointee.descent.hops }
        set { unsafe state.pointee.descent.hops = newValue }
    }

    var nesting: Int {
        get { unsafe state.pointee.descent.nesting }
        set { unsafe state.pointee.descent.nesting = newValue }
    }

    func beginVisit(
        _ type: any CacheableModel.Type, _ identifier: UnsafeRawBufferPointer
    ) throws(NodeReadFailure) -> NodeVisit {
        guard unsafe state.pointee.descent.path.count < LargeStack.maxDepth else {
            throw .failed(CacheError(.tooDeep, "The tree has more than \(LargeStack.maxDepth) identified levels."))
        }
        if unsafe state.pointee.models.knowsAny && state.pointee.descent.isBelowRoot,
            unsafe state.pointee.models.isKnown(identifier, ObjectIdentifier(type))
        {
            try unsafe checkKnown(identifier)
            return unsafe NodeVisit(
                decoder: NodeDecoder(UnsafeRawBufferPointer(start: nil, count: 0), source: self, isStable: true),
                identifier: identifier, type: ObjectIdentifier(type), isRemembered: true)
        }
        // A record that names a node and says that it names none is nothing that Grove wrote; it would have no place in
        // time.
        guard unsafe !state.pointee.descent.isInLeaf else { throw .corrupted }
        let mark = unsafe state.pointee.arena.mark
        var (header, isKept) = unsafe try record(identifier)
        if header.flags.contains(.tombstone) {
            throw unsafe noteDeleted(
                identifier, mayReturn: header.sequence <= state.pointee.descent.places.holder.sequence)
        }
        if header.deletion > .zero { unsafe try checkDeletion(of: header, identifier) }
        let index = unsafe state.pointee.learnt.index(of: type)
        let names = unsafe state.pointee.learnt.types[index]
        guard unsafe names.acceptsAnyRecordName || isEqual(names.record.bytes, header.recordName) else {
            throw unsafe .miss(CacheMiss(.otherType, text(identifier)))
        }
        let isNamed = header.isNamedAlike && names.isNamedAlike
        var shape = unsafe header.foundShape
        if names.isDynamic, let unread = header.shape {
            unsafe header.body = try unsafe map(of: header.body, unread, identifier)
            unsafe (isKept, shape) = (true, nil)
        }
        guard header.flags.contains(.references) || header.flags.contains(.projections) else {
            unsafe state.pointee.descent.enterLeaf()
            let isOwnProjection = unsafe isNamed || isEqual(names.projection.bytes, header.projection)
            let decoder = unsafe NodeDecoder(
                header.body, source: self, isStable: true, absence: isOwnProjection ? .known : .unknown,
                shape: shape)
            return unsafe NodeVisit(
                decoder: decoder, identifier: identifier, type: names.type, isRemembered: false, wasSeen: false,
                needsLargerStack: state.pointee.descent.needsLargerStack, leafMark: mark.rawValue)
        }
        let holdsReferences = header.flags.contains(.references)
        var hash: UInt64 = 0
        var wasSeen = false
        if holdsReferences {
            hash = unsafe NodeTree.hash(identifier)
            wasSeen = unsafe state.pointee.models.meet(hash)
            if wasSeen, unsafe try isRemembered(identifier, hash, names.type) {
                return unsafe NodeVisit(
                    decoder: NodeDecoder(header.body, source: self, isStable: true),
                    identifier: identifier, type: names.type, isRemembered: true)
            }
        }
        let holder = unsafe state.pointee.descent.places.next(header.sequence)
        let absence: Absence
        if header.flags.contains(.projections) {
            absence = unsafe try prepare(&header, &isKept, as: names.projection.bytes, identifier)
        } else {
            absence = unsafe isNamed || isEqual(names.projection.bytes, header.projection) ? .known : .unknown
        }
        let step = unsafe Descent.Step(
            identifier: identifier, hash: hash, type: names.type, holdsReferences: holdsReferences,
            isMixed: absence == .ofRecord, holder: state.pointee.descent.places.holder, mark: mark)
        unsafe state.pointee.descent.enter(step, as: holder)
        let decoder = unsafe NodeDecoder(
            header.body, source: self, isStable: isKept || !holdsReferences, absence: absence, shape: shape)
        return unsafe NodeVisit(
            decoder: decoder, identifier: identifier, type: names.type, wasSeen: wasSeen,
            needsLargerStack: state.pointee.descent.needsLargerStack)
    }

    func endVisit(_ visit: NodeVisit) {
        if visit.leafMark >= 0 {
            unsafe state.pointee.descent.leaveLeaf()
            unsafe state.pointee.arena.release(to: ScratchArena.Mark(rawValue: visit.leafMark))
            return
        }
        guard let step = unsafe state.pointee.descent.leave() else { return }
        unsafe state.pointee.arena.release(to: step.mark)
    }

    func failVisit(_ visit: NodeVisit, _ failure: NodeReadFailure) -> NodeReadFailure {
        endVisit(visit)
        switch failure {
        case .otherShape: return unsafe .miss(CacheMiss(.otherShape, text(visit.identifier)))
        case .incomplete: return unsafe .miss(CacheMiss(.incomplete, text(visit.identifier)))
        case .corrupted: return unsafe damage(.corrupted, visit.identifier)
        case .deleted, .miss, .failed: return failure
        }
    }

    /// Whether the read has the node ready; a node that is being decoded further up, as the same type, closes a cycle.
    private func isRemembered(
        _ identifier: UnsafeRawBufferPointer, _ hash: UInt64, _ type: ObjectIdentifier
    ) throws(NodeReadFailure) -> Bool {
        if unsafe state.pointee.descent.contains(identifier, hash, type) {
            throw unsafe .failed(
                CacheError(
                    .cycle, "The node holds itself, directly or through others.", identifier: text(identifier)))
        }
        return unsafe state.pointee.models.isRemembered(identifier, type)
    }

    /// Puts `models` in the place of their identifiers in trees until the read ends; they are not looked for.
    func know(_ models: [any SimpleModel]) { unsafe state.pointee.models.know(models) }

    /// Checks that a known model may stand in the place of its identifier.
    ///
    /// - Throws: `deleted` if the reference is older than a deletion of the model: the known model was written after
    ///   that.
    private func checkKnown(_ identifier: UnsafeRawBufferPointer) throws(NodeReadFailure) {
        let mark = unsafe state.pointee.arena.mark
        defer { unsafe state.pointee.arena.release(to: mark) }
        do throws(NodeReadFailure) {
            unsafe try checkDeletion(of: record(identifier).0, identifier)
        } catch {
            // The model is in memory, even if the store has lost its record.
            if case .miss = error { return }
            throw error
        }
    }

    func recall(_ visit: NodeVisit) -> (any SimpleModel)? {
        unsafe state.pointee.models.find(visit.identifier, visit.type)
    }

    func remember(_ model: any SimpleModel, _ visit: NodeVisit) {
        unsafe state.pointee.models.remember(model, visit.identifier, visit.type)
    }

    func recordName(_ identifier: UnsafeRawBufferPointer) throws(NodeReadFailure) -> String {
        let (header, _) = unsafe try record(identifier)
        if header.flags.contains(.tombstone) { throw unsafe noteDeleted(identifier) }
        return unsafe String(decoding: header.recordName, as: UTF8.self)
    }

    func keep(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        unsafe state.pointee.arena.keep(bytes)
    }

    /// The record of `identifier`, checked, and whether its bytes stay until the node is finished.
    private func record(
        _ identifier: UnsafeRawBufferPointer
    ) throws(NodeReadFailure) -> (RecordHeader, isKept: Bool) {
        unsafe state.pointee.key.set(Namespace.node, identifier)
        var (header, isKept) = unsafe try fetch(identifier)
        noteTouch()
        if unsafe header.findShape(state.pointee.learnt.shapes) { return (header, isKept) }
        return unsafe try recordOfNewShape(header.shapeHash, identifier)
    }

    /// The record of `identifier`, whose key is the current one; its shape is not looked up.
    func fetch(
        _ identifier: UnsafeRawBufferPointer
    ) throws(NodeReadFailure) -> (RecordHeader, isKept: Bool) {
        let stored: (bytes: UnsafeRawBufferPointer, isKept: Bool)?
        do throws(CacheError) {
            unsafe stored = try state.pointee.fetch()
        } catch {
            throw unsafe .failed(error.concerning(text(identifier)))
        }
        guard let stored = unsafe stored else { throw unsafe .miss(CacheMiss(absence, text(identifier))) }
        do throws(RecordHeader.Failure) {
            return unsafe (try RecordHeader(stored.bytes, key: state.pointee.key.bytes), stored.isKept)
        } catch {
            throw unsafe damage(error, identifier)
        }
    }
}

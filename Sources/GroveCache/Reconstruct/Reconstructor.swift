import GroveModel

/// Rebuilds trees from records inside one view of the store and the writes queued at that moment.
///
/// Linear in distinct nodes and references: a node that holds references is decoded at most twice in one read, however
/// many paths lead to it; one that holds none is decoded once for each reference to it.
@safe
final class Reconstructor<View: NodeView>: CurrentRead, NodeSource, @unchecked Sendable {
    // SAFETY: used by one read at a time; between reads it lies in a pool behind a mutex.

    private(set) var view: View?
    var nesting = 0
    /// Writes that the view may not show yet, oldest first.
    private var pending: [PendingWrite] = []

    private var shift: UInt64 = 0
    private var forgotten: UInt64 = 0
    private var key = StoreKey()
    private var arena = ScratchArena()
    private var folded = [ByteBuffer(capacity: 256), ByteBuffer(capacity: 256)]
    private var deleted = ByteBuffer(capacity: 64)
    private var depth = 0
    /// The number of the write of the record whose children are being fetched.
    private var holderSequence = UInt64.max
    private var path: [(hash: UInt64, identifier: UnsafeRawBufferPointer)] = unsafe []
    private var sights = SightTable()
    private var remembered: [Sight: any SimpleModel] = [:]
    private var types: [(type: ObjectIdentifier, record: [UInt8], projection: [UInt8])] = []

    private struct Sight: Hashable {
        let identifier: [UInt8]
        let type: ObjectIdentifier
    }

    deinit {
        for buffer in folded { buffer.deallocate() }
        deleted.deallocate()
    }

    /// Begins a read of `view`, or of nothing but `pending` where the store is about to be emptied.
    func begin(_ view: View?, pending: [PendingWrite], shift: UInt64, forgotten: UInt64) {
        self.shift = shift
        self.forgotten = forgotten
        self.view = view
        self.pending = pending
        enterThread()
    }

    /// Ends the read and lets go of its view and of everything it remembered.
    func end() {
        leaveThread()
        view?.end()
        view = nil
        if !pending.isEmpty { pending = [] }
        if !remembered.isEmpty { remembered = [:] }
        if unsafe !path.isEmpty { unsafe path = unsafe [] }
        sights.removeAll()
        holderSequence = .max
        depth = 0
        nesting = 0
    }

    // MARK: Roots

    /// The tree of `identifier`, as `type`.
    func root<M: CacheableModel>(
        _ type: M.Type, _ identifier: ModelIdentifier
    ) throws(CacheError) -> CacheRead<M> {
        do throws(NodeReadFailure) {
            let mark = arena.mark
            defer { arena.release(to: mark) }
            var reference = ByteBuffer(capacity: 64)
            defer { reference.deallocate() }
            reference.appendHead(CBORMajor.tag, CBORTag.reference)
            reference.appendText(identifier.rawValue)
            var decoder = unsafe NodeDecoder(reference.bytes, source: self, isStable: true, isOwnProjection: true)
            return .hit(try M.decodeValue(from: &decoder))
        } catch {
            return .miss(try miss(error, at: identifier))
        }
    }

    /// What `failure` means to whoever asked for `identifier`.
    ///
    /// - Throws: the error, where it is none of absence.
    func miss(_ failure: NodeReadFailure, at identifier: ModelIdentifier) throws(CacheError) -> CacheMiss {
        switch failure {
        case .deleted:
            return unsafe CacheMiss(.deleted, ModelIdentifier(String(decoding: deleted.bytes, as: UTF8.self)))
        case .otherShape: return CacheMiss(.otherShape, identifier)
        case .incomplete: return CacheMiss(.incomplete, identifier)
        case .corrupted: throw CacheError(.corrupted, "The stored record is damaged.", identifier: identifier)
        case .miss(let miss): return miss
        case .failed(let error): throw error.concerning(identifier)
        }
    }

    // MARK: Nodes

    func node<M: CacheableModel>(
        _ type: M.Type, _ identifier: UnsafeRawBufferPointer
    ) throws(NodeReadFailure) -> M {
        guard depth < LargeStack.maxDepth else {
            throw .failed(CacheError(.tooDeep, "The tree has more than \(LargeStack.maxDepth) identified levels."))
        }
        nesting += 1
        depth += 1
        let mark = arena.mark
        defer {
            nesting -= 1
            depth -= 1
            arena.release(to: mark)
        }
        if nesting == LargeStack.hopDepth {
            return try LargeStack.run(unavailable: NodeReadFailure.failed(LargeStack.noThread)) {
                () throws(NodeReadFailure) in
                threadDidChange()
                return try unsafe nodeHere(type, identifier)
            }
        }
        return try unsafe nodeHere(type, identifier)
    }

    private func nodeHere<M: CacheableModel>(
        _ type: M.Type, _ identifier: UnsafeRawBufferPointer
    ) throws(NodeReadFailure) -> M {
        let (header, isKept) = unsafe try record(identifier)
        if header.flags.contains(.tombstone) { throw unsafe noteDeleted(identifier) }
        if header.wasDeleted(after: holderSequence) {
            guard header.flags.contains(.deletionUncertain) else { throw unsafe noteDeleted(identifier) }
            throw unsafe .miss(CacheMiss(.absent, text(identifier)))
        }
        let names = names(of: type)
        guard unsafe M.acceptsAnyRecordName || types[names].record.elementsEqual(header.recordName) else {
            throw unsafe .miss(CacheMiss(.otherType, text(identifier)))
        }
        let isOwnProjection = isOwnProjection(types[names].projection, header)
        let failure: NodeReadFailure
        do throws(NodeReadFailure) {
            guard header.flags.contains(.references) else {
                var decoder = unsafe NodeDecoder(
                    header.body, source: self, isStable: true, isOwnProjection: isOwnProjection)
                return try decoder.decodeFieldsHere(type)
            }
            return try unsafe holder(type, identifier, header, isStable: isKept, isOwnProjection: isOwnProjection)
        } catch {
            failure = error
        }
        switch failure {
        case .otherShape: throw unsafe .miss(CacheMiss(.otherShape, text(identifier)))
        case .incomplete: throw unsafe .miss(CacheMiss(.incomplete, text(identifier)))
        case .corrupted: throw unsafe damage(.corrupted, identifier)
        case .deleted, .miss, .failed: throw failure
        }
    }

    /// Decodes a node that holds references: the only kind through which a tree can widen, deepen or close upon itself.
    private func holder<M: CacheableModel>(
        _ type: M.Type, _ identifier: UnsafeRawBufferPointer, _ header: RecordHeader, isStable: Bool,
        isOwnProjection: Bool
    ) throws(NodeReadFailure) -> M {
        let hash = unsafe NodeTree.hash(identifier)
        let wasSeen = sights.note(hash)
        if wasSeen {
            for index in unsafe 0..<path.count
            where unsafe path[index].hash == hash && isEqual(path[index].identifier, identifier) {
                throw unsafe .failed(
                    CacheError(
                        .cycle, "The node holds itself, directly or through others.", identifier: text(identifier)))
            }
            let sight = unsafe Sight(identifier: Array(identifier), type: ObjectIdentifier(type))
            if let model = remembered[sight] as? M { return model }
        }
        let outer = holderSequence
        holderSequence = header.sequence
        unsafe path.append((hash, identifier))
        defer {
            unsafe path.removeLast()
            holderSequence = outer
        }
        var decoder = unsafe NodeDecoder(
            header.body, source: self, isStable: isStable, isOwnProjection: isOwnProjection)
        let model = try decoder.decodeFieldsHere(type)
        if wasSeen { unsafe remembered[Sight(identifier: Array(identifier), type: ObjectIdentifier(type))] = model }
        return model
    }

    func recordName(_ identifier: UnsafeRawBufferPointer) throws(NodeReadFailure) -> String {
        let (header, _) = unsafe try record(identifier)
        if header.flags.contains(.tombstone) { throw unsafe noteDeleted(identifier) }
        return unsafe String(decoding: header.recordName, as: UTF8.self)
    }

    func keep(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer { unsafe arena.keep(bytes) }

    private func isOwnProjection(_ projection: [UInt8], _ header: RecordHeader) -> Bool {
        if !header.flags.contains(.projections) { return unsafe projection.elementsEqual(header.projection) }
        return unsafe ProjectionTable.carries(projection, header, fieldCount: RecordBody.fieldCount(header.body))
    }

    /// The record of `identifier`, checked, and whether its bytes stay until the node is finished.
    private func record(
        _ identifier: UnsafeRawBufferPointer
    ) throws(NodeReadFailure) -> (RecordHeader, isKept: Bool) {
        unsafe key.set(Namespace.node, identifier)
        let stored: (bytes: UnsafeRawBufferPointer, isKept: Bool)?
        do throws(CacheError) {
            unsafe stored = try unsafe fetch()
        } catch {
            throw unsafe .failed(error.concerning(text(identifier)))
        }
        guard let stored = unsafe stored else { throw unsafe .miss(CacheMiss(.absent, text(identifier))) }
        do throws(RecordHeader.Failure) {
            return unsafe (try RecordHeader(stored.bytes, key: key.bytes), stored.isKept)
        } catch {
            throw unsafe damage(error, identifier)
        }
    }

    /// A damaged root is an error; below a root it is a miss of the tree.
    private func damage(_ failure: RecordHeader.Failure, _ identifier: UnsafeRawBufferPointer) -> NodeReadFailure {
        let isFuture = failure == .unsupportedFormat
        if depth > 1 { return unsafe .miss(CacheMiss(isFuture ? .unsupportedFormat : .corrupted, text(identifier))) }
        return unsafe .failed(
            isFuture
                ? CacheError(
                    .unsupportedFormat, "A later version of Grove wrote the record.", identifier: text(identifier))
                : CacheError(.corrupted, "The stored record is damaged.", identifier: text(identifier)))
    }

    private func noteDeleted(_ identifier: UnsafeRawBufferPointer) -> NodeReadFailure {
        deleted.removeAll()
        unsafe deleted.append(identifier)
        return .deleted
    }

    private func text(_ identifier: UnsafeRawBufferPointer) -> ModelIdentifier {
        unsafe ModelIdentifier(String(decoding: identifier, as: UTF8.self))
    }

    private func names<M: CacheableModel>(of type: M.Type) -> Int {
        let object = ObjectIdentifier(type)
        for index in types.indices where types[index].type == object { return index }
        types.append((object, Array(type.recordName.utf8), Array(type.projectionName.utf8)))
        return types.count - 1
    }

    // MARK: Bytes

    /// What is stored under the current key, queued writes applied, and whether the bytes outlive the next call.
    private func fetch() throws(CacheError) -> (bytes: UnsafeRawBufferPointer, isKept: Bool)? {
        guard !pending.isEmpty else {
            return try unsafe view?.get(key.bytes).map { unsafe ($0, View.keepsBytes) }
        }
        var stored = try unsafe view?.get(key.bytes)
        var buffer = 0
        var isFolded = false
        for write in pending {
            for var update in unsafe write.updates(of: key.bytes, shift: shift) {
                update.forgottenDeletion = forgotten
                // The number of the write stands for the holder even where its bytes are the same.
                update.refreshes = true
                switch try unsafe update.apply(to: stored, into: &folded[buffer]) {
                case .unchanged, .superseded: break
                case .removed: unsafe stored = nil
                case .replaced:
                    unsafe stored = unsafe folded[buffer].bytes
                    isFolded = true
                    buffer = 1 - buffer
                }
            }
        }
        guard let stored = unsafe stored else { return nil }
        return unsafe isFolded ? (arena.keep(stored), true) : (stored, View.keepsBytes)
    }

    /// The record under `name` in `namespace`, checked; its bytes stay until the read ends.
    func value(_ namespace: UInt8, _ name: UnsafeRawBufferPointer) throws(CacheError) -> RecordHeader? {
        unsafe key.set(namespace, name)
        guard let stored = try unsafe fetch() else { return nil }
        let bytes = unsafe stored.isKept ? stored.bytes : arena.keep(stored.bytes)
        do throws(RecordHeader.Failure) {
            return unsafe try RecordHeader(bytes, key: key.bytes)
        } catch {
            switch error {
            case .corrupted:
                throw unsafe CacheError(.corrupted, "The stored record is damaged.", identifier: text(name))
            case .unsupportedFormat:
                throw unsafe CacheError(
                    .unsupportedFormat, "A later version of Grove wrote the record.", identifier: text(name))
            }
        }
    }

    /// Decodes the elements of a stored collection, one after the other.
    ///
    /// - Parameter element: called for each; `nil` for an element that is deleted. What it throws ends the read.
    func elements<M: CacheableModel>(
        _ type: M.Type, of header: RecordHeader,
        _ element: (Result<M?, NodeReadFailure>) throws(NodeReadFailure) -> Void
    ) throws(NodeReadFailure) {
        let outer = holderSequence
        holderSequence = header.sequence
        depth += 1
        defer {
            holderSequence = outer
            depth -= 1
        }
        var decoder = unsafe NodeDecoder(header.body, source: self, isStable: true, isOwnProjection: true)
        let count = try decoder.readArrayHead()
        for _ in 0..<count {
            let start = decoder
            let outcome: Result<M?, NodeReadFailure>
            do throws(NodeReadFailure) {
                outcome = .success(try decoder.decodeUnlessDeleted(type))
            } catch {
                decoder = start
                try decoder.skip()
                outcome = .failure(error)
            }
            try element(outcome)
        }
    }
}

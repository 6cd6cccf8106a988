import GroveCoding
import GroveModel

/// What a read keeps while it lasts, and the memory that it leaves to the next one.
///
/// It lies behind a pointer, because a class's own properties are checked for exclusive access at every use, which
/// costs as much as decoding a field.
@safe
struct ReadState: ~Copyable {
    /// Where the reader counts as active, and rests: see ``Readers``.
    var shelf = 0
    /// What the read began with, or the last one did; see ``ReadPoint``.
    var point: ReadPoint?
    var view: (any NodeView)?
    var keepsBytes = false
    /// Calls that the view may not show yet, if there are any.
    var pending: PendingReads?
    /// What the view shows of them, once it was asked.
    var placement: PendingReads.Placement?
    /// Whether what is stored must be looked at before it is used: there are such calls, or ages count.
    var hasPending = false
    /// How old what is found may be; `nil` if that does not matter.
    var ageLimit: AgeLimit?
    /// Whether what was fetched last was there and too old.
    var isExpired = false
    /// Whether lists are read as they were committed, without what is queued.
    var readsCommittedLists = false
    /// Whether what was fetched last is not there because a write of it could not be stored.
    var isInvalidated = false

    var key = KeyBuffer()
    var root = ByteBuffer(capacity: 64)
    var arena = ScratchArena()
    var folded = (ByteBuffer(capacity: 256), ByteBuffer(capacity: 256))
    /// The identifier of the node whose deletion was met last.
    var deleted = ByteBuffer(capacity: 64)
    /// Whether what named that node did so after the deletion, and has it again once it is written.
    var mayReturn = false

    /// The number of the write of the record whose children are being fetched.
    var holderSequence = CallNumber.max
    /// Where references have places in time of their own, inside the records from the root to the current one.
    var places: [Place] = []
    /// Where in ``places`` those of the current record begin.
    var firstPlace = 0
    /// The records from the root to the current one of which the reading projection wrote a part.
    var mixed: [Mixed] = []
    var nesting = 0
    /// Whether the node that is being decoded says of itself that it holds no references.
    var isInLeaf = false
    /// The level of the root: not 0 if the whole read is on a large stack.
    var rootNesting = 0
    var hops = 0
    /// The nodes from the root to the one that is being decoded, but for one that holds no references.
    var path: [Step] = []
    var sights = SightTable()
    /// The hashes of the keys that the read asked for, in order, of ``touchBytes`` bytes each.
    private(set) var touches = ByteBuffer(capacity: 64)
    var remembered: [Sight: any SimpleModel] = [:]
    /// Models that the read is not to look for.
    var known: [Sight: any SimpleModel] = [:]
    /// Shapes met by this reader; kept from read to read.
    var shapes = ShapeTable()
    private var splitBody = SplitBody()
    /// Types met by this reader, with the names of their records; kept from read to read.
    var types: [TypeNames] = []

    @safe
    struct Step {
        var identifier: UnsafeRawBufferPointer
        var hash: UInt64
        var type: ObjectIdentifier
        var holdsReferences: Bool
        /// Whether the node's record is among ``ReadState/mixed``.
        var isMixed: Bool
        var holderSequence: CallNumber
        var firstPlace: Int
        var mark: ScratchArena.Mark
    }

    /// The place in time of the references in one field of a record that several projections wrote.
    @safe
    struct Place {
        let field: UnsafeRawBufferPointer
        let sequence: CallNumber
    }

    /// A record that several projections wrote, and what the reading one wrote of it.
    @safe
    struct Mixed {
        let body: UnsafeRawBufferPointer
        let row: ProjectionTable.Row
    }

    struct Sight: Hashable {
        let identifier: [UInt8]
        let type: ObjectIdentifier
    }

    struct TypeNames {
        let type: ObjectIdentifier
        let acceptsAnyRecordName: Bool
        /// Whether the type reads its record's map by itself.
        let isDynamic: Bool
        let record: ByteBuffer
        let projection: ByteBuffer
        /// Whether the two are the same, as they are of a type that declares neither.
        let isNamedAlike: Bool
    }

    deinit {
        root.deallocate()
        folded.0.deallocate()
        folded.1.deallocate()
        deleted.deallocate()
        touches.deallocate()
        for type in types {
            type.record.deallocate()
            type.projection.deallocate()
        }
    }

    /// Gives back what one read needed and the next, as reads go, will not: a reader lies in a pool for ever.
    mutating func letGo() {
        arena.reset()
        guard placement != nil || deleted.allocatedByteCount > ReadState.retainedBytes else { return }
        deleted.removeAll(keeping: ReadState.retainedBytes)
        folded.0.removeAll(keeping: ReadState.retainedBytes)
        folded.1.removeAll(keeping: ReadState.retainedBytes)
    }

    /// What a buffer of a reader at rest may hold.
    static let retainedBytes = 16 << 10

    /// Bytes of heap that the reader's buffers hold.
    var allocatedByteCount: Int {
        arena.allocatedByteCount + deleted.allocatedByteCount + folded.0.allocatedByteCount
            + folded.1.allocatedByteCount
    }

    /// The bytes that a touch takes.
    static let touchBytes = MemoryLayout<UInt64>.size

    /// Notes that the read found what is under the current key.
    mutating func noteTouch() { unsafe touches.append(littleEndian: Evictor.hash(key.bytes)) }

    /// Forgets what was touched.
    mutating func forgetTouches() {
        touches.removeAll()
        if touches.allocatedByteCount > ReadState.retainedBytes { touches.removeAll(keeping: 64) }
    }

    /// The index of the names of `type`.
    mutating func names(of type: any CacheableModel.Type) -> Int {
        let object = ObjectIdentifier(type)
        var index = 0
        while index < types.count {
            if types[index].type == object { return index }
            index += 1
        }
        var record = ByteBuffer(capacity: 32)
        for byte in type.recordName.utf8 { record.append(byte) }
        var projection = ByteBuffer(capacity: 32)
        for byte in type.projectionName.utf8 { projection.append(byte) }
        types.append(
            TypeNames(
                type: object, acceptsAnyRecordName: type.acceptsAnyRecordName, isDynamic: type.fields.isDynamic,
                record: record, projection: projection,
                isNamedAlike: unsafe !type.acceptsAnyRecordName && isEqual(record.bytes, projection.bytes)))
        return types.count - 1
    }

    /// What is stored under the current key, queued writes applied, and whether the bytes outlive the next call.
    mutating func fetch() throws(CacheError) -> (bytes: UnsafeRawBufferPointer, isKept: Bool)? {
        isInvalidated = false
        guard hasPending else { return try unsafe view?.get(key.bytes).map { unsafe ($0, keepsBytes) } }
        let updates = try unsafe pending?.updates(of: key.bytes, over: view, &placement) ?? []
        var stored = try unsafe view?.get(key.bytes)
        if updates.isEmpty, ageLimit == nil { return unsafe stored.map { unsafe ($0, keepsBytes) } }
        if !updates.isEmpty, let bytes = unsafe stored, let hash = unsafe RecordHeader.shapeHash(of: bytes),
            unsafe shapes.find(hash) == nil
        {
            _ = try findShape(hash)
            unsafe stored = try unsafe view?.get(key.bytes)
        }
        return try unsafe fold(updates, over: stored)
    }

    /// Fetches the shape of `hash`; false if it is lost.
    ///
    /// What was fetched before may be gone.
    mutating func findShape(_ hash: UInt64) throws(CacheError) -> Bool {
        guard let shape = try view?.shape(hash) else { return false }
        shapes.add(shape)
        return true
    }

    /// `node` without its names.
    ///
    /// Where it came with a shape, this reader knows that from now on.
    private mutating func shaped(_ node: NodeTree.Node) -> ShapedBody? {
        var shaped = splitBody.split(node)
        if let shape = unsafe node.shape?.takeUnretainedValue() {
            shapes.add(shape)
            let known = unsafe shapes.find(shape.hash)?.takeUnretainedValue()
            shaped?.isStored = known.map { unsafe $0 === shape || isEqual($0.bytes, shape.bytes) } ?? false
        }
        return shaped
    }

    private mutating func fold(
        _ updates: [RecordUpdate], over base: UnsafeRawBufferPointer?
    ) throws(CacheError) -> (bytes: UnsafeRawBufferPointer, isKept: Bool)? {
        var stored = unsafe base
        var isFolded = false
        var forgottenDeletion = placement?.forgottenDeletion ?? .zero
        let lastAnswer = updates.lastIndex { $0.yieldsAfter != nil } ?? 0
        for (index, var update) in updates.enumerated() {
            update.forgottenDeletion = forgottenDeletion
            // The number of the write stands for the holder even if its bytes are the same; but to an answer it is no change.
            update.refreshes = index >= lastAnswer
            if case .node(let node) = update.change { update.shaped = shaped(node) }
            let outcome = unsafe try update.apply(to: stored, into: &folded.0, shapes: shapes)
            forgottenDeletion = update.forgottenDeletion
            switch outcome {
            case .unchanged, .renewed, .superseded: break
            case .removed:
                unsafe stored = nil
                if case .invalidate = update.change { isInvalidated = true }
            case .replaced, .overtaken:
                isInvalidated = false
                swap(&folded.0, &folded.1)
                unsafe stored = folded.1.bytes
                isFolded = true
            }
        }
        isExpired = false
        guard let stored = unsafe stored else { return nil }
        if ageLimit != nil, unsafe !isYoungEnough(stored) {
            isExpired = true
            return nil
        }
        return isFolded ? unsafe (arena.keep(stored), true) : unsafe (stored, keepsBytes)
    }
}

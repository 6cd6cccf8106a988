import GroveCoding
import GroveModel

/// Models taken apart into nodes, with the references that stand for the roots themselves.
struct EncodedRoots {
    let tree: NodeTree
    /// The encoded roots, one after the other: references, or whole models if they have no identifiers.
    let references: [UInt8]
    let count: Int

    /// Encodes `models`, in order, into one tree.
    ///
    /// - Throws: ``CacheError`` with code `unidentified` if a root has no identifier and must, and as
    ///   ``NodeCodable/encodeValue(to:)``.
    init<M: CacheableModel>(_ models: some Collection<M>, mustBeIdentified: Bool) throws(CacheError) {
        do throws(CacheError) {
            self = try NodeTree.filling(roots: models.count) { (tree, onLargeStack) throws(CacheError) in
                try EncodedRoots(models, tree, mustBeIdentified, onLargeStack)
            }
        } catch {
            throw error.concerning(field: M.recordName)
        }
    }

    /// A tree of `model` alone, which must have an identifier; it is encoded where it lies.
    ///
    /// - Throws: as ``init(_:mustBeIdentified:)``.
    static func tree<M: CacheableModel>(of model: M) throws(CacheError) -> NodeTree {
        do throws(CacheError) {
            return try NodeTree.filling(roots: 1) { (tree, onLargeStack) throws(CacheError) in
                var encoder = NodeEncoder(into: tree)
                encoder.beginRoot(onLargeStack: onLargeStack)
                try model.encodeValue(to: &encoder)
                guard unsafe RootReference.isReference(encoder.out.bytes) else {
                    throw CacheError.hasNoIdentifier(M.self)
                }
                return tree
            }
        } catch {
            throw error.concerning(field: M.recordName)
        }
    }

    private init<M: CacheableModel>(
        _ models: some Collection<M>, _ tree: NodeTree, _ mustBeIdentified: Bool, _ onLargeStack: Bool
    ) throws(CacheError) {
        // Models side by side are encoded where they lie: iterating would copy each.
        let contiguous = models.withContiguousStorageIfAvailable { models in
            Result { () throws(CacheError) in
                try unsafe EncodedRoots.encode(models, tree, mustBeIdentified, onLargeStack)
            }
        }
        guard let contiguous else {
            self = try EncodedRoots([M](models), tree, mustBeIdentified, onLargeStack)
            return
        }
        references = try contiguous.get()
        self.tree = tree
        count = models.count
    }

    private static func encode<M: CacheableModel>(
        _ models: UnsafeBufferPointer<M>, _ tree: NodeTree, _ mustBeIdentified: Bool, _ onLargeStack: Bool
    ) throws(CacheError) -> [UInt8] {
        // A structure of one property lies in memory as that does, and has its stride.
        try unsafe models.withMemoryRebound(to: Lent<M>.self) { (models) throws(CacheError) in
            try unsafe encode(
                UnsafeRawPointer(models.baseAddress), models.count, M.self, tree, mustBeIdentified, onLargeStack)
        }
    }

    /// Encodes `count` models at `start` without a copy of any.
    private static func encode<M: CacheableModel>(
        _ start: UnsafeRawPointer?, _ count: Int, _ type: M.Type, _ tree: NodeTree, _ mustBeIdentified: Bool,
        _ onLargeStack: Bool
    ) throws(CacheError) -> [UInt8] {
        var encoder = NodeEncoder(into: tree)
        var references: [UInt8] = []
        guard let start = unsafe start else { return references }
        for index in 0..<count {
            encoder.beginRoot(onLargeStack: onLargeStack)
            // The stride of `Lent<M>` would be looked up for each model.
            let lent = unsafe start + index * MemoryLayout<M>.stride
            try unsafe encode(lent.assumingMemoryBound(to: Lent<M>.self).pointee, to: &encoder)
            if !mustBeIdentified {
                unsafe references.append(contentsOf: encoder.out.bytes)
            } else if unsafe !RootReference.isReference(encoder.out.bytes) {
                throw CacheError.hasNoIdentifier(M.self)
            }
        }
        return references
    }

    /// A function of its own, and no method of `Lent`, so that its metadata is not looked up for each model.
    @inline(never)
    private static func encode<M: CacheableModel>(
        _ lent: borrowing Lent<M>, to encoder: inout NodeEncoder
    ) throws(CacheError) {
        try lent.model.encodeValue(to: &encoder)
    }

    /// The collection of the roots, under `key`.
    func collection(_ key: String, _ kind: WholeList = .set) -> PendingWrite.Extra {
        .collection(key: Array(key.utf8), body: EncodedRoots.list(references, count: count), kind)
    }

    /// `references`, of `count` roots, as an encoded array.
    static func list(_ references: [UInt8], count: Int) -> [UInt8] {
        var body = ByteBuffer(capacity: references.count + 9)
        defer { body.deallocate() }
        body.appendHead(CBORMajor.array, UInt64(count))
        unsafe references.withUnsafeBytes { unsafe body.append($0) }
        return unsafe Array(body.bytes)
    }
}

extension NodeTree {
    /// The value that `body` makes of a new tree, which it fills with `roots` models.
    ///
    /// If that takes too many hops to a larger stack, `body` fills another tree on a large one.
    static func filling<Value>(
        roots: Int, _ body: (_ tree: NodeTree, _ onLargeStack: Bool) throws(CacheError) -> Value
    ) throws(CacheError) -> Value {
        let tree = NodeTree(capacity: 256 * max(roots, 2), roots: roots)
        do throws(CacheError) {
            let value = try body(tree, false)
            if !tree.mustRestart { return value }
        } catch {
            if !tree.mustRestart { throw error }
        }
        return try LargeStack.run(unavailable: LargeStack.noThread) { () throws(CacheError) in
            try body(NodeTree(capacity: 256 * max(roots, 2), roots: roots), true)
        }
    }
}

/// A model that is used where it lies: a copyable one is copied, its strings retained, before anything is asked of it.
private struct Lent<M: CacheableModel>: ~Copyable {
    let model: M
}

extension CacheError {
    /// The error of a model of `type` that cannot be a root.
    static func hasNoIdentifier(_ type: any SimpleModel.Type) -> CacheError {
        CacheError(
            .unidentified,
            "A model without an identifier cannot be cached by itself; give it one, or write the model that holds it.",
            field: type.recordName)
    }
}

import GroveModel

/// Models taken apart into nodes, with the references that stand for the roots themselves.
struct EncodedRoots {
    let tree: NodeTree
    /// The encoded roots, one after the other: references, or whole models where they have no identifiers.
    let references: [UInt8]
    let count: Int
    let holdsReferences: Bool

    /// Encodes `models`, in order, into one tree.
    ///
    /// - Throws: ``CacheError`` with code `unidentified` where a root has no identifier and must, and as
    ///   ``NodeCodable/encodeValue(to:)``.
    init<M: CacheableModel>(_ models: some Collection<M>, mustBeIdentified: Bool) throws(CacheError) {
        do throws(CacheError) {
            self = try EncodedRoots(models, mustBeIdentified: mustBeIdentified, onLargeStack: false)
        } catch {
            guard error.code == .restart else { throw error }
            self = try LargeStack.run(unavailable: LargeStack.noThread) { () throws(CacheError) in
                try EncodedRoots(models, mustBeIdentified: mustBeIdentified, onLargeStack: true)
            }
        }
    }

    private init<M: CacheableModel>(
        _ models: some Collection<M>, mustBeIdentified: Bool, onLargeStack: Bool
    ) throws(CacheError) {
        let tree = NodeTree(capacity: 256 * max(models.count, 2))
        var encoder = NodeEncoder(into: tree)
        var references: [UInt8] = []
        for model in models {
            encoder.beginRoot(onLargeStack: onLargeStack)
            try model.encodeValue(to: &encoder)
            if mustBeIdentified {
                guard unsafe RootReference(encoder.out.bytes).isReference else {
                    throw CacheError(.unidentified, "A model without an identifier cannot be cached by itself.")
                }
            } else {
                unsafe references += Array(encoder.out.bytes)
            }
        }
        self.tree = tree
        self.references = references
        count = models.count
        holdsReferences = !tree.entries.isEmpty
    }

    /// The collection of the roots, under `key`.
    func collection(_ key: String) -> PendingWrite.Extra {
        EncodedRoots.collection(key, count: count, references, holdsReferences: holdsReferences)
    }

    static func collection(
        _ key: String, count: Int, _ references: [UInt8], holdsReferences: Bool
    ) -> PendingWrite.Extra {
        var body = ByteBuffer(capacity: references.count + 9)
        defer { body.deallocate() }
        body.appendHead(CBORMajor.array, UInt64(count))
        unsafe references.withUnsafeBytes { unsafe body.append($0) }
        return unsafe .collection(key: Array(key.utf8), body: Array(body.bytes), holdsReferences: holdsReferences)
    }
}

/// What an encoded root is: a reference to a node, with or without a case, or a model in place.
struct RootReference {
    let isReference: Bool
    let hasCase: Bool
    let identifier: [UInt8]

    init(_ encoded: UnsafeRawBufferPointer) {
        var decoder = unsafe NodeDecoder(encoded, source: NoSource.shared, isStable: true, isOwnProjection: true)
        let reference = (try? decoder.readReference()) ?? nil
        isReference = reference != nil
        hasCase = reference?.caseName != nil
        identifier = reference.map { unsafe Array($0.identifierBytes) } ?? []
    }
}

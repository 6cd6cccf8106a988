import GroveCoding
import GroveModel

/// The same for models that are only `Codable`.
extension EncodedRoots {
    /// Encodes `models`, in order, into one tree, as the form for `CacheableModel`s does.
    init<M: SimpleModel & Codable>(codable models: some Collection<M>, mustBeIdentified: Bool) throws(CacheError) {
        do throws(CacheError) {
            self = try NodeTree.filling(roots: models.count) { (tree, onLargeStack) throws(CacheError) in
                try EncodedRoots(codable: models, tree, mustBeIdentified, onLargeStack: onLargeStack)
            }
        } catch {
            throw error.concerning(field: M.recordName)
        }
    }

    private init<M: SimpleModel & Codable>(
        codable models: some Collection<M>, _ tree: NodeTree, _ mustBeIdentified: Bool, onLargeStack: Bool
    ) throws(CacheError) {
        // Models side by side are encoded where they lie: iterating would copy each.
        let contiguous: Result<EncodedRoots, CacheError>? = models.withContiguousStorageIfAvailable { models in
            do throws(CacheError) {
                return .success(try unsafe EncodedRoots(codable: models, tree, mustBeIdentified, onLargeStack))
            } catch {
                return .failure(error)
            }
        }
        guard let contiguous else {
            self = try EncodedRoots(codable: [M](models), tree, mustBeIdentified, onLargeStack: onLargeStack)
            return
        }
        self = try contiguous.get()
    }

    private init<M: SimpleModel & Codable>(
        codable models: UnsafeBufferPointer<M>, _ tree: NodeTree, _ mustBeIdentified: Bool, _ onLargeStack: Bool
    ) throws(CacheError) {
        var encoder = NodeEncoder(into: tree)
        var references: [UInt8] = []
        for index in models.indices {
            encoder.beginRoot(onLargeStack: onLargeStack)
            try unsafe encoder.encodeCodable(models[index])
            if !mustBeIdentified {
                unsafe references.append(contentsOf: encoder.out.bytes)
            } else if unsafe !RootReference.isReference(encoder.out.bytes) {
                throw CacheError.hasNoIdentifier(M.self)
            }
        }
        self.tree = tree
        self.references = references
        count = models.count
    }
}

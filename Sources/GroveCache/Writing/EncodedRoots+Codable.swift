import GroveCoding
import GroveModel

/// The same for models that are only `Codable`.
extension EncodedRoots {
    /// Encodes `models`, in order, into one tree, as the form for `CacheableModel`s does.
    init<M: SimpleModel & Codable>(codable models: some Collection<M>, mustBeIdentified: Bool) throws(CacheError) {
        do throws(CacheError) {
            self = try EncodedRoots(codable: models, mustBeIdentified, onLargeStack: false)
        } catch {
            guard error.code == .restart else { throw error.concerning(field: M.recordName) }
            self = try LargeStack.run(unavailable: LargeStack.noThread) { () throws(CacheError) in
                try EncodedRoots(codable: models, mustBeIdentified, onLargeStack: true)
            }
        }
    }

    private init<M: SimpleModel & Codable>(
        codable models: some Collection<M>, _ mustBeIdentified: Bool, onLargeStack: Bool
    ) throws(CacheError) {
        // Models side by side are encoded where they lie: iterating would copy each.
        let contiguous: Result<EncodedRoots, CacheError>? = models.withContiguousStorageIfAvailable { models in
            do throws(CacheError) {
                return .success(try unsafe EncodedRoots(codable: models, mustBeIdentified, onLargeStack))
            } catch {
                return .failure(error)
            }
        }
        guard let contiguous else {
            self = try EncodedRoots(codable: [M](models), mustBeIdentified, onLargeStack: onLargeStack)
            return
        }
        self = try contiguous.get()
    }

    private init<M: SimpleModel & Codable>(
        codable models: UnsafeBufferPointer<M>, _ mustBeIdentified: Bool, _ onLargeStack: Bool
    ) throws(CacheError) {
        let tree = NodeTree(capacity: 256 * max(models.count, 2))
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
        holdsReferences = !tree.entries.isEmpty
    }
}

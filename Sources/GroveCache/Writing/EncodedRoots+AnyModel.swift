import GroveCoding
import GroveModel

/// Models whose types are known only at run time, such as those of a `CacheDelegate`.
extension EncodedRoots {
    /// Encodes `models`, in order, into one tree.
    ///
    /// - Throws: ``CacheError`` with code `notCacheable` for a type that is neither `CacheableModel` nor `Codable`.
    init(any models: [any SimpleModel]) throws(CacheError) {
        self = try NodeTree.filling(roots: models.count) { (tree, onLargeStack) throws(CacheError) in
            try EncodedRoots(any: models, tree, onLargeStack: onLargeStack)
        }
    }

    private init(any models: [any SimpleModel], _ tree: NodeTree, onLargeStack: Bool) throws(CacheError) {
        var encoder = NodeEncoder(into: tree)
        var references: [UInt8] = []
        for model in models {
            encoder.beginRoot(onLargeStack: onLargeStack)
            do throws(CacheError) {
                try EncodedRoots.encode(model, &encoder)
            } catch {
                throw error.concerning(field: type(of: model).recordName)
            }
            unsafe references.append(contentsOf: encoder.out.bytes)
        }
        self.tree = tree
        self.references = references
        count = models.count
    }

    private static func encode(_ model: any SimpleModel, _ encoder: inout NodeEncoder) throws(CacheError) {
        if let model = model as? any CacheableModel { return try model.encodeValue(to: &encoder) }
        guard let model = model as? any (SimpleModel & Codable) else { throw notCacheable(type(of: model)) }
        try encode(codable: model, &encoder)
    }

    private static func encode(
        codable model: some SimpleModel & Codable, _ encoder: inout NodeEncoder
    ) throws(CacheError) {
        try CodableNode(model).encodeValue(to: &encoder)
    }

    static func notCacheable(_ type: any SimpleModel.Type) -> CacheError {
        CacheError(
            .notCacheable, "\(type) has no coding: make it @Cacheable, conform it to CacheableModel, or to Codable.")
    }
}

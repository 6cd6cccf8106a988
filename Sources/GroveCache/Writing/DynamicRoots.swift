import GroveCoding
import GroveModel

/// Models whose types are known only at run time, such as those of a `CacheDelegate`, taken apart into nodes.
struct DynamicRoots {
    let tree: NodeTree
    /// The encoded roots, one after the other.
    let references: [UInt8]
    let roots: [RootReference]

    /// Encodes `models`, in order.
    ///
    /// - Throws: ``CacheError`` with code `notCacheable` for a type that is neither `CacheableModel` nor `Codable`.
    init(_ models: [any SimpleModel]) throws(CacheError) {
        self = try NodeTree.filling(roots: models.count) { (tree, onLargeStack) throws(CacheError) in
            try DynamicRoots(models, tree, onLargeStack: onLargeStack)
        }
    }

    private init(_ models: [any SimpleModel], _ tree: NodeTree, onLargeStack: Bool) throws(CacheError) {
        self.tree = tree
        var encoder = NodeEncoder(into: tree)
        var references: [UInt8] = []
        var roots: [RootReference] = []
        for model in models {
            encoder.beginRoot(onLargeStack: onLargeStack)
            do throws(CacheError) {
                try DynamicRoots.encode(model, &encoder)
            } catch {
                throw error.concerning(field: type(of: model).recordName)
            }
            unsafe references += Array(encoder.out.bytes)
            unsafe roots.append(RootReference(encoder.out.bytes))
        }
        self.references = references
        self.roots = roots
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

extension PendingWrite.Content {
    /// All of the collection under `key`, with the trees of its elements.
    static func list(
        _ models: [any SimpleModel], _ key: String, _ kind: WholeList
    ) throws(CacheError) -> PendingWrite.Content {
        let encoded = try DynamicRoots(models)
        let body = EncodedRoots.list(encoded.references, count: encoded.roots.count)
        return PendingWrite.Content(
            tree: encoded.tree, extras: [.collection(key: Array(key.utf8), body: body, kind)])
    }
}

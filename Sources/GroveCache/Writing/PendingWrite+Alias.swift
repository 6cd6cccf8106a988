import GroveCoding
import GroveModel

extension PendingWrite.Content {
    /// The content of a call that sets `model` under `key`.
    static func alias(_ key: String, of model: any SimpleModel) throws(CacheError) -> PendingWrite.Content {
        try ModelIdentifier(key).check()
        let encoded = try EncodedRoots(any: [model])
        let root = unsafe encoded.references.withUnsafeBytes { unsafe RootReference($0) }
        guard root.isReference else {
            throw CacheError.hasNoIdentifier(type(of: model)).concerning(ModelIdentifier(key))
        }
        // A reference that carries a case is kept even under the identifier itself: the identifier alone would not tell
        // an enum which case it was.
        if root.hasCase || !root.identifier.elementsEqual(key.utf8) {
            return PendingWrite.Content(
                tree: encoded.tree, extras: [.alias(key: Array(key.utf8), body: encoded.references)])
        }
        return PendingWrite.Content(tree: encoded.tree, extras: [.remove(Namespace.alias, key)])
    }
}

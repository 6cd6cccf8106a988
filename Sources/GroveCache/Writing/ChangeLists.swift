import GroveCoding
import GroveModel

/// The changes of a call beside the nodes of its tree.
struct ChangeLists {
    var names = ChangeSet.Names()
    /// Whether holders of a model may show it again, or show it no more.
    var changesHolders = false

    /// Takes in the outcome of `extra`.
    mutating func note(_ extra: PendingWrite.Extra, _ outcome: RecordUpdate.Outcome) {
        switch (extra, outcome) {
        case (.undelete, .replaced), (_, .overtaken): changesHolders = true
        case (.invalidate(let key, _), .superseded) where key.first == Namespace.collection:
            names.collections.append(ChangeLists.identifier(key.dropFirst()))
        case (_, .unchanged), (_, .renewed), (_, .superseded), (_, .replaced(bodyChanged: false)): return
        case (.tombstone(let identifier), _): names.deleted.append(identifier)
        case (.collection(let key, _, _), _), (.edit(let key, _), _):
            names.collections.append(ChangeLists.identifier(key[...]))
        case (.invalidate(let key, let why), _) where why.deletion != nil:
            names.deleted.append(ChangeLists.identifier(key.dropFirst()))
        case (.remove(let key), _), (.invalidate(let key, _), _):
            let identifier = ChangeLists.identifier(key.dropFirst())
            if key.first == Namespace.node { names.evicted.nodes.append(identifier) }
            if key.first == Namespace.collection { names.collections.append(identifier) }
            if key.first == Namespace.alias { names.aliases.append(identifier) }
        case (.alias(let key, _), _): names.aliases.append(ChangeLists.identifier(key[...]))
        case (.pin, _), (.unlist, _), (.undelete, _), (.kept, _): return
        }
    }

    private static func identifier(_ bytes: ArraySlice<UInt8>) -> ModelIdentifier {
        ModelIdentifier(String(decoding: bytes, as: UTF8.self))
    }
}

import GroveCoding
import GroveModel

extension PendingWrite.Extra {
    /// Forget the key of `name` in `namespace`.
    static func remove(_ namespace: UInt8, _ name: String) -> PendingWrite.Extra {
        .remove(storeKey: [namespace] + Array(name.utf8))
    }

    /// The key in the store.
    var storeKey: [UInt8] {
        switch self {
        case .tombstone(let identifier), .undelete(let identifier), .unlist(let identifier):
            [Namespace.node] + Array(identifier.rawValue.utf8)
        case .collection(let key, _, _), .edit(let key, _): [Namespace.collection] + key
        case .alias(let key, _): [Namespace.alias] + key
        case .kept(let key, _): [Namespace.kept] + key
        case .remove(let storeKey), .invalidate(let storeKey, _): storeKey
        case .pin(let pin): pin.root
        }
    }

    /// The bytes that it holds in memory; an estimate.
    var byteCount: Int {
        switch self {
        case .tombstone(let identifier), .undelete(let identifier), .unlist(let identifier):
            64 + identifier.rawValue.utf8.count
        case .collection(let key, let body, _), .alias(let key, let body), .kept(let key, let body):
            128 + key.count + body.count
        case .edit(let key, let edit): 160 + key.count + edit.elements.bytes.count + 16 * edit.elements.count
        case .remove(let storeKey), .invalidate(let storeKey, _): 64 + storeKey.count
        case .pin(let pin): 64 + pin.root.count
        }
    }

    /// Whether it is about a deletion.
    var isDeletion: Bool {
        switch self {
        case .tombstone: true
        case .invalidate(_, let invalidation): invalidation.isDeletion
        default: false
        }
    }

    /// The encoded value that it brings.
    var body: [UInt8]? {
        switch self {
        case .collection(_, let body, _), .alias(_, let body), .kept(_, let body): body
        case .edit(_, let edit): edit.elements.bytes
        case .tombstone, .undelete, .unlist, .remove, .invalidate, .pin: nil
        }
    }

    /// Whether it changes a stored value, rather than set a new one.
    var isEdit: Bool {
        guard case .edit = self else { return false }
        return true
    }

    /// The approximate number of records that it writes.
    var entryCount: Int {
        switch self {
        case .pin: 0
        case .collection(_, let body, _):
            1 + PendingWrite.Extra.count(ofList: body) / CollectionHead.mostElements
        case .edit(_, let edit): 3 + edit.elements.count / CollectionHead.mostElements
        case .tombstone, .undelete, .unlist, .alias, .kept, .remove, .invalidate: 1
        }
    }

    /// The number of elements of `list`, an encoded array.
    private static func count(ofList list: [UInt8]) -> Int {
        unsafe list.withUnsafeBytes { list in
            var decoder = unsafe NodeDecoder(list, source: NoSource.shared, isStable: true)
            return (try? decoder.readArrayHead()) ?? 0
        }
    }

    /// Whether it is about a pin, of which the store does not hear.
    var isPin: Bool {
        guard case .pin = self else { return false }
        return true
    }

    /// The change of the record under its key; `nil` if it is not about one record.
    var change: RecordUpdate.Change? {
        switch self {
        case .tombstone: .tombstone
        case .undelete: .undelete
        case .remove: .remove
        case .invalidate(_, let invalidation): .invalidate(invalidation)
        case .alias(_, let body), .kept(_, let body): .bytes(body)
        case .collection, .edit, .unlist, .pin: nil
        }
    }
}

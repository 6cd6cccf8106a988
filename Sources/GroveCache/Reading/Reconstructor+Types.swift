import GroveCoding
import GroveModel

/// The nodes of one type: what the view has, and what queued calls brought.
extension Reconstructor {
    /// The identifiers of the nodes that `type` wrote, in the order of their bytes.
    func identifiers(of type: any CacheableModel.Type) throws(CacheError) -> [ModelIdentifier] {
        let name = Array(type.recordName.utf8)
        var prefix: [UInt8] = [Namespace.node]
        if let type = type as? any KeyedModel.Type, let common = type.identifierPrefix { prefix += common.utf8 }
        var found: [[UInt8]] = []
        if let view = unsafe state.pointee.view {
            // What has a shape that was not met is of the type if that is: it is looked up behind the scan.
            var unmet: [(place: Int, hash: UInt64)] = []
            let shapes = unsafe state.pointee.shapes
            try unsafe prefix.withUnsafeBytesTyped { (prefix) throws(CacheError) in
                try unsafe view.scan(prefix: prefix) { key, value in
                    // Whose record a damaged one is cannot be told.
                    guard var header = try? unsafe RecordHeader(value, key: key), !header.flags.contains(.tombstone)
                    else { return true }
                    if !header.findShape(shapes) {
                        unmet.append((found.count, header.shapeHash))
                    } else if unsafe !type.acceptsAnyRecordName && !header.recordName.elementsEqual(name) {
                        return true
                    }
                    unsafe found.append(Array(key))
                    return true
                }
            }
            var others: Set<UInt64> = []
            for hash in Set(unmet.map(\.hash)) {
                guard unsafe try state.pointee.findShape(hash), let shape = unsafe state.pointee.shapes.find(hash),
                    unsafe type.acceptsAnyRecordName
                        || shape._withUnsafeGuaranteedRef({ unsafe $0.recordName.elementsEqual(name) })
                else {
                    others.insert(hash)
                    continue
                }
            }
            for (place, hash) in unmet.reversed() where others.contains(hash) { found.remove(at: place) }
        }
        guard let queued = unsafe state.pointee.pending?.keys(beginningWith: prefix), !queued.isEmpty else {
            return found.map { ModelIdentifier(String(decoding: $0.dropFirst(), as: UTF8.self)) }
        }
        var keys = Set(found)
        for key in queued {
            if try has(key, of: type, name) { keys.insert(key) } else { keys.remove(key) }
        }
        return keys.sorted { $0.lexicographicallyPrecedes($1) }
            .map { ModelIdentifier(String(decoding: $0.dropFirst(), as: UTF8.self)) }
    }

    /// Whether a node of `type` is under `key`, queued calls applied.
    private func has(
        _ key: [UInt8], of type: any CacheableModel.Type, _ name: [UInt8]
    ) throws(CacheError) -> Bool {
        let identifier = ModelIdentifier(String(decoding: key.dropFirst(), as: UTF8.self))
        guard let header = try value(Namespace.node, identifier) else { return false }
        return unsafe !header.flags.contains(.tombstone)
            && (type.acceptsAnyRecordName || header.recordName.elementsEqual(name))
    }
}

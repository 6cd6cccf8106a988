import GroveCoding
import GroveModel

/// The nodes of one type: those that the view has, and those that queued calls brought.
extension Reconstructor {
    /// The first `limit` identifiers after `start` of the nodes that `type` wrote, in the order of their bytes.
    func identifiers(
        of type: any CacheableModel.Type, after start: ModelIdentifier?, limit: Int
    ) throws(CacheError) -> [ModelIdentifier] {
        guard limit > 0 else { return [] }
        let name = Array(type.recordName.utf8)
        var prefix: [UInt8] = [Namespace.node]
        if let type = type as? any KeyedModel.Type, let common = type.identifierPrefix { prefix += common.utf8 }
        let first = start.map { [Namespace.node] + Array($0.rawValue.utf8) } ?? []
        let queued = unsafe state.pointee.basis.pending?.keys(beginningWith: prefix) ?? []
        var found: [[UInt8]] = []
        var from: [UInt8]? = first
        // Records of shapes that were not met are sorted out only after a scan, so that it may leave too few.
        while let start = from, found.count < limit {
            from = try scan(type, name, prefix, after: start, passing: queued, limit, &found)
        }
        for key in queued where first.lexicographicallyPrecedes(key) {
            if from != nil, let last = found.last, last.lexicographicallyPrecedes(key) { continue }
            if try has(key, of: type, name) { found.append(key) }
        }
        if !queued.isEmpty { found.sort { $0.lexicographicallyPrecedes($1) } }
        return found.prefix(limit).map { ModelIdentifier(String(decoding: $0.dropFirst(), as: UTF8.self)) }
    }

    /// Adds the keys that the view has after `start`, but for those of `queued`, up to `limit` keys in all.
    ///
    /// - Returns: the last key that was looked at, if there may be more.
    private func scan(
        _ type: any CacheableModel.Type, _ name: [UInt8], _ prefix: [UInt8], after start: [UInt8],
        passing queued: Set<[UInt8]>, _ limit: Int, _ found: inout [[UInt8]]
    ) throws(CacheError) -> [UInt8]? {
        guard let view = unsafe state.pointee.basis.view else { return nil }
        // Records of shapes that were not met: whether they are of the type is looked up after the scan.
        var unmet: [(place: Int, hash: UInt64)] = []
        let shapes = unsafe state.pointee.learnt.shapes
        var (keys, isOver) = (found, true)
        func visit(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws(CacheError) -> Bool {
            // The type of a damaged record cannot be told.
            guard var header = try? unsafe RecordHeader(value, key: key), !header.flags.contains(.tombstone)
            else { return true }
            let isMet = header.findShape(shapes)
            if isMet, unsafe !type.acceptsAnyRecordName && !header.recordName.elementsEqual(name) { return true }
            let key = unsafe Array(key)
            if !queued.isEmpty, queued.contains(key) { return true }
            if !isMet { unmet.append((keys.count, header.shapeHash)) }
            keys.append(key)
            isOver = keys.count < limit
            return isOver
        }
        try unsafe prefix.withUnsafeBytesTyped { (prefix) throws(CacheError) in
            guard !start.isEmpty else { return try unsafe view.scan(prefix: prefix, visit) }
            try unsafe start.withUnsafeBytesTyped { (start) throws(CacheError) in
                try unsafe view.scan(prefix: prefix, after: start, visit)
            }
        }
        let last = isOver ? nil : keys.last
        var others: Set<UInt64> = []
        for hash in Set(unmet.map(\.hash)) {
            guard unsafe try state.pointee.findShape(hash), let shape = unsafe state.pointee.learnt.shapes.find(hash),
                unsafe type.acceptsAnyRecordName
                    || shape._withUnsafeGuaranteedRef({ unsafe $0.recordName.elementsEqual(name) })
            else {
                others.insert(hash)
                continue
            }
        }
        for (place, hash) in unmet where others.contains(hash) { keys[place] = [] }
        found = keys.filter { !$0.isEmpty }
        return last
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

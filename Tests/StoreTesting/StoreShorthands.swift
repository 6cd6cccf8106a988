package import GroveCache
package import GroveModel
import Testing

/// Arrays of bytes and strings in and out: what tests say instead of raw buffers.
extension NodeView {
    package func get(_ key: [UInt8]) throws(CacheError) -> [UInt8]? {
        try unsafe key.withRaw { key throws(CacheError) in
            guard let value = try unsafe get(key) else { return nil }
            return unsafe [UInt8](value)
        }
    }

    package func get(_ key: String) throws(CacheError) -> String? {
        try get([UInt8](key.utf8)).map { String(decoding: $0, as: UTF8.self) }
    }

    /// What a scan of `prefix` visits, in its order.
    package func all(prefix: [UInt8] = []) throws(CacheError) -> [(key: [UInt8], value: [UInt8])] {
        var found: [(key: [UInt8], value: [UInt8])] = []
        try unsafe prefix.withRaw { prefix throws(CacheError) in
            try unsafe scan(prefix: prefix) { key, value throws(CacheError) in
                unsafe found.append(([UInt8](key), [UInt8](value)))
                return true
            }
        }
        return found
    }

    package func keys(_ prefix: [UInt8] = []) throws(CacheError) -> [[UInt8]] { try all(prefix: prefix).map(\.key) }

    /// The first `limit` keys with `prefix` after `start`.
    package func keys(_ prefix: [UInt8], after start: [UInt8], limit: Int) throws(CacheError) -> [[UInt8]] {
        var found: [[UInt8]] = []
        try unsafe prefix.withRaw { prefix throws(CacheError) in
            try unsafe start.withRaw { start throws(CacheError) in
                try unsafe scan(prefix: prefix, after: start) { key, _ throws(CacheError) in
                    unsafe found.append([UInt8](key))
                    return found.count < limit
                }
            }
        }
        return found
    }

    package func dictionary() throws(CacheError) -> [[UInt8]: [UInt8]] {
        var content: [[UInt8]: [UInt8]] = [:]
        for (key, value) in try all() { content[key] = value }
        return content
    }
}

extension SweepableTransaction {
    /// The keys that a sweep from `cursor` visits, `limit` of them at most, and where the next one goes on.
    package func keys(
        after cursor: SweepCursor?, limit: Int
    ) throws(CacheError) -> (keys: [[UInt8]], cursor: SweepCursor?) {
        var keys: [[UInt8]] = []
        let next = try unsafe sweep(from: cursor, limit: limit) { key, value throws(CacheError) in
            unsafe keys.append([UInt8](key))
            return true
        }
        return (keys, next)
    }

    package func sweepCursor(at key: [UInt8]) throws(CacheError) -> SweepCursor {
        try unsafe key.withRaw { key throws(CacheError) in try unsafe sweepCursor(at: key) }
    }
}

extension NodeTransaction {
    package func put(_ key: [UInt8], _ value: [UInt8]) throws(CacheError) {
        try unsafe key.withRaw { key throws(CacheError) in
            try unsafe value.withRaw { value throws(CacheError) in try unsafe put(key, value) }
        }
    }

    package func put(_ key: String, _ value: String) throws(CacheError) {
        try put([UInt8](key.utf8), [UInt8](value.utf8))
    }

    package func remove(_ key: [UInt8]) throws(CacheError) {
        try unsafe key.withRaw { key throws(CacheError) in try unsafe remove(key) }
    }

    package func remove(_ key: String) throws(CacheError) { try remove([UInt8](key.utf8)) }
}

/// Each in a view or a transaction of its own.
extension NodeStore {
    /// Runs `body` with a view and ends it.
    package func read<Result>(_ body: (View) throws(CacheError) -> Result) throws(CacheError) -> Result {
        let view = try view()
        defer { view.end() }
        return try body(view)
    }

    package func get(_ key: [UInt8]) throws(CacheError) -> [UInt8]? {
        try read { view throws(CacheError) in try view.get(key) }
    }

    package func keys(_ prefix: [UInt8] = []) throws(CacheError) -> [[UInt8]] {
        try read { view throws(CacheError) in try view.keys(prefix) }
    }

    package func dictionary() throws(CacheError) -> [[UInt8]: [UInt8]] {
        try read { view throws(CacheError) in try view.dictionary() }
    }

    package func put(_ key: [UInt8], _ value: [UInt8]) throws(CacheError) {
        try write { transaction throws(CacheError) in try transaction.put(key, value) }
    }

    package func remove(_ key: [UInt8]) throws(CacheError) {
        try write { transaction throws(CacheError) in try transaction.remove(key) }
    }
}

extension [UInt8] {
    /// Calls `body` with a copy that has no byte to spare on either side, so that sanitizers see a step too far.
    package func withRaw<Result>(
        _ body: (UnsafeRawBufferPointer) throws(CacheError) -> Result
    ) throws(CacheError) -> Result {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
        defer { unsafe copy.deallocate() }
        unsafe copy.copyBytes(from: self)
        return try unsafe body(UnsafeRawBufferPointer(copy))
    }
}

/// The code of the error that `body` throws, or `nil` if it throws none.
package func code(of body: () throws -> Void) -> CacheError.Code? {
    do {
        try body()
    } catch let error as CacheError {
        return error.code
    } catch { Issue.record(error) }
    return nil
}

extension WriteLoad {
    /// A load of `entries` records, all of which may replace others and have others go for them.
    package static func replacing(_ entries: Int, bytes: Int) -> WriteLoad {
        WriteLoad(entries: entries, replaced: entries, evictions: entries, bytes: bytes)
    }
}

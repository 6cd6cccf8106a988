package import GroveCache
package import GroveModel

// Calls of a store with arrays of bytes instead of borrowed memory, for the rules about the store itself.

extension NodeStore {
    /// Runs `body` in a write transaction.
    package func transact(_ body: (any NodeTransaction) throws(CacheError) -> Void) throws(CacheError) {
        try write { (transaction) throws(CacheError) in try body(transaction) }
    }

    /// Stores `value` in a transaction of its own.
    package func put(_ key: [UInt8], _ value: [UInt8]) throws(CacheError) {
        try transact { (transaction) throws(CacheError) in try transaction.put(key, value) }
    }

    /// Removes `key` in a transaction of its own.
    package func remove(_ key: [UInt8]) throws(CacheError) {
        try transact { (transaction) throws(CacheError) in try transaction.remove(key) }
    }

    /// The value of `key` in a view of its own.
    package func get(_ key: [UInt8]) throws(CacheError) -> [UInt8]? {
        let view = try view()
        defer { view.end() }
        return try view.get(key)
    }

    /// Every key that begins with `prefix`, in the order of the scan.
    package func keys(_ prefix: [UInt8] = []) throws(CacheError) -> [[UInt8]] {
        let view = try view()
        defer { view.end() }
        return try view.entries(prefix).map(\.key)
    }
}

extension NodeView {
    /// A copy of the value of `key`.
    package func get(_ key: [UInt8]) throws(CacheError) -> [UInt8]? {
        try unsafe borrowing(key) { (key) throws(CacheError) in
            guard let value = unsafe try get(key) else { return nil }
            return unsafe Array(value)
        }
    }

    /// A copy of every entry whose key begins with `prefix`, in the order of the scan.
    package func entries(_ prefix: [UInt8] = []) throws(CacheError) -> [(key: [UInt8], value: [UInt8])] {
        var found: [(key: [UInt8], value: [UInt8])] = []
        try unsafe borrowing(prefix) { (prefix) throws(CacheError) in
            try unsafe scan(prefix: prefix) { (key, value) throws(CacheError) in
                unsafe found.append((Array(key), Array(value)))
                return true
            }
        }
        return found
    }

    /// The entries whose keys begin with `prefix` and come after `start`, in order.
    func entries(
        _ prefix: [UInt8], after start: [UInt8]
    ) throws(CacheError) -> [(key: [UInt8], value: [UInt8])] {
        var found: [(key: [UInt8], value: [UInt8])] = []
        try unsafe borrowing(prefix) { (prefix) throws(CacheError) in
            try unsafe borrowing(start) { (start) throws(CacheError) in
                try unsafe scan(prefix: prefix, after: start) { (key, value) throws(CacheError) in
                    unsafe found.append((Array(key), Array(value)))
                    return true
                }
            }
        }
        return found
    }
}

extension NodeTransaction {
    /// Stores `value`.
    package func put(_ key: [UInt8], _ value: [UInt8]) throws(CacheError) {
        try unsafe borrowing(key) { (key) throws(CacheError) in
            try unsafe borrowing(value) { (value) throws(CacheError) in try unsafe put(key, value) }
        }
    }

    /// Removes `key`.
    package func remove(_ key: [UInt8]) throws(CacheError) {
        try unsafe borrowing(key) { (key) throws(CacheError) in try unsafe remove(key) }
    }
}

/// Calls `body` with the bytes of `array`, and passes its typed error on.
func borrowing<Value>(
    _ array: [UInt8], _ body: (UnsafeRawBufferPointer) throws(CacheError) -> Value
) throws(CacheError) -> Value {
    let outcome: Result<Value, CacheError> = unsafe array.withUnsafeBytes { bytes in
        do throws(CacheError) { return unsafe .success(try body(bytes)) } catch { return .failure(error) }
    }
    return try outcome.get()
}

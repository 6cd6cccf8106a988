import GroveCoding
import GroveModel

/// The changes of a user's transaction, in memory, over the engine's transaction that they are to go to.
///
/// Within a budget the engine gets nothing before the body has returned: only then are all changes known, and room can
/// be made for them.
final class BufferedTransaction: NodeTransaction {
    static var keepsBytes: Bool { false }

    /// The last word on one key.
    private struct Change {
        /// `nil` if the key was removed.
        var value: Bytes?
        /// Whether the engine has something under the key.
        let isStored: Bool
    }

    /// A value in a place that does not move.
    @safe private final class Bytes {
        let buffer: UnsafeMutableRawBufferPointer

        var count: Int { unsafe buffer.count }

        init(_ bytes: UnsafeRawBufferPointer) {
            unsafe buffer = .allocate(byteCount: bytes.count, alignment: 8)
            unsafe buffer.copyMemory(from: bytes)
        }

        deinit { unsafe buffer.deallocate() }
    }

    let engine: any NodeTransaction
    private var changes: [[UInt8]: Change] = [:]
    /// The bytes of the keys and values that were put.
    private(set) var putBytes = 0
    /// The number of keys that were put, and of those among them that replace something.
    private(set) var putCount = 0
    private(set) var replacedCount = 0

    init(_ engine: any NodeTransaction) { self.engine = engine }

    func get(_ key: UnsafeRawBufferPointer) throws(CacheError) -> UnsafeRawBufferPointer? {
        if !changes.isEmpty, let change = unsafe changes[Array(key)] {
            return unsafe change.value.map { unsafe UnsafeRawBufferPointer($0.buffer) }
        }
        return try unsafe engine.get(key)
    }

    func put(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws(CacheError) {
        try unsafe note(Array(key), Bytes(value), isStored: isStored(key))
    }

    func remove(_ key: UnsafeRawBufferPointer) throws(CacheError) {
        try unsafe note(Array(key), nil, isStored: isStored(key))
    }

    private func isStored(_ key: UnsafeRawBufferPointer) throws(CacheError) -> Bool {
        if let change = unsafe changes[Array(key)] { return change.isStored }
        return try unsafe engine.get(key) != nil
    }

    private func note(_ key: [UInt8], _ value: Bytes?, isStored: Bool) {
        func count(_ value: Bytes?, _ step: Int) {
            guard let value else { return }
            putBytes += step * (key.count + value.count)
            putCount += step
            if isStored { replacedCount += step }
        }
        count(changes[key]?.value, -1)
        count(value, 1)
        changes[key] = Change(value: value, isStored: isStored)
    }

    func scan(
        prefix: UnsafeRawBufferPointer,
        _ visit: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws(CacheError) -> Bool
    ) throws(CacheError) {
        var own = keys.filter { unsafe $0.starts(with: prefix) }[...]
        var isOver = false
        /// Visits the keys that were put before `key`, or all that are left; returns whether the engine's `key` was
        /// changed.
        func visitOwn(before key: UnsafeRawBufferPointer?) throws(CacheError) -> Bool {
            while !isOver, let next = own.first {
                if let key = unsafe key, unsafe key.lexicographicallyPrecedes(next) { return false }
                own.removeFirst()
                if let value = changes[next]?.value {
                    isOver = try unsafe !next.withUnsafeBytesTyped { (key) throws(CacheError) in
                        try unsafe visit(key, UnsafeRawBufferPointer(value.buffer))
                    }
                }
                if let key = unsafe key, unsafe key.elementsEqual(next) { return true }
            }
            return false
        }
        try unsafe engine.scan(prefix: prefix) { (key, value) throws(CacheError) in
            let isChanged = try unsafe visitOwn(before: key)
            guard !isOver else { return false }
            if !isChanged { isOver = try unsafe !visit(key, value) }
            return !isOver
        }
        if !isOver { _ = try visitOwn(before: nil) }
    }

    func end() {}

    /// The keys that were changed, in the order of their bytes.
    var keys: [[UInt8]] { changes.keys.sorted { $0.lexicographicallyPrecedes($1) } }

    /// The keys that were put and that the engine did not have.
    var newKeys: [[UInt8]] { changes.compactMap { $1.value != nil && !$1.isStored ? $0 : nil } }

    /// Gives everything to the engine, in the order of the keys.
    func flush() throws(CacheError) {
        for key in keys {
            try unsafe key.withUnsafeBytesTyped { (bytes) throws(CacheError) in
                if let value = changes[key]?.value {
                    try unsafe engine.put(bytes, UnsafeRawBufferPointer(value.buffer))
                } else {
                    try unsafe engine.remove(bytes)
                }
            }
        }
    }
}

import GroveCache
import GroveModel
import Synchronization

/// Arrays of bytes in, arrays of bytes out: what the tests say instead of raw buffers.
extension NodeView {
    func get(_ key: [UInt8]) throws(CacheError) -> [UInt8]? {
        try unsafe key.withRaw { (key) throws(CacheError) in
            guard let value = try unsafe get(key) else { return nil }
            return unsafe [UInt8](value)
        }
    }

    func get(_ key: String) throws(CacheError) -> String? {
        try get([UInt8](key.utf8)).map { String(decoding: $0, as: UTF8.self) }
    }

    func all(prefix: [UInt8] = []) throws(CacheError) -> [(key: [UInt8], value: [UInt8])] {
        var found: [(key: [UInt8], value: [UInt8])] = []
        try unsafe prefix.withRaw { (prefix) throws(CacheError) in
            try unsafe scan(prefix: prefix) { (key, value) throws(CacheError) in
                unsafe found.append(([UInt8](key), [UInt8](value)))
                return true
            }
        }
        return found
    }

    func dictionary() throws(CacheError) -> [[UInt8]: [UInt8]] {
        var content: [[UInt8]: [UInt8]] = [:]
        for (key, value) in try all() { content[key] = value }
        return content
    }
}

extension NodeTransaction {
    func put(_ key: [UInt8], _ value: [UInt8]) throws(CacheError) {
        try unsafe key.withRaw { (key) throws(CacheError) in
            try unsafe value.withRaw { (value) throws(CacheError) in try unsafe put(key, value) }
        }
    }

    func put(_ key: String, _ value: String) throws(CacheError) { try put([UInt8](key.utf8), [UInt8](value.utf8)) }

    func remove(_ key: [UInt8]) throws(CacheError) {
        try unsafe key.withRaw { (key) throws(CacheError) in try unsafe remove(key) }
    }

    func remove(_ key: String) throws(CacheError) { try remove([UInt8](key.utf8)) }
}

extension NodeStore {
    /// Runs `body` with a view and ends it.
    func read<Result>(_ body: (View) throws(CacheError) -> Result) throws(CacheError) -> Result {
        let view = try view()
        defer { view.end() }
        return try body(view)
    }
}

extension [UInt8] {
    func withRaw<Result>(
        _ body: (UnsafeRawBufferPointer) throws(CacheError) -> Result
    ) throws(CacheError) -> Result {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
        defer { unsafe copy.deallocate() }
        unsafe copy.copyBytes(from: self)
        return try unsafe body(UnsafeRawBufferPointer(copy))
    }
}

/// A small generator whose programs replay from their seed.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }

    /// A key of one to three letters of a small alphabet, so that programs meet the same keys again.
    mutating func key() -> [UInt8] {
        (0..<Int.random(in: 1...3, using: &self)).map { _ in
            [0x00, 0x61, 0x62, 0x7f, 0x80, 0xff][Int.random(in: 0..<6, using: &self)]
        }
    }

    mutating func value() -> [UInt8] {
        [UInt8](repeating: UInt8.random(in: 0...255, using: &self), count: Int.random(in: 0...40, using: &self))
    }
}

/// A flag that tasks share.
final class Flag: Sendable {
    private let value = Atomic(false)

    var isSet: Bool { value.load(ordering: .relaxed) }

    func set() { value.store(true, ordering: .relaxed) }
}

import CSQLite
import GroveCoding
import GroveModel

/// The numbers of prefixes of keys, as one connection knows them.
///
/// A prefix that has a number keeps it for as long as the files exist. The writer gives the next number to a new
/// prefix, up to ``SQLiteNumberedKey/mostPrefixes``; keys with other prefixes are stored by name.
struct SQLitePrefixes: ~Copyable {
    private let newer: SQLiteStatement
    /// The known prefixes by hashes of their texts; of two prefixes with one hash, the first alone has a number.
    private var known: [UInt64: (text: [UInt8], number: Int64)] = [:]
    /// The same texts by their numbers.
    private var texts: [Int64: [UInt8]] = [:]
    private var last: Int64 = 0

    init(_ connection: SQLiteConnection) throws(CacheError) {
        newer = try SQLiteStatement("SELECT id, text FROM prefix WHERE id > ?1 ORDER BY id", connection)
    }

    /// The number of `prefix` in the connection's transaction, or `nil` if it has none.
    ///
    /// - Complexity: O(1) for a known prefix, O(log *n*) otherwise.
    mutating func number(of prefix: UnsafeRawBufferPointer) throws(CacheError) -> Int64? {
        let hash = unsafe hash64(prefix, seed: 0)
        var found = known[hash]
        if found == nil, last < SQLiteNumberedKey.mostPrefixes {
            try load()
            found = known[hash]
        }
        guard let found, unsafe found.text.withUnsafeBytes({ unsafe isEqual($0, prefix) }) else {
            return nil
        }
        return found.number
    }

    /// The prefix of number `number`, or `nil` if there is none.
    mutating func text(of number: Int64) throws(CacheError) -> [UInt8]? {
        if texts[number] == nil, number > last { try load() }
        return texts[number]
    }

    /// The number to give to `prefix`, which has none, or `nil` if it cannot have one.
    mutating func next(for prefix: UnsafeRawBufferPointer) -> Int64? {
        guard unsafe last < SQLiteNumberedKey.most(prefixesLike: prefix), unsafe known[hash64(prefix, seed: 0)] == nil,
            unsafe SQLiteNumberedKey.isPrintable(prefix)
        else { return nil }
        return last + 1
    }

    /// Forgets all prefixes, after the transaction that gave numbers was undone.
    mutating func forget() {
        known = [:]
        texts = [:]
        last = 0
    }

    /// Reads the prefixes that were given numbers since the last call.
    private mutating func load() throws(CacheError) {
        newer.bind(last, at: 1)
        while try newer.step("read the prefixes") {
            let number = newer.number(0)
            // A damaged file may have any number here; no row is stored under one that is too high.
            guard number <= SQLiteNumberedKey.mostPrefixes else { continue }
            last = number
            let text = unsafe Array(newer.bytes(1))
            let hash = unsafe hash64(newer.bytes(1), seed: 0)
            texts[number] = text
            if known[hash] == nil { known[hash] = (text, number) }
        }
    }
}

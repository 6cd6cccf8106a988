import CSQLite
import GroveCache
import GroveCoding
import GroveModel

/// The search for records by their keys, for views and the writer.
struct SQLiteLookup: ~Copyable {
    private let named: SQLiteStatement
    private var numbered: SQLiteNumbered
    private var prefixes: SQLitePrefixes
    private let hashMask: UInt64

    init(_ connection: SQLiteConnection, hashMask: UInt64, isReader: Bool) throws(CacheError) {
        let named = try SQLiteStatement("SELECT id, key, value FROM named WHERE hash = ?1", connection)
        let numbered = try SQLiteNumbered(connection, usesBlob: isReader)
        prefixes = try SQLitePrefixes(connection)
        self.named = named
        self.numbered = numbered
        self.hashMask = hashMask
    }

    /// The hash under which `key` is stored, 32 bits with their sign: it is part of the file format.
    func hash(_ key: UnsafeRawBufferPointer) -> Int64 { unsafe Self.hash(key, mask: hashMask) }

    static func hash(_ key: UnsafeRawBufferPointer, mask: UInt64) -> Int64 {
        unsafe Int64(Int32(truncatingIfNeeded: hash64(key, seed: 0) & mask))
    }

    /// The place of `key`, and its value, which is valid until the next call; `nil` if the key is not stored.
    ///
    /// - Complexity: O(log *n*), and for a key without a number linear in the keys that share its 32-bit hash.
    mutating func find(
        _ key: UnsafeRawBufferPointer
    ) throws(CacheError) -> (place: SQLitePlace, value: UnsafeRawBufferPointer)? {
        if let row = try unsafe row(of: key) {
            return try unsafe numbered.value(of: row).map { unsafe (.numbered(row), $0) }
        }
        named.reset()
        unsafe named.bind(hash(key), at: 1)
        while try named.step("read a record") {
            if unsafe isEqual(named.bytes(1), key) { return unsafe (.named(named.number(0)), named.bytes(2)) }
        }
        return nil
    }

    /// The number of the row of `key`, even if there is no such row; `nil` if the prefix has no number.
    mutating func row(of key: UnsafeRawBufferPointer) throws(CacheError) -> Int64? {
        guard let form = unsafe SQLiteNumberedKey(key),
            let prefix = try unsafe prefixes.number(of: UnsafeRawBufferPointer(rebasing: key[..<form.prefixCount]))
        else { return nil }
        return SQLiteNumberedKey.row(prefix, form.number)
    }

    /// The prefix of `key`, which has no number yet, and the number that it is to have; `nil` if the key is stored by
    /// name.
    mutating func newPrefix(of key: UnsafeRawBufferPointer) -> (text: UnsafeRawBufferPointer, number: Int64)? {
        // Kept records are in an index of `named`. If one's key happens to end in a number, it is the only one with its
        // prefix.
        guard unsafe key.first != Namespace.kept, let form = unsafe SQLiteNumberedKey(key) else { return nil }
        let prefix = unsafe UnsafeRawBufferPointer(rebasing: key[..<form.prefixCount])
        return unsafe prefixes.next(for: prefix).map { unsafe (prefix, $0) }
    }

    /// Writes the key of `row`, a row of `numbered`, to `buffer`; false if its prefix is lost.
    mutating func writeKey(of row: Int64, to buffer: inout ByteBuffer) throws(CacheError) -> Bool {
        guard let text = try prefixes.text(of: SQLiteNumberedKey.prefix(ofRow: row)) else { return false }
        buffer.removeAll()
        SQLiteNumberedKey.write(text, SQLiteNumberedKey.number(ofRow: row), to: &buffer)
        return true
    }

    /// Forgets the numbers of prefixes, after a transaction was undone.
    mutating func forgetPrefixes() { prefixes.forget() }

    /// Leaves the record that was found; its bytes are no longer valid.
    mutating func leave() {
        named.reset()
        numbered.leave()
    }
}

/// The place of a record: its table, and its row there.
enum SQLitePlace: Equatable {
    /// A row of `numbered`; its number gives the key.
    case numbered(Int64)
    /// A row of `named`, which holds the key.
    case named(Int64)
}

// The protocols document their requirements.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
import CRocks
public import GroveCache
public import GroveModel

/// A snapshot of a ``RocksStore``.
public class RocksView: NodeView {
    /// False, since the next look-up lets the bytes of the last go.
    public class var keepsBytes: Bool { false }

    fileprivate static let own: [UInt8] = [0]
    fileprivate let database: OpaquePointer
    fileprivate let options = rocksdb_readoptions_create()
    private let snapshot: OpaquePointer?
    private var pinned: OpaquePointer?
    private var isOver = false

    init(_ database: OpaquePointer) {
        self.database = database
        snapshot = rocksdb_create_snapshot(database)
        rocksdb_readoptions_set_snapshot(options, snapshot)
        rocksdb_readoptions_set_verify_checksums(options, 1)
    }

    deinit { end() }

    public func end() {
        guard !isOver else { return }
        isOver = true
        rocksdb_pinnableslice_destroy(pinned)
        rocksdb_readoptions_destroy(options)
        rocksdb_release_snapshot(database, snapshot)
    }

    /// What is stored, as the store's own record says.
    func account() throws(CacheError) -> RocksStore.Account {
        guard let bytes = try find(RocksView.own), bytes.count == 16 else { return RocksStore.Account() }
        return RocksStore.Account(
            entries: bytes.loadUnaligned(as: Int.self),
            payloadBytes: bytes.loadUnaligned(fromByteOffset: 8, as: Int.self))
    }

    public func get(_ key: UnsafeRawBufferPointer) throws(CacheError) -> UnsafeRawBufferPointer? {
        try find([1] + key)
    }

    /// What is under a key of the engine's.
    fileprivate func find(_ key: [UInt8]) throws(CacheError) -> UnsafeRawBufferPointer? {
        rocksdb_pinnableslice_destroy(pinned)
        pinned = nil
        pinned = try rocks { failure in
            key.withUnsafeBytes {
                rocksdb_get_pinned(
                    database, options, $0.baseAddress?.assumingMemoryBound(to: CChar.self), $0.count, failure)
            }
        }
        guard let pinned else { return nil }
        var count = 0
        let bytes = rocksdb_pinnableslice_value(pinned, &count)
        return UnsafeRawBufferPointer(start: bytes, count: count)
    }

    public func scan(
        prefix: UnsafeRawBufferPointer,
        _ visit: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws(CacheError) -> Bool
    ) throws(CacheError) {
        let iterator = makeIterator()
        defer { rocksdb_iter_destroy(iterator) }
        let prefix = [1] + prefix
        prefix.withUnsafeBytes {
            rocksdb_iter_seek(iterator, $0.baseAddress?.assumingMemoryBound(to: CChar.self), $0.count)
        }
        while rocksdb_iter_valid(iterator) != 0 {
            var (keyCount, valueCount) = (0, 0)
            let key = UnsafeRawBufferPointer(start: rocksdb_iter_key(iterator, &keyCount), count: keyCount)
            guard key.starts(with: prefix) else { break }
            let value = UnsafeRawBufferPointer(start: rocksdb_iter_value(iterator, &valueCount), count: valueCount)
            guard try visit(UnsafeRawBufferPointer(rebasing: key.dropFirst()), value) else { return }
            rocksdb_iter_next(iterator)
        }
        try rocks { rocksdb_iter_get_error(iterator, $0) }
    }

    fileprivate func makeIterator() -> OpaquePointer? { rocksdb_create_iterator(database, options) }
}

/// A transaction of a ``RocksStore``: a batch that is looked into before the snapshot.
public final class RocksTransaction: RocksView, NodeTransaction {
    private let batch = rocksdb_writebatch_wi_create(0, 1)
    private(set) var account: RocksStore.Account
    private var found: UnsafeMutablePointer<CChar>?

    init(_ database: OpaquePointer, _ account: RocksStore.Account) {
        self.account = account
        super.init(database)
    }

    override public func end() {
        rocksdb_free(found)
        found = nil
        super.end()
    }

    deinit { rocksdb_writebatch_wi_destroy(batch) }

    override fileprivate func find(_ key: [UInt8]) throws(CacheError) -> UnsafeRawBufferPointer? {
        rocksdb_free(found)
        found = nil
        var count = 0
        found = try rocks { failure in
            key.withUnsafeBytes {
                rocksdb_writebatch_wi_get_from_batch_and_db(
                    batch, database, options, $0.baseAddress?.assumingMemoryBound(to: CChar.self), $0.count, &count,
                    failure)
            }
        }
        return found.map { UnsafeRawBufferPointer(start: $0, count: count) }
    }

    override fileprivate func makeIterator() -> OpaquePointer? {
        rocksdb_writebatch_wi_create_iterator_with_base(batch, super.makeIterator())
    }

    public func put(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws(CacheError) {
        // Both may lie in what was found last, which the next look lets go of.
        let (name, value) = ([1] + key, Array(value))
        let old = try find(name)?.count
        account.entries += old == nil ? 1 : 0
        account.payloadBytes += value.count - (old ?? -key.count)
        put(name, value)
    }

    private func put(_ name: [UInt8], _ value: [UInt8]) {
        name.withUnsafeBytes { name in
            value.withUnsafeBytes { value in
                rocksdb_writebatch_wi_put(
                    batch, name.baseAddress?.assumingMemoryBound(to: CChar.self), name.count,
                    value.baseAddress?.assumingMemoryBound(to: CChar.self), value.count)
            }
        }
    }

    public func remove(_ key: UnsafeRawBufferPointer) throws(CacheError) {
        let name = [1] + key
        guard let old = try find(name)?.count else { return }
        account.entries -= 1
        account.payloadBytes -= name.count - 1 + old
        name.withUnsafeBytes {
            rocksdb_writebatch_wi_delete(batch, $0.baseAddress?.assumingMemoryBound(to: CChar.self), $0.count)
        }
    }

    func commit() throws(CacheError) {
        var record = account
        put(RocksView.own, withUnsafeBytes(of: &record) { Array($0) })
        let options = rocksdb_writeoptions_create()
        defer { rocksdb_writeoptions_destroy(options) }
        try rocks { rocksdb_write_writebatch_wi(database, options, batch, $0) }
    }
}

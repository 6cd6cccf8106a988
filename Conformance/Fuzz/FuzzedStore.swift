import GroveCache
import GroveCoding
import GroveModel
import Synchronization

/// The records that a ``FuzzedStore`` holds.
struct Records {
    var root: [UInt8] = []
    var other: [UInt8] = []
    /// Whether checksums are made right, so that the fuzzer need not guess them.
    var isSealed = false
}

/// A store in which every look-up finds the input of the fuzzer; what is written is thrown away.
final class FuzzedStore: NodeStore {
    struct Options: Sendable, Equatable {}

    static let root: ModelIdentifier = "root"
    static let records = Mutex(Records())
    /// The shapes of the seeds by their keys: a fuzzer does not guess the hash of one.
    static let shapes = Mutex<[[UInt8]: [UInt8]]>([:])

    static var profile: BackendProfile {
        BackendProfile(
            name: "fuzzed", isPersistent: false, survivesCrash: false, isMultiProcess: false, readersNeverStall: true,
            maxValueBytes: 1 << 30)
    }

    init(directory: String?, options: Options) throws(CacheError) {}

    func view() throws(CacheError) -> FuzzedView { FuzzedView(FuzzedStore.records.withLock { $0 }) }

    func write(_ body: (FuzzedTransaction) throws(CacheError) -> Void) throws(CacheError) {
        try body(FuzzedTransaction(Records()))
    }

    func synchronize() throws(CacheError) {}

    func size() throws(CacheError) -> StoreSize { StoreSize(bytesOnDisk: 0, payloadBytes: 0, entries: 0) }

    func wipe() throws(CacheError) {}

    func close() {}
}

/// A view of a ``FuzzedStore``.
@safe class FuzzedView: NodeView {
    class var keepsBytes: Bool { true }

    private let records: Records
    private var given: [UnsafeMutableRawBufferPointer] = []

    init(_ records: Records) { self.records = records }

    deinit { end() }

    func get(_ key: UnsafeRawBufferPointer) throws(CacheError) -> UnsafeRawBufferPointer? {
        // There are nodes, collections, chunks and shapes: no state of the store, and no alias.
        guard let first = unsafe key.first, first == 1 || first == 2 || first == 6 || first == 7 else { return nil }
        let isRoot = unsafe key.dropFirst().elementsEqual(FuzzedStore.root.rawValue.utf8)
        let record: [UInt8]
        if first == 6 {
            let name = unsafe Array(key)
            guard let shape = FuzzedStore.shapes.withLock({ $0[name] }) else { return nil }
            record = shape
        } else {
            record = isRoot ? records.root : records.other
        }
        // Of the size of the record exactly, so that the address sanitizer sees a read beyond it.
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: record.count, alignment: 8)
        unsafe copy.copyBytes(from: record)
        if records.isSealed, record.count >= 10 { unsafe seal(copy, under: key) }
        unsafe given.append(copy)
        return unsafe UnsafeRawBufferPointer(copy)
    }

    private func seal(_ record: UnsafeMutableRawBufferPointer, under key: UnsafeRawBufferPointer) {
        let head = unsafe UInt64(UInt16(littleEndian: record.loadUnaligned(as: UInt16.self)))
        let seed = unsafe hash64(key, seed: head &* 0x9E37_79B9_7F4A_7C15)
        let sum = unsafe hash64(UnsafeRawBufferPointer(rebasing: record[10...]), seed: seed)
        unsafe record.storeBytes(of: sum.littleEndian, toByteOffset: 2, as: UInt64.self)
    }

    func scan(
        prefix: UnsafeRawBufferPointer,
        _ visit: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws(CacheError) -> Bool
    ) throws(CacheError) {}

    func end() {
        for index in unsafe given.indices { unsafe given[index].deallocate() }
        unsafe given = []
    }
}

/// A transaction of a ``FuzzedStore``, which comes to nothing.
final class FuzzedTransaction: FuzzedView, NodeTransaction {
    override func get(_ key: UnsafeRawBufferPointer) throws(CacheError) -> UnsafeRawBufferPointer? { nil }

    func put(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws(CacheError) {}

    func remove(_ key: UnsafeRawBufferPointer) throws(CacheError) {}
}

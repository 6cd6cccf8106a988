import GroveCache
import GroveModel
import Synchronization

/// The plainest store there can be, a dictionary: what every backend's answers are compared with.
final class PlainStore: NodeStore {
    struct Options: Sendable, Equatable {}

    static var profile: BackendProfile {
        BackendProfile(
            name: "plain", isPersistent: false, survivesCrash: false, isMultiProcess: false, readersNeverStall: true,
            maxValueBytes: 1 << 30)
    }

    private let content = Mutex<[[UInt8]: PlainBytes]>([:])

    init(directory: String?, options: Options) throws(CacheError) {}

    func view() throws(CacheError) -> PlainView { PlainView(content.withLock { $0 }) }

    func write(_ body: (PlainTransaction) throws(CacheError) -> Void) throws(CacheError) {
        let transaction = PlainTransaction(content.withLock { $0 })
        try body(transaction)
        let changed = transaction.content
        content.withLock { $0 = changed }
    }

    func synchronize() throws(CacheError) {}

    func size() throws(CacheError) -> StoreSize { StoreSize(bytesOnDisk: 0, payloadBytes: 0, entries: 0) }

    func wipe() throws(CacheError) { content.withLock { $0 = [:] } }

    func close() {}
}

/// The harness of a ``PlainStore``.
struct PlainHarness: StoreHarness {
    typealias Store = PlainStore

    let options = PlainStore.Options()
}

/// A value whose bytes stay at one address as long as there is a reference to it.
// SAFETY: the memory is written in the initialiser and never changed.
@safe final class PlainBytes: @unchecked Sendable {
    let borrowed: UnsafeRawBufferPointer

    init(_ bytes: UnsafeRawBufferPointer) {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
        unsafe memory.copyMemory(from: bytes)
        unsafe borrowed = UnsafeRawBufferPointer(memory)
    }

    deinit { unsafe borrowed.deallocate() }
}

/// A view of a ``PlainStore``: the content as it was when the view was opened.
class PlainView: NodeView {
    class var keepsBytes: Bool { false }

    fileprivate(set) var content: [[UInt8]: PlainBytes]

    init(_ content: [[UInt8]: PlainBytes]) { self.content = content }

    func get(_ key: UnsafeRawBufferPointer) throws(CacheError) -> UnsafeRawBufferPointer? {
        unsafe content[Array(key)]?.borrowed
    }

    func scan(
        prefix: UnsafeRawBufferPointer,
        _ visit: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws(CacheError) -> Bool
    ) throws(CacheError) {
        let prefix = unsafe Array(prefix)
        let keys = content.keys.filter { $0.starts(with: prefix) }.sorted { $0.lexicographicallyPrecedes($1) }
        for key in keys {
            guard let value = content[key] else { continue }
            let goesOn = try unsafe borrowing(key) { (key) throws(CacheError) in
                try unsafe visit(key, value.borrowed)
            }
            guard goesOn else { return }
        }
    }

    func end() {}
}

/// A transaction of a ``PlainStore``.
final class PlainTransaction: PlainView, NodeTransaction {
    /// What was replaced stays as long as the transaction: it may have been handed out.
    private var replaced: [PlainBytes] = []

    func put(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws(CacheError) {
        if let old = unsafe content.updateValue(PlainBytes(value), forKey: Array(key)) { replaced.append(old) }
    }

    func remove(_ key: UnsafeRawBufferPointer) throws(CacheError) {
        if let old = unsafe content.removeValue(forKey: Array(key)) { replaced.append(old) }
    }
}

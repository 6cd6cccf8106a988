import GroveCache
import GroveCoding
import GroveMemory
import GroveModel
import Synchronization

/// A store in memory that cannot be written when told so, and whose records a test can damage.
final class FaultyStore: NodeStore {
    struct Options: Sendable, Equatable {
        let faults = Faults()
        static func == (left: Options, right: Options) -> Bool { left.faults === right.faults }
    }

    final class Faults: Sendable {
        /// The error of each transaction and each wipe; `nil` if they succeed.
        let refusal = Mutex<CacheError.Code?>(nil)
        fileprivate let base = Mutex<MemoryStore?>(nil)

        fileprivate func check() throws(CacheError) {
            if let code = refusal.withLock({ $0 }) {
                throw CacheError(code, "The test's store was told to refuse this.")
            }
        }

        /// Flips a bit of each record in `namespace`.
        func damageAll(in namespace: UInt8) throws {
            try base.withLock { $0 }?.write { (transaction) throws(CacheError) in
                var records: [(key: [UInt8], value: [UInt8])] = []
                try unsafe [namespace].withUnsafeBytesTyped { (prefix) throws(CacheError) in
                    try unsafe transaction.scan(prefix: prefix) { key, value in
                        unsafe records.append((Array(key), Array(value)))
                        return true
                    }
                }
                for (key, value) in records {
                    let damaged = value.dropLast() + [value[value.count - 1] ^ 1]
                    try unsafe key.withUnsafeBytesTyped { (key) throws(CacheError) in
                        try unsafe Array(damaged).withUnsafeBytesTyped { (value) throws(CacheError) in
                            try unsafe transaction.put(key, value)
                        }
                    }
                }
            }
        }
    }

    static var profile: BackendProfile { MemoryStore.profile }

    private let base: MemoryStore
    private let faults: Faults

    init(directory: String?, options: Options) throws(CacheError) {
        (base, faults) = (try MemoryStore(), options.faults)
        faults.base.withLock { [base] in $0 = base }
    }

    func view() throws(CacheError) -> MemoryView { try base.view() }

    func write(_ body: (MemoryTransaction) throws(CacheError) -> Void) throws(CacheError) {
        try base.write { (transaction) throws(CacheError) in
            try body(transaction)
            try faults.check()
        }
    }

    func synchronize() throws(CacheError) {}
    func size() throws(CacheError) -> StoreSize { try base.size() }

    func wipe() throws(CacheError) {
        try faults.check()
        try base.wipe()
    }

    func close() { base.close() }
}

import Dispatch
import GroveCache
import GroveMemory
import GroveModel
import Synchronization

/// A store in memory that several caches open at once, as processes open one directory, and that fails when told to.
final class SharedStore: BudgetedStore {
    /// What the caches that open the store share.
    final class Disk: Sendable {
        struct Faults {
            /// Every transaction fails at its end.
            var refusesWrites = false
            /// Another process keeps the lock: no transaction begins.
            var isLocked = false
            /// How often a transaction was tried.
            var attempts = 0
            /// A transaction that stores a value under one of these keys fails.
            var refusedKeys: Set<[UInt8]> = []
            /// A transaction that removes one of these keys fails.
            var keptKeys: Set<[UInt8]> = []
            var refusesWipes = false
            var refusesSynchronizations = false
            var refusesViews = false
            /// The engine finds its files damaged when a view is opened.
            var viewsAreDamaged = false
            /// Scans of views meet damage.
            var isDamaged = false
            /// With more entries than that, no budget is large enough.
            var mostEntriesWithinBudget = Int.max
            /// The disk is full for longer values.
            var longestValue = Int.max
            /// A view of another process keeps the pages that were freed.
            var hasRoom = true
            /// How often room was waited for.
            var roomWaits = 0
            /// So many of the next look-ups fail.
            var refusedLooks = 0
            /// How often it was synchronized.
            var synchronizations = 0
            /// How often a transaction looked at a node.
            var looks = 0
            /// Called before each opening.
            var beforeOpening: (@Sendable () -> Void)?
            /// Called before each transaction.
            var beforeWrite: (@Sendable () -> Void)?
            /// Called after each commit, before the cache hears of it.
            var afterWrite: (@Sendable () -> Void)?
            /// Called before each opening of a view.
            var beforeView: (@Sendable () -> Void)?
            /// Called before each wipe.
            var beforeWipe: (@Sendable () -> Void)?
            /// Called before each synchronization.
            var beforeSynchronization: (@Sendable () -> Void)?
        }

        let base: MemoryStore
        let faults = Mutex(Faults())

        init() throws { base = try MemoryStore() }

        /// Another cache that has the store open.
        func open(_ budget: CacheBudget = .unlimited, queueLimit: Int = 32 << 20) throws -> NormalizedCache<SharedStore>
        {
            try NormalizedCache(
                directory: nil, options: SharedStore.Options(disk: self), queueLimit: queueLimit, budget: budget)
        }

        /// Fails if the next look-up is to fail.
        fileprivate func checkLook() throws(CacheError) {
            let isRefused = faults.withLock { faults in
                guard faults.refusedLooks > 0 else { return false }
                faults.refusedLooks -= 1
                return true
            }
            if isRefused { throw SharedStore.failure }
        }

        /// How many nodes transactions looked at during `body`.
        func looks(_ body: () throws -> Void) rethrows -> Int {
            let before = faults.withLock { $0.looks }
            try body()
            return faults.withLock { $0.looks } - before
        }
    }

    struct Options: Sendable, Equatable {
        let disk: Disk
        static func == (left: Options, right: Options) -> Bool { left.disk === right.disk }
    }

    static var profile: BackendProfile { MemoryStore.profile }

    private let disk: Disk

    init(directory: String?, options: Options) throws(CacheError) {
        disk = options.disk
        disk.faults.withLock { $0.beforeOpening }?()
    }

    func view() throws(CacheError) -> View {
        disk.faults.withLock { $0.beforeView }?()
        if disk.faults.withLock({ $0.refusesViews }) { throw SharedStore.failure }
        if disk.faults.withLock({ $0.viewsAreDamaged }) {
            throw CacheError(.corrupted, "The test's store is damaged because it was told to be.", engineCode: 1)
        }
        return View(try disk.base.view(), disk)
    }

    func write(_ body: (Transaction) throws(CacheError) -> Void) throws(CacheError) {
        disk.faults.withLock { $0.beforeWrite }?()
        let isLocked = disk.faults.withLock { faults in
            faults.attempts += 1
            return faults.isLocked
        }
        if isLocked { throw CacheError(.locked, "The test's store is locked because it was told to be.") }
        try disk.base.write { (transaction) throws(CacheError) in
            try body(Transaction(transaction, disk))
            if disk.faults.withLock({ $0.refusesWrites }) { throw SharedStore.failure }
        }
        disk.faults.withLock { $0.afterWrite }?()
    }

    func synchronize() throws(CacheError) {
        disk.faults.withLock { $0.beforeSynchronization }?()
        let isRefused = disk.faults.withLock { faults in
            faults.synchronizations += 1
            return faults.refusesSynchronizations
        }
        if isRefused { throw SharedStore.failure }
    }
    func size() throws(CacheError) -> StoreSize { try disk.base.size() }

    func wipe() throws(CacheError) {
        disk.faults.withLock { $0.beforeWipe }?()
        if disk.faults.withLock({ $0.refusesWipes }) { throw SharedStore.failure }
        try disk.base.wipe()
    }

    func close() {}

    convenience init(directory: String?, options: Options, budget: Int) throws(CacheError) {
        try self.init(directory: directory, options: options)
    }

    func setBudget(_ bytes: Int) throws(CacheError) -> Int {
        guard try size().entries <= disk.faults.withLock({ $0.mostEntriesWithinBudget }) else {
            throw CacheError(.overBudget, "The test's store has more than its budget because it was told to.")
        }
        return bytes
    }
    func makeRoom(for load: WriteLoad) throws(CacheError) -> Bool {
        let isHeld = disk.faults.withLock { faults in
            if !faults.hasRoom, load.waitsForViews { faults.roomWaits += 1 }
            return !faults.hasRoom
        }
        if isHeld, load.waitsForViews { throw CacheError(.full, "The test's store has no room as it was told to.") }
        return !isHeld
    }
    func payloadLimit(holding payload: Int) -> Int { .max }
    func bytesOnDisk() throws(CacheError) -> Int { 0 }

    static var failure: CacheError { CacheError(.inputOutput, "The test's store fails because it was told to.") }

    /// A view whose bytes go at its next call, as those of SQLite and LevelDB do.
    @safe
    final class View: NodeView {
        static var keepsBytes: Bool { false }

        private let base: MemoryView
        private let disk: Disk
        private var lent: UnsafeMutableRawBufferPointer?

        init(_ base: MemoryView, _ disk: Disk) {
            self.base = base
            self.disk = disk
        }

        deinit { takeBack() }

        func get(_ key: UnsafeRawBufferPointer) throws(CacheError) -> UnsafeRawBufferPointer? {
            try disk.checkLook()
            guard let found = unsafe try base.get(key) else {
                takeBack()
                return nil
            }
            let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: found.count, alignment: 8)
            unsafe copy.copyMemory(from: found)
            takeBack()
            unsafe lent = unsafe copy
            return UnsafeRawBufferPointer(copy)
        }

        func scan(
            prefix: UnsafeRawBufferPointer,
            _ visit: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws(CacheError) -> Bool
        ) throws(CacheError) {
            if disk.faults.withLock({ $0.isDamaged }) {
                throw CacheError(.corrupted, "The test's store is damaged because it was told to be.")
            }
            try unsafe base.scan(prefix: prefix, visit)
        }

        func end() {
            takeBack()
            base.end()
        }

        private func takeBack() {
            guard let bytes = unsafe lent else { return }
            for index in bytes.indices { unsafe bytes[index] = 0xFF }
            unsafe bytes.deallocate()
            unsafe lent = nil
        }
    }

    final class Transaction: SweepableTransaction {
        static var keepsBytes: Bool { false }

        private let base: MemoryTransaction
        private let disk: Disk

        init(_ base: MemoryTransaction, _ disk: Disk) {
            self.base = base
            self.disk = disk
        }

        func get(_ key: UnsafeRawBufferPointer) throws(CacheError) -> UnsafeRawBufferPointer? {
            if unsafe key.first == 0x01 { disk.faults.withLock { $0.looks += 1 } }
            try disk.checkLook()
            return try unsafe base.get(key)
        }

        func scan(
            prefix: UnsafeRawBufferPointer,
            _ visit: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws(CacheError) -> Bool
        ) throws(CacheError) {
            try unsafe base.scan(prefix: prefix, visit)
        }

        func put(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws(CacheError) {
            let name = unsafe Array(key)
            if disk.faults.withLock({ $0.refusedKeys.contains(name) }) { throw SharedStore.failure }
            if value.count > disk.faults.withLock({ $0.longestValue }) {
                throw CacheError(.full, "The test's disk is full because it was told to be.")
            }
            try unsafe base.put(key, value)
        }

        func remove(_ key: UnsafeRawBufferPointer) throws(CacheError) {
            let name = unsafe Array(key)
            if disk.faults.withLock({ $0.keptKeys.contains(name) }) { throw SharedStore.failure }
            try unsafe base.remove(key)
        }

        func sweep(
            from cursor: SweepCursor?, limit: Int,
            _ visit: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws(CacheError) -> Bool
        ) throws(CacheError) -> SweepCursor? {
            try unsafe base.sweep(from: cursor, limit: limit, visit)
        }

        func sweepCursor(at key: UnsafeRawBufferPointer) throws(CacheError) -> SweepCursor {
            try unsafe base.sweepCursor(at: key)
        }

        func end() {}
    }
}

extension SharedStore.Disk {
    /// The key of the node of `identifier`.
    static func key(_ identifier: String) -> [UInt8] { [0x01] + Array(identifier.utf8) }

    /// Changes the record of a node as damage, or a later version of Grove, would.
    func change(_ identifier: String, _ change: (inout [UInt8]) -> Void) throws {
        try self.change(key: SharedStore.Disk.key(identifier), change)
    }

    private func change(key: [UInt8], _ change: (inout [UInt8]) -> Void) throws {
        try base.write { (transaction) throws(CacheError) in
            var value: [UInt8] = []
            unsafe try key.withUnsafeBytesOfCache { (key) throws(CacheError) in
                if let found = unsafe try transaction.get(key) { value = unsafe Array(found) }
            }
            change(&value)
            unsafe try key.withUnsafeBytesOfCache { (key) throws(CacheError) in
                unsafe try value.withUnsafeBytesOfCache { (value) throws(CacheError) in
                    try unsafe transaction.put(key, value)
                }
            }
        }
    }

    /// Lets a node's record look as if a later version of Grove had written it.
    func makeFuture(_ identifier: String) throws { try makeFuture(key: SharedStore.Disk.key(identifier)) }

    /// The same for the record under any key.
    func makeFuture(key: [UInt8]) throws {
        try change(key: key) { record in
            record[0] = 0xFE
            let sum = unsafe record.withUnsafeBytes { record in
                unsafe key.withUnsafeBytes { unsafe RecordHeader.checksum(record, key: $0) }
            }
            for index in 0..<8 { record[2 + index] = UInt8(truncatingIfNeeded: sum >> UInt64(index * 8)) }
        }
    }

    /// Flips a bit of the store's own record.
    func damageState() throws { try change(key: [0x00]) { $0[$0.count - 1] ^= 1 } }

    /// Flips a bit of a node's record.
    func damage(_ identifier: String) throws { try change(identifier) { $0[$0.count - 1] ^= 1 } }
}

extension [UInt8] {
    fileprivate func withUnsafeBytesOfCache(
        _ body: (UnsafeRawBufferPointer) throws(CacheError) -> Void
    ) throws(CacheError) {
        let outcome: Result<Void, CacheError> = unsafe withUnsafeBytes { bytes in
            do throws(CacheError) { return unsafe .success(try body(bytes)) } catch { return .failure(error) }
        }
        try outcome.get()
    }
}

/// A barrier at which threads wait while it is closed.
final class Barrier: Sendable {
    private let arrived = DispatchSemaphore(value: 0)
    private let opened = DispatchSemaphore(value: 0)
    private let isClosed = Mutex(true)

    /// Waits until the barrier is opened, which one caller does.
    func pass() {
        guard isClosed.withLock({ $0 }) else { return }
        arrived.signal()
        opened.wait()
    }

    /// Waits until a thread waits at the barrier; false if none came within 20 seconds.
    func awaitArrival() -> Bool { arrived.wait(timeout: .now() + 20) == .success }

    func open() {
        isClosed.withLock { $0 = false }
        opened.signal()
    }
}

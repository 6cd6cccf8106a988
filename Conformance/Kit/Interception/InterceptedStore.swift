import GroveCache
import GroveModel

/// A store with a ``StoreInterceptor`` before it.
final class InterceptedStore<Base: NodeStore>: NodeStore {
    struct Options: Sendable, Equatable {
        let base: Base.Options
        let interceptor: StoreInterceptor

        static func == (left: Options, right: Options) -> Bool {
            left.base == right.base && left.interceptor === right.interceptor
        }
    }

    static var profile: BackendProfile { Base.profile }

    static func owns(file name: String) -> Bool { Base.owns(file: name) }

    fileprivate let base: Base
    private let interceptor: StoreInterceptor

    convenience init(directory: String?, options: Options) throws(CacheError) {
        self.init(try Base(directory: directory, options: options.base), options.interceptor)
    }

    private init(_ base: Base, _ interceptor: StoreInterceptor) {
        self.base = base
        self.interceptor = interceptor
        interceptor.attach(base)
    }

    func view() throws(CacheError) -> InterceptedView<Base.View> {
        InterceptedView(try base.view(), interceptor)
    }

    func write(_ body: (InterceptedTransaction<Base.Transaction>) throws(CacheError) -> Void) throws(CacheError) {
        interceptor.gate.pass()
        try base.write { (transaction) throws(CacheError) in
            try body(InterceptedTransaction(transaction, interceptor))
            if let failure = interceptor.writeFailure { throw failure }
        }
        interceptor.committed()
    }

    func synchronize() throws(CacheError) { try base.synchronize() }

    func size() throws(CacheError) -> StoreSize { try base.size() }

    func wipe() throws(CacheError) {
        interceptor.gate.pass()
        if let failure = interceptor.writeFailure { throw failure }
        try base.wipe()
    }

    func close() {
        interceptor.detach(base)
        base.close()
    }
}

extension InterceptedStore: BudgetedStore where Base: BudgetedStore {
    convenience init(directory: String?, options: Options, budget: Int) throws(CacheError) {
        self.init(try Base(directory: directory, options: options.base, budget: budget), options.interceptor)
    }

    func setBudget(_ bytes: Int) throws(CacheError) -> Int { try base.setBudget(bytes) }

    func makeRoom(for load: WriteLoad) throws(CacheError) -> Bool { try base.makeRoom(for: load) }

    func payloadLimit(holding payload: Int) -> Int { base.payloadLimit(holding: payload) }

    func bytesOnDisk() throws(CacheError) -> Int { try base.bytesOnDisk() }
}

extension InterceptedStore: ShrinkableStore where Base: ShrinkableStore {
    func shrink(_ replacing: () -> Void) throws(CacheError) { try base.shrink(replacing) }
}

extension InterceptedStore: SalvageableStore where Base: SalvageableStore {
    static func hiddenDamage(in directory: String, isSuspect: Bool) throws(CacheError) -> CacheError? {
        try Base.hiddenDamage(in: directory, isSuspect: isSuspect)
    }

    static func salvage(
        _ directory: String, prefix: [UInt8], options: Options,
        _ visit: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws(CacheError) -> Void,
        unreadable: (_ part: String) -> Void
    ) throws(CacheError) {
        try unsafe Base.salvage(directory, prefix: prefix, options: options.base, visit, unreadable: unreadable)
    }
}

/// A view of an ``InterceptedStore``.
final class InterceptedView<Base: NodeView>: NodeView {
    static var keepsBytes: Bool { Base.keepsBytes }

    private let base: Base
    private let interceptor: StoreInterceptor

    init(_ base: Base, _ interceptor: StoreInterceptor) {
        self.base = base
        self.interceptor = interceptor
    }

    func get(_ key: UnsafeRawBufferPointer) throws(CacheError) -> UnsafeRawBufferPointer? {
        interceptor.count { $0.gets += 1 }
        if let failure = interceptor.readFailure { throw failure }
        return unsafe try base.get(key)
    }

    func scan(
        prefix: UnsafeRawBufferPointer,
        _ visit: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws(CacheError) -> Bool
    ) throws(CacheError) {
        try unsafe base.scan(prefix: prefix, visit)
    }

    func scan(
        prefix: UnsafeRawBufferPointer, after start: UnsafeRawBufferPointer,
        _ visit: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws(CacheError) -> Bool
    ) throws(CacheError) {
        try unsafe base.scan(prefix: prefix, after: start, visit)
    }

    func end() { base.end() }
}

/// A transaction of an ``InterceptedStore``.
final class InterceptedTransaction<Base: NodeTransaction>: NodeTransaction {
    static var keepsBytes: Bool { Base.keepsBytes }

    fileprivate let base: Base
    private let interceptor: StoreInterceptor

    init(_ base: Base, _ interceptor: StoreInterceptor) {
        self.base = base
        self.interceptor = interceptor
    }

    func get(_ key: UnsafeRawBufferPointer) throws(CacheError) -> UnsafeRawBufferPointer? {
        interceptor.count { $0.gets += 1 }
        return unsafe try base.get(key)
    }

    func scan(
        prefix: UnsafeRawBufferPointer,
        _ visit: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws(CacheError) -> Bool
    ) throws(CacheError) {
        try unsafe base.scan(prefix: prefix, visit)
    }

    func scan(
        prefix: UnsafeRawBufferPointer, after start: UnsafeRawBufferPointer,
        _ visit: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws(CacheError) -> Bool
    ) throws(CacheError) {
        try unsafe base.scan(prefix: prefix, after: start, visit)
    }

    func put(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws(CacheError) {
        interceptor.count { $0.puts += 1 }
        try unsafe base.put(key, value)
    }

    func remove(_ key: UnsafeRawBufferPointer) throws(CacheError) {
        interceptor.count { $0.removes += 1 }
        try unsafe base.remove(key)
    }

    func end() { base.end() }
}

extension InterceptedTransaction: SweepableTransaction where Base: SweepableTransaction {
    func sweep(
        from cursor: SweepCursor?, limit: Int,
        _ visit: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws(CacheError) -> Bool
    ) throws(CacheError) -> SweepCursor? {
        try unsafe base.sweep(from: cursor, limit: limit, visit)
    }

    func sweepCursor(at key: UnsafeRawBufferPointer) throws(CacheError) -> SweepCursor {
        try unsafe base.sweepCursor(at: key)
    }
}

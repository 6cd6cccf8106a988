import GrovePlatform

/// A pool of values, each behind a lock of its own, so that threads on different cores do not wait for one another.
///
/// A frequent call takes one lock only, that of the value for the core that its thread runs on; few threads share that.
/// A rare call that concerns all values takes all the locks. The big-reader locks of older Linux kernels work like
/// this.
@safe
// SAFETY: a value is touched under its lock alone.
@usableFromInline
package final class Pools<Value>: @unchecked Sendable {
    @usableFromInline let pools: ContiguousArray<LockedMemory<Value>>
    /// Masks a thread's place to get the index of its value.
    @usableFromInline let mask: Int

    /// Makes `count` values, a power of two.
    package init(count: Int = PoolCount.usual, _ make: () -> Value) {
        precondition(count > 0 && count & (count - 1) == 0, "the number of pools is a power of two")
        pools = ContiguousArray((0..<count).map { _ in LockedMemory(make()) })
        mask = count - 1
    }

    deinit {
        for pool in pools { pool.deallocate() }
    }

    /// The index of the calling thread's value; a later call of the same thread may get another index.
    @inlinable package var own: Int { PoolCount.place & mask }

    /// Runs `body` with the value at index `number` while no other thread uses it.
    ///
    /// `body` must not call this or another method.
    @inlinable
    @inline(__always)
    package func withLock<Result, Failure: Error>(
        of number: Int, _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let pool = pools[number]
        pool.lock.lock()
        defer { pool.lock.unlock() }
        return try unsafe body(&pool.value.pointee)
    }

    /// Runs `take` with each value except the one at `number`, one after the other, until it returns a result.
    package func first<Result>(outside number: Int, _ take: (inout Value) -> Result?) -> Result? {
        for step in 1..<max(pools.count, 1) {
            if let found = withLock(of: (number + step) % pools.count, take) { return found }
        }
        return nil
    }

    /// Runs `body` with each value, one after the other; at most one lock is held at a time.
    package func forEach(_ body: (inout Value) -> Void) {
        for number in pools.indices { withLock(of: number, body) }
    }

    /// Runs `body` while all the locks are held; `visit` passes each value to a closure.
    package func withAll<Result, Failure: Error>(
        _ body: (_ visit: ((inout Value) -> Void) -> Void) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        for pool in pools { pool.lock.lock() }
        defer { for pool in pools { pool.lock.unlock() } }
        return try body { visit in
            for pool in pools { unsafe visit(&pool.value.pointee) }
        }
    }
}

/// The default number of values of a ``Pools``.
@usableFromInline
package enum PoolCount {
    /// The number of the machine's cores, rounded up to a power of two, and 32 at most.
    package static let usual: Int = {
        let cores = max(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 1)
        var count = 1
        while count < min(cores, 32) { count *= 2 }
        return count
    }()

    /// A number whose low bits differ between threads that run at once: that of the core, if the system tells it in
    /// no time.
    @usableFromInline static var place: Int {
        #if os(Linux)
            // -1 if it is not known; then all threads share one pool.
            Int(currentCore())
        #else
            // The address of the system's record of the thread; its bits are spread (Knuth, multiplicative hashing).
            Int(truncatingIfNeeded: UInt64(bits(of: pthread_self())) &* 0x9E37_79B9_7F4A_7C15 >> 32)
        #endif
    }

    #if !os(Linux)
        /// The bits of `name`, by which the system calls a thread: a number or a pointer.
        @inline(__always)
        private static func bits<Name>(of name: Name) -> UInt { unsafe unsafeBitCast(name, to: UInt.self) }
    #endif

    /// Each value's part of `total` objects at rest; at least 1.
    package static func share(of total: Int) -> Int { max(total / usual, 1) }
}

#if os(Linux)
    /// C's function of that name, which the module of the C library leaves out: the core that the thread runs on, or
    /// -1.
    @_silgen_name("sched_getcpu")
    private func currentCore() -> CInt
#endif

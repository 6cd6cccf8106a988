import GrovePlatform

/// Values of one kind, each behind a lock of its own, so that threads on different cores do not wait for one another.
///
/// What happens often takes the lock of the shelf of the core that the thread runs on, which few threads share. What happens rarely, and concerns all,
/// takes all the locks. So it is with the big-reader locks of older Linux kernels.
@safe
// SAFETY: a value is touched under its lock alone.
@usableFromInline
package final class Shelves<Value>: @unchecked Sendable {
    @usableFromInline let shelves: ContiguousArray<LockedMemory<Value>>
    /// The bits of a thread's place that give a shelf's number.
    @usableFromInline let mask: Int

    /// Makes `count` shelves, a power of two.
    package init(count: Int = ShelfCount.usual, _ make: () -> Value) {
        precondition(count > 0 && count & (count - 1) == 0, "the number of shelves is a power of two")
        shelves = ContiguousArray((0..<count).map { _ in LockedMemory(make()) })
        mask = count - 1
    }

    deinit {
        for shelf in shelves { shelf.deallocate() }
    }

    /// The number of the shelf of the calling thread; a later call of the same thread may have another one.
    @inlinable package var own: Int { ShelfCount.place & mask }

    /// Runs `body` with the value of shelf `number` while no other thread does.
    ///
    /// Neither this nor another call is to be made inside `body`.
    @inlinable
    @inline(__always)
    package func withLock<Result, Failure: Error>(
        of number: Int, _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let shelf = shelves[number]
        shelf.lock.lock()
        defer { shelf.lock.unlock() }
        return try unsafe body(&shelf.value.pointee)
    }

    /// Runs `take` with the value of each shelf but `number`, one after the other, until it returns something.
    package func first<Result>(outside number: Int, _ take: (inout Value) -> Result?) -> Result? {
        for step in 1..<max(shelves.count, 1) {
            if let found = withLock(of: (number + step) % shelves.count, take) { return found }
        }
        return nil
    }

    /// Runs `body` with each value, one after the other: at no moment is more than one lock held.
    package func forEach(_ body: (inout Value) -> Void) {
        for number in shelves.indices { withLock(of: number, body) }
    }

    /// Runs `body` while all the locks are held; what it is given visits each value.
    package func withAll<Result, Failure: Error>(
        _ body: (_ visit: ((inout Value) -> Void) -> Void) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        for shelf in shelves { shelf.lock.lock() }
        defer { for shelf in shelves { shelf.lock.unlock() } }
        return try body { visit in
            for shelf in shelves { unsafe visit(&shelf.value.pointee) }
        }
    }
}

/// How many shelves there are if there is no reason for another number.
@usableFromInline
package enum ShelfCount {
    /// As many as the machine has cores, made a power of two, and 32 at most.
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
            // -1 if it is not known; then all share one shelf.
            Int(currentCore())
        #else
            // The address of what the system keeps of the thread; its bits are spread (Knuth, multiplicative hashing).
            Int(truncatingIfNeeded: UInt64(bits(of: pthread_self())) &* 0x9E37_79B9_7F4A_7C15 >> 32)
        #endif
    }

    #if !os(Linux)
        /// `name` is what the system calls a thread by: a number or a pointer.
        @inline(__always)
        private static func bits<Name>(of name: Name) -> UInt { unsafe unsafeBitCast(name, to: UInt.self) }
    #endif

    /// Each shelf's part of `total` things at rest, and 1 at least.
    package static func share(of total: Int) -> Int { max(total / usual, 1) }
}

#if os(Linux)
    /// C's function of that name, which the module of the C library leaves out: the core that the thread runs on, or -1.
    @_silgen_name("sched_getcpu")
    private func currentCore() -> CInt
#endif

#if canImport(Darwin)
    import Darwin
#elseif canImport(Android)
    import Android
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Values of one kind, each behind a lock of its own, so that threads on different cores do not wait for one another.
///
/// What happens often takes the lock of the calling thread's shelf, which few threads share. What happens rarely, and concerns all,
/// takes all the locks. So it is with the big-reader locks of older Linux kernels.
@safe
// SAFETY: a value is touched under its lock alone.
@usableFromInline
package final class Shelves<Value>: @unchecked Sendable {
    @usableFromInline let shelves: ContiguousArray<LockedMemory<Value>>
    /// By how much a hash is shifted to give a shelf's number.
    @usableFromInline let shift: Int

    /// Makes `count` shelves, a power of two.
    package init(count: Int = ShelfCount.usual, _ make: () -> Value) {
        precondition(count > 0 && count & (count - 1) == 0, "the number of shelves is a power of two")
        shelves = ContiguousArray((0..<count).map { _ in LockedMemory(make()) })
        shift = UInt64.bitWidth - count.trailingZeroBitCount
    }

    deinit {
        for shelf in shelves { shelf.deallocate() }
    }

    /// The number of the calling thread's shelf.
    @inlinable package var own: Int { Int(truncatingIfNeeded: ShelfCount.hashOfThread >> shift) }

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

/// How many shelves there are where there is no reason for another number.
@usableFromInline
package enum ShelfCount {
    /// As many as the machine has cores, made a power of two, and 32 at most.
    package static let usual: Int = {
        let cores = max(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 1)
        var count = 1
        while count < min(cores, 32) { count *= 2 }
        return count
    }()

    /// A number whose high bits differ from thread to thread.
    @usableFromInline static var hashOfThread: UInt64 {
        // The address of what the system keeps of the thread; its bits are spread (Knuth, multiplicative hashing).
        UInt64(bits(of: pthread_self())) &* 0x9E37_79B9_7F4A_7C15
    }

    /// `name` is what the system calls a thread by: a number or a pointer.
    @inline(__always)
    private static func bits<Name>(of name: Name) -> UInt { unsafe unsafeBitCast(name, to: UInt.self) }

    /// Each shelf's part of `total` things at rest, and 1 at least.
    package static func share(of total: Int) -> Int { max(total / usual, 1) }
}

#if canImport(Darwin)
    import Darwin
#elseif canImport(Android)
    import Android
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A value behind a lock that a thread which runs takes where it is free.
///
/// On Linux the standard library's `Mutex` is handed to the thread that waited longest, which must be woken first, while those
/// that run queue up behind it. With more threads than cores, reads of a cache took 6 to 17 times as long
/// (Docs/BigMachines.md). So this is a lock of the system's: `pthread_mutex_t`, and `os_unfair_lock` on Apple's.
@safe
// SAFETY: the value is touched under the lock alone.
package final class Lock<Value: ~Copyable>: @unchecked Sendable {
    #if canImport(Darwin)
        private typealias Primitive = os_unfair_lock
    #else
        private typealias Primitive = pthread_mutex_t
    #endif

    private let primitive: UnsafeMutablePointer<Primitive>
    private var value: Value

    /// Makes a lock that is free.
    package init(_ value: consuming Value) {
        self.value = value
        unsafe primitive = .allocate(capacity: 1)
        #if canImport(Darwin)
            unsafe primitive.initialize(to: os_unfair_lock())
        #else
            unsafe primitive.initialize(to: pthread_mutex_t())
            _ = unsafe pthread_mutex_init(primitive, nil)
        #endif
    }

    deinit {
        #if !canImport(Darwin)
            _ = unsafe pthread_mutex_destroy(primitive)
        #endif
        unsafe primitive.deallocate()
    }

    /// Runs `body` with the value while no other thread does; not to be called inside `body`.
    @inline(__always)
    package func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        #if canImport(Darwin)
            unsafe os_unfair_lock_lock(primitive)
            defer { unsafe os_unfair_lock_unlock(primitive) }
        #else
            _ = unsafe pthread_mutex_lock(primitive)
            defer { _ = unsafe pthread_mutex_unlock(primitive) }
        #endif
        return try body(&value)
    }
}

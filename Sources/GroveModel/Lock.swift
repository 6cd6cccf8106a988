import GrovePlatform

/// A value behind a lock that a running thread takes if it is free.
///
/// On Linux the standard library's `Mutex` is handed to the thread that waited longest, which must be woken first,
/// while those that run queue up behind it. With more threads than cores, reads of a cache took 6 to 17 times as long
/// (Docs/Internals/BigMachines.md). So this is a lock of the system's: `pthread_mutex_t`, and on Apple's
/// `os_unfair_lock`.
@safe
// SAFETY: the value is touched under the lock alone.
@usableFromInline
package final class Lock<Value: ~Copyable>: @unchecked Sendable {
    @usableFromInline let memory: LockedMemory<Value>

    /// Makes a lock that is free.
    package init(_ value: consuming Value) { memory = LockedMemory(value) }

    deinit { memory.deallocate() }

    /// Runs `body` with the value while no other thread does; not to be called inside `body`.
    @inlinable
    @inline(__always)
    package func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        memory.lock.lock()
        defer { memory.lock.unlock() }
        return try unsafe body(&memory.value.pointee)
    }
}

/// The memory of a value and its lock, on lines of memory of their own.
///
/// Writes of other threads beside it do not slow down the threads that use it. ``deallocate()`` must follow.
@safe
@usableFromInline
struct LockedMemory<Value: ~Copyable> {
    @usableFromInline let lock: SystemLock
    /// The value, to be used while ``lock`` is held.
    @usableFromInline let value: UnsafeMutablePointer<Value>

    /// The bytes that a core takes at a time: 64, in pairs, or 128.
    private static var line: Int { 128 }

    init(_ value: consuming Value) {
        let alignment = MemoryLayout<Value>.alignment
        let offset = (SystemLock.byteCount + alignment - 1) / alignment * alignment
        let line = max(LockedMemory.line, alignment)
        let lines = (offset + MemoryLayout<Value>.size + line - 1) / line
        let block = UnsafeMutableRawPointer.allocate(byteCount: lines * line, alignment: line)
        lock = unsafe SystemLock(in: block)
        unsafe self.value = unsafe (block + offset).bindMemory(to: Value.self, capacity: 1)
        unsafe self.value.initialize(to: value)
    }

    func deallocate() {
        unsafe value.deinitialize(count: 1)
        lock.deallocate()
    }
}

/// The system's lock, which does not move.
@safe
@usableFromInline
struct SystemLock {
    #if canImport(Darwin)
        private typealias Primitive = os_unfair_lock
    #else
        private typealias Primitive = pthread_mutex_t
    #endif

    private let primitive: UnsafeMutablePointer<Primitive>

    static var byteCount: Int { unsafe MemoryLayout<Primitive>.size }

    /// A lock at the beginning of `block`, which ``deallocate()`` gives back.
    init(in block: UnsafeMutableRawPointer) {
        unsafe primitive = unsafe block.bindMemory(to: Primitive.self, capacity: 1)
        #if canImport(Darwin)
            unsafe primitive.initialize(to: os_unfair_lock())
        #else
            unsafe primitive.initialize(to: pthread_mutex_t())
            _ = unsafe pthread_mutex_init(primitive, nil)
        #endif
    }

    func deallocate() {
        #if !canImport(Darwin)
            _ = unsafe pthread_mutex_destroy(primitive)
        #endif
        unsafe UnsafeMutableRawPointer(primitive).deallocate()
    }

    @usableFromInline
    func lock() {
        #if canImport(Darwin)
            unsafe os_unfair_lock_lock(primitive)
        #else
            _ = unsafe pthread_mutex_lock(primitive)
        #endif
    }

    @usableFromInline
    func unlock() {
        #if canImport(Darwin)
            unsafe os_unfair_lock_unlock(primitive)
        #else
            _ = unsafe pthread_mutex_unlock(primitive)
        #endif
    }
}

# Puts a Mutex over pthread_mutex_t, which the thread sanitizer knows, into every folder of sources that is given and
# that uses one. A module's own type goes before an imported one, so nothing else changes.
replace_mutex() {
    for folder in "$@"; do
        grep -rqw 'import Synchronization' "$folder" || continue
        cat > "$folder/Mutex.swift" <<'SWIFT'
#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// SAFETY: the value is touched under the lock alone.
package final class Mutex<Value: ~Copyable>: @unchecked Sendable {
    private let lock: UnsafeMutablePointer<pthread_mutex_t>
    private var value: Value
    package init(_ value: consuming Value) {
        self.value = value
        lock = .allocate(capacity: 1)
        pthread_mutex_init(lock, nil)
    }
    deinit {
        pthread_mutex_destroy(lock)
        lock.deallocate()
    }
    package func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        return try body(&value)
    }
}
SWIFT
    done
}

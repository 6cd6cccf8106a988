import GroveModel
import GrovePlatform

/// A read that is under way, of any cache: a model's initialiser must not call back into that cache.
@safe
class CurrentRead {
    /// The cache that is being read.
    let owner: ObjectIdentifier
    /// The read of another cache inside which this one runs.
    private var outer: Unmanaged<CurrentRead>?

    init(owner: ObjectIdentifier) { self.owner = owner }

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        unsafe precondition(pthread_key_create(&key, nil) == 0, "the system has a thread-local key to give")
        return key
    }()

    private static var innermost: Unmanaged<CurrentRead>? {
        unsafe pthread_getspecific(key).map { unsafe Unmanaged.fromOpaque(UnsafeRawPointer($0)) }
    }

    /// Whether `owner` is being read on this thread.
    static func isUnderWay(_ owner: ObjectIdentifier) -> Bool {
        var read = unsafe innermost
        while let current = unsafe read {
            let found = unsafe current._withUnsafeGuaranteedRef { unsafe ($0.owner == owner, $0.outer) }
            if unsafe found.0 { return true }
            unsafe read = unsafe found.1
        }
        return false
    }

    /// Makes this the innermost read of the thread.
    final func enterThread() {
        unsafe outer = unsafe CurrentRead.innermost
        unsafe pthread_setspecific(CurrentRead.key, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Makes the read outside this one the innermost again.
    final func leaveThread() {
        unsafe pthread_setspecific(CurrentRead.key, outer?.toOpaque())
        unsafe outer = nil
    }

    final func threadDidChange() {
        unsafe pthread_setspecific(CurrentRead.key, Unmanaged.passUnretained(self).toOpaque())
    }
}

import GrovePlatform
import Synchronization

/// Threads of the kit's own, which may block and hang without taking one from a pool that a cache needs.
enum Threads {
    /// Runs `body` on another thread, and lets the answer be waited for.
    static func start<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) -> Answer<Value?> {
        let answer = Answer<Value?>()
        detach {
            do { answer.take(try body(), nil) } catch { answer.take(nil, error) }
        }
        return answer
    }

    /// Runs `body` on a thread whose stack has `stackSize` bytes, and waits for it.
    static func run(stackSize: Int, _ body: @escaping @Sendable () throws -> Void) throws {
        let answer = Answer<Bool>()
        detach(stackSize: stackSize) {
            do {
                try body()
                answer.take(true, nil)
            } catch {
                answer.take(false, error)
            }
        }
        _ = try answer.wait(seconds: 60)
    }

    /// Runs `body` on a new thread; a system without threads to give traps, for there is nothing left to check with.
    static func detach(stackSize: Int = 8 << 20, _ body: @escaping @Sendable () -> Void) {
        let work = unsafe Unmanaged.passRetained(Work(body)).toOpaque()
        let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
        unsafe pthread_attr_init(attributes)
        unsafe pthread_attr_setdetachstate(attributes, Int32(PTHREAD_CREATE_DETACHED))
        defer {
            unsafe pthread_attr_destroy(attributes)
            unsafe attributes.deallocate()
        }
        let isSized = unsafe pthread_attr_setstacksize(attributes, stackSize) == 0
        precondition(isSized, "the system gives stacks of \(stackSize) bytes")
        #if canImport(Darwin)
            var thread: pthread_t?
            let status = unsafe pthread_create(
                &thread, attributes,
                { pointer in
                    unsafe Unmanaged<Work>.fromOpaque(pointer).takeRetainedValue().body()
                    return nil
                }, work)
        #else
            var thread = pthread_t()
            let status = unsafe pthread_create(
                &thread, attributes,
                { pointer in
                    if let pointer = unsafe pointer {
                        unsafe Unmanaged<Work>.fromOpaque(pointer).takeRetainedValue().body()
                    }
                    return nil
                }, work)
        #endif
        precondition(status == 0, "the system has a thread to give")
    }

    private final class Work: Sendable {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
}

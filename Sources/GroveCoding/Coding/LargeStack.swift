package import GroveModel
import GrovePlatform

/// A private thread with a stack large enough for the deepest tree that Grove accepts.
///
/// The code for trees is recursive, and a caller's stack may be as small as 512 KB. Past ``hopDepth`` levels the rest
/// of a tree is handled here, while the caller waits. Making and joining the thread costs some 30 µs, which only deep
/// trees pay.
package enum LargeStack {
    /// The number of levels on a caller's own stack.
    @inlinable package static var hopDepth: Int { 40 }

    /// The most hops to another thread that one tree may make.
    ///
    /// A tree that is wide at ``hopDepth`` would make one for each path that crosses it. A further hop is refused.
    /// The tree or the read remembers that, and begins again as a whole on a large stack, at level ``hopDepth``, from
    /// which nothing hops.
    package static let maxHops = 4

    /// The error of the hop past ``maxHops``; no caller sees it, because the tree is begun again.
    static var tooManyHops: CacheError { CacheError(.tooDeep, "The tree is begun again on a larger stack.") }
    /// The error if the system has no thread to give.
    package static var noThread: CacheError { CacheError(.other, "The system has no thread for a deep tree.") }

    /// The deepest chain of identified models.
    @inlinable package static var maxDepth: Int { 1_000 }

    /// The deepest nesting in all: identified levels, and models and containers inside one record.
    @inlinable package static var maxNesting: Int { 2_200 }

    /// The bytes reserved for the stack; its pages cost memory only once they are touched.
    private static let size = 128 << 20

    /// Runs `body` on a thread of its own and returns when it has finished.
    ///
    /// - Throws: what `body` threw, or `failure` if the system has no thread to give.
    package static func run<Value, Failure: Error>(
        unavailable failure: Failure, _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        var outcome: Result<Value, Failure> = .failure(failure)
        withoutActuallyEscaping({
            do throws(Failure) {
                outcome = .success(try body())
            } catch {
                outcome = .failure(error)
            }
        }) { work in
            runJoined(work)
        }
        return try outcome.get()
    }

    private static func runJoined(_ work: @escaping () -> Void) {
        final class Box {
            let work: () -> Void
            init(_ work: @escaping () -> Void) { self.work = work }
        }
        var attributes = pthread_attr_t()
        guard unsafe pthread_attr_init(&attributes) == 0 else { return }
        defer { unsafe pthread_attr_destroy(&attributes) }
        guard unsafe pthread_attr_setstacksize(&attributes, size) == 0 else { return }
        let box = unsafe Unmanaged.passRetained(Box(work))
        #if canImport(Darwin)
            var thread: pthread_t?
            let status = pthread_create(
                &thread, &attributes,
                { pointer in
                    Unmanaged<Box>.fromOpaque(pointer).takeRetainedValue().work()
                    return nil
                }, box.toOpaque())
            guard status == 0, let thread else { return box.release() }
        #else
            var thread = pthread_t()
            let status = unsafe pthread_create(
                &thread, &attributes,
                { pointer in
                    guard let pointer = unsafe pointer else { return nil }
                    unsafe Unmanaged<Box>.fromOpaque(pointer).takeRetainedValue().work()
                    return nil
                }, unsafe box.toOpaque())
            guard status == 0 else { return unsafe box.release() }
        #endif
        pthread_join(thread, nil)
    }
}

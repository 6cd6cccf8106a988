#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#endif
package import GroveModel

/// A private thread with a stack large enough for the deepest tree that Grove accepts.
///
/// Trees recurse, and a caller's stack may be as small as 512 KB. Past ``hopDepth`` levels the rest of a tree is
/// handled here, while the caller waits. Making and joining the thread costs some 30 µs, which only deep trees pay.
package enum LargeStack {
    /// Levels that a caller's own stack carries.
    @inlinable package static var hopDepth: Int { 40 }

    /// Hops that one tree may make.
    ///
    /// A tree that is wide at ``hopDepth`` would make one for each path that crosses it;
    /// past these few, it is begun anew on a large stack as a whole.
    package static let maxHops = 4

    /// Thrown by the hop past ``maxHops``; whoever began the tree catches it and begins again on a large stack, at
    /// level ``hopDepth``, from which nothing hops.
    package static var restart: CacheError { CacheError(.restart, "The tree is begun anew on a larger stack.") }

    /// The deepest chain of identified models.
    @inlinable package static var maxDepth: Int { 1_000 }

    /// The deepest nesting in all: identified levels, and models and containers inside one record.
    @inlinable package static var maxNesting: Int { 2_200 }

    /// Reserved, not used: pages of a stack cost memory only once they are touched.
    private static let size = 128 << 20

    /// Runs `body` on a thread of its own and returns when it has finished.
    ///
    /// - Throws: what `body` threw, or `failure` where the system has no thread to give.
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

extension CacheError.Code {
    /// Inside Grove only; see ``LargeStack/restart``.
    package static let restart = CacheError.Code("restart")
}

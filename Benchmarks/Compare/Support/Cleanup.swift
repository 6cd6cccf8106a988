import Dispatch
import GrovePlatform
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Files and directories that must not outlive the process: half-written output, temporary stores.
///
/// A signal that ends the process removes them first.
package enum Cleanup {
    private static let paths = Mutex<Set<String>>([])

    private static let interceptor = Mutex<(@Sendable (Int32) -> Bool)?>(nil)

    /// Lets `handler` have the signals that would end the process; it returns whether the process is to go on.
    package static func intercept(_ handler: (@Sendable (Int32) -> Bool)?) { interceptor.withLock { $0 = handler } }

    /// Removes `path` if the process is interrupted before ``forget(_:)``.
    package static func register(_ path: String) { paths.withLock { _ = $0.insert(path) } }

    /// Leaves `path` where it is.
    package static func forget(_ path: String) { paths.withLock { _ = $0.remove(path) } }

    /// Runs `body`, which no signal interrupts: it removes what is registered before or after.
    package static func uninterrupted<Value>(_ body: () -> Value) -> Value { paths.withLock { _ in body() } }

    /// Removes `path` now.
    package static func remove(_ path: String) {
        try? FileManager.default.removeItem(atPath: path)
        forget(path)
    }

    /// From now on an interrupt removes what is registered and ends the process with 128 and the signal's number.
    package static func handleSignals() {
        for number in [SIGINT, SIGTERM, SIGHUP] {
            let former = signal(number, SIG_IGN)
            // nohup ignores hang-ups for whom it starts.
            let wasIgnored = unsafe unsafeBitCast(former, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
            if number == SIGHUP, wasIgnored { continue }
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global(qos: .userInitiated))
            source.setEventHandler {
                if let handler = interceptor.withLock(\.self), handler(number) { return }
                // The lock is kept: nothing that is being removed is put in its place any more, or said to be done.
                paths.withLock { paths in
                    // Files in use may appear while a directory is removed, hence the second time.
                    for path in paths {
                        for _ in 0..<2 { try? FileManager.default.removeItem(atPath: path) }
                    }
                    _exit(128 + number)
                }
            }
            source.resume()
            // Sources live as long as the process.
            _ = unsafe Unmanaged.passRetained(source as AnyObject)
        }
    }
}

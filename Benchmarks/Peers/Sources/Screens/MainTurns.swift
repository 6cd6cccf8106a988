import Foundation

/// The turns of the main thread's run loop.
///
/// No touch is handled and no frame is drawn before a turn has ended.
@MainActor
enum MainTurns {
    /// The processor's time that each turn took, in milliseconds: what other threads and processes do meanwhile does
    /// not count.
    static var times: [Double] = []

    /// Runs the main thread's loop turn by turn.
    static func run() -> Never {
        while true {
            let start = time
            _ = RunLoop.main.run(mode: .default, before: .distantFuture)
            times.append((time - start) * 1_000)
        }
    }

    /// The processor's time that this thread has taken, in seconds.
    private static var time: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

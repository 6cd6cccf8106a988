import Dispatch

/// An executor that runs each check on a thread of its own.
///
/// A rule that blocks or hangs then holds no thread of the cooperative pool, and none of Dispatch's, which caches use.
package final class BlockingExecutor: TaskExecutor {
    package static let shared = BlockingExecutor()

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        Threads.detach { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    /// Waits; for threads that wait for other processes.
    static func pause(milliseconds: Int) {
        _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(milliseconds))
    }
}

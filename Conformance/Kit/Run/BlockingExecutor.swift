import Dispatch

/// Runs checks on threads of their own, so that a rule that blocks or hangs holds no thread of the cooperative pool, nor
/// one of Dispatch's, which the caches work with.
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

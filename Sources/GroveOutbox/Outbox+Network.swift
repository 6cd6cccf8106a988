import GroveModel

/// The beginning and the end of sending, and the wait for it.
extension Outbox {
    /// Sends the mutations that wait for the network at once, and ends ``suspend()``.
    ///
    /// Call it when the network is back.
    ///
    /// Mutations that another process has submitted are shown and sent from now on. An outbox without a manager begins
    /// to send, unless it was opened for a cache of your own.
    public func resume() {
        (isSuspended, isStarted) = (false, true)
        do throws(CacheError) { try load() } catch { /* The store is suspended or closed: what is known goes on. */  }
        for item in pending where item.isUnsent && item.isBackingOff { item.endPause() }
        pumpAll()
        look()
    }

    /// Stops sending.
    ///
    /// Requests under way go on; when they have ended, another process may send.
    public func suspend() {
        isSuspended = true
        for alarm in alarms.values { alarm.task.cancel() }
        alarms = [:]
        releaseIfStopped()
        resumeWaiters()
    }

    /// Stops sending for good, and cancels the requests under way.
    ///
    /// Their mutations are sent again after a relaunch, or by another process.
    ///
    /// Await ``flush()`` before you close the cache. Otherwise another process, or the next launch, waits until the
    /// lease of this outbox expires.
    public func close() {
        isClosed = true
        suspend()
        for task in sending.values { task.cancel() }
    }

    /// Returns when all pending mutations are on disk, and every mutation that could be sent was tried.
    ///
    /// No request is under way then. The mutations that are left wait for the network, for a delay, for the lease of
    /// another process, or behind such a mutation in their lane. Or they were refused, or cannot be read. If the outbox
    /// does not send, because it is suspended or closed or has no manager, it tries none.
    public func flush() async {
        while true {
            await lastWrite?.value
            await looking?.value
            if isQuiet { return }
            await withCheckedContinuation { waiters.append($0) }
        }
    }

    /// Returns when everything that was submitted before is stored, or has failed to be.
    package func stored() async { await lastWrite?.value }

    private var isQuiet: Bool {
        guard sending.isEmpty else { return false }
        guard canSend else { return true }
        return !lanes.contains { lane in next(in: lane).map { $0.due <= options.now() } ?? false }
    }

    func resumeWaiters() {
        let waiting = waiters
        waiters = []
        for waiter in waiting { waiter.resume() }
    }
}

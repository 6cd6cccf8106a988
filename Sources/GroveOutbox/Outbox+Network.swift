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
        if lanes.state != .closed { lanes.state = .open }
        do throws(CacheError) { try load() } catch { /* The store is suspended or closed: what is known goes on. */  }
        for item in pending where item.isUnsent && item.isBackingOff { item.endPause() }
        pumpAll()
        look()
    }

    /// Stops sending.
    ///
    /// Requests under way go on; when they have ended, another process may send.
    public func suspend() {
        lanes.suspend()
        releaseIfStopped()
        lanes.resumeWaiters()
    }

    /// Stops sending for good, and cancels the requests under way.
    ///
    /// Their mutations are sent again after a relaunch, or by another process.
    ///
    /// Await ``flush()`` before you close the cache. Otherwise another process, or the next launch, waits until the
    /// lease of this outbox expires.
    public func close() {
        lanes.state = .closed
        suspend()
        lanes.cancel()
    }

    /// Returns when all pending mutations are on disk, and every mutation that could be sent was tried.
    ///
    /// No request is under way then. The mutations that are left wait for the network, for a delay, for the lease of
    /// another process, or behind such a mutation in their lane. Or they were refused, or cannot be read. If the outbox
    /// does not send, because it is suspended or closed or has no manager, it tries none.
    public func flush() async {
        while true {
            await writes.last?.value
            await lookout.looking?.value
            if isQuiet { return }
            await withCheckedContinuation { lanes.waiters.append($0) }
        }
    }

    /// Returns when everything that was submitted before is stored, or has failed to be.
    package func stored() async { await writes.last?.value }

    private var isQuiet: Bool {
        guard lanes.sending.isEmpty else { return false }
        guard canSend else { return true }
        return !unsentLanes.contains { lane in next(in: lane).map { $0.due <= options.now() } ?? false }
    }
}

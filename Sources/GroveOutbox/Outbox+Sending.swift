import GroveCache
import GroveModel
import GroveProviders

extension Outbox {
    func serve(_ manager: DataModelManager) {
        self.manager = manager
        layers.manager = manager
        manager.layers = layers
        isStarted = true
        pumpAll()
    }

    /// Writes behind everything that was written before.
    ///
    /// - Parameter models: writes models in an earlier transaction of another store; not called if the models have no store apart.
    func write(
        models: OutboxStore.Body? = nil, _ body: @escaping OutboxStore.Body
    ) -> Task<Void, any Error> {
        let (before, store, lives, life, seen) = (lastWrite, store, lives, life, seen)
        let task = Task { [before] in
            await before?.value
            // A write from before a wipe is not stored after it.
            let check: @Sendable () throws -> Void = {
                guard lives.withLock({ $0 == life }) else {
                    throw CacheError(.cancelled, "Everything was wiped since the call.")
                }
            }
            do {
                if let models, case .apart(let writeModels) = store.models {
                    try await writeModels { tx in
                        try check()
                        try models(tx)
                    }
                }
                try await store.write { tx in
                    try check()
                    try body(tx)
                }
            } catch {
                seen.withLock { $0 = .unknown }
                throw error
            }
        }
        lastWrite = Task { _ = try? await task.value }
        return task
    }

    // MARK: Lanes

    /// Whether mutations are sent: an outbox without a cache needs its manager to store the confirmed models.
    var canSend: Bool {
        isStarted && !isSuspended && !isClosed && (manager != nil || !store.isByManager)
    }

    var lanes: Set<String> { Set(pending.lazy.filter(\.isUnsent).map(\.record.lane)) }

    /// The next mutation that a lane sends.
    func next(in lane: String) -> PendingMutation? {
        pending.first { $0.record.lane == lane && $0.isUnsent }
    }

    func pumpAll() { for lane in lanes.sorted() { pump(lane) } }

    /// Sends the next mutation of a lane, unless one is under way; if it is not due yet, sets an alarm for it.
    func pump(_ lane: String) {
        guard canSend, sending[lane] == nil else { return resumeWaiters() }
        guard let item = next(in: lane) else { return resumeWaiters() }
        guard item.due <= options.now() else {
            wake(lane, at: item.due)
            return resumeWaiters()
        }
        item.state = .sending
        sending[lane] = Task { [self] in
            await send(item)
            sending[lane] = nil
            releaseIfStopped()
            pump(lane)
            resumeWaiters()
        }
    }

    private func wake(_ lane: String, at due: Double) {
        if let alarm = alarms[lane], alarm.due == due { return }
        alarms[lane]?.task.cancel()
        let sleep = options.sleep
        let task = Task { [weak self] in
            guard (try? await sleep(due)) != nil, !Task.isCancelled else { return }
            self?.ring(lane)
        }
        alarms[lane] = (due, task)
    }

    private func ring(_ lane: String) {
        alarms[lane] = nil
        pump(lane)
    }

    private enum Permit: Sendable {
        /// This outbox has the lease until it expires.
        case granted(until: Double)
        /// Another process sends.
        case leased(until: Double)
        /// Another process has sent it, or has taken it back.
        case done
        /// Another process has submitted or ended something since this one looked.
        case behind
    }

    /// Takes the lease, and sees whether the mutation is still to be sent.
    private func permit(_ record: OutboxRecord, looksAgain: Bool) async throws -> Permit {
        let found = Lock(Permit.done)
        let (owner, options, seen) = (owner, options, seen)
        // To look again takes no transaction that writes.
        if looksAgain, let lease = try store.kept(OutboxLease.name).flatMap({ try? OutboxLease($0) }),
            lease.excludes(owner, at: options.now())
        {
            return .leased(until: lease.expires)
        }
        let task = write { tx in
            guard try tx.kept(record.name) != nil else { return }
            let counter = OutboxCounter(try tx.kept(OutboxCounter.name))
            guard seen.withLock({ $0 == counter }) else { return found.withLock { $0 = .behind } }
            let now = options.now()
            if let lease = try tx.kept(OutboxLease.name).flatMap({ try? OutboxLease($0) }),
                lease.excludes(owner, at: now)
            {
                return found.withLock { $0 = .leased(until: lease.expires) }
            }
            let lease = OutboxLease(owner: owner, taken: now, length: options.leaseLength)
            try tx.keep(try lease.encoded(), as: OutboxLease.name)
            found.withLock { $0 = .granted(until: lease.expires) }
        }
        try await task.value
        return found.withLock { $0 }
    }

    private func send(_ item: PendingMutation) async {
        let life = life
        do {
            // Nothing is sent that a kill could forget.
            try await item.storing?.value
        } catch {
            guard life == self.life, pending.contains(where: { $0 === item }) else { return }
            // The call that submitted or retried it says so.
            guard item.record.number > 0 else { return refuse(item, error) }
            return fail(item, error)
        }
        do {
            switch try await permit(item.record, looksAgain: item.waitsForLease) {
            // A process that was stopped since has lost the lease.
            case .granted(let end) where end <= options.now():
                return item.state = .waiting
            case .granted: mayHoldLease = true
            case .leased(let end):
                item.state = .waiting
                // The lease may be given back before it expires, which no process is told of.
                let due = min(end, options.now() + options.firstPause)
                return (item.due, item.isBackingOff, item.waitsForLease) = (due, true, true)
            case .behind:
                item.state = .waiting
                return await look().value
            case .done:
                guard life == self.life else { return }
                item.state = .waiting
                await look().value
                return forget(item)
            }
        } catch {
            return back(item, error, life)
        }
        guard !isClosed else { return back(item, CancellationError(), life) }
        guard !isSuspended else { return item.state = .waiting }
        guard life == self.life, let mutation = item.mutation as? any Mutation<API> else { return }
        let place = manager?.place() ?? store.place()
        let attempt = Attempt(key: item.id, number: item.tries)
        do {
            let answer = try await mutation.send(api, attempt)
            // Its confirmation may have come another way.
            guard life == self.life, item.isSending else { return }
            await confirm(included(in: answer, sent: item), answer, place)
        } catch {
            guard life == self.life, item.isSending else { return }
            if Task.isCancelled || error is CancellationError || options.shouldRetry(error) {
                return back(item, error, life)
            }
            item.record.refusal = String(describing: error)
            let record = item.record
            refuse(item, error)
            let (owner, seen, isLast) = (owner, seen, isIdle)
            _ = write { tx in
                try OutboxStore.update(record, tx, seen) { $0.refusal = record.refusal }
                if isLast { try OutboxStore.release(tx, owner) }
            }
            onProblem?(item, .refused(error))
        }
    }

    /// Gives the lease back, if this was told to stop and nothing is under way any more.
    func releaseIfStopped() {
        if isSuspended || isClosed, sending.isEmpty, mayHoldLease { release() }
    }

    /// Whether nothing is to be sent now: the mutations that are left wait for the network, or were refused.
    var isIdle: Bool {
        guard !pending.contains(where: \.isSending) else { return false }
        guard !isSuspended, !isClosed else { return true }
        let now = options.now()
        return !lanes.contains { lane in next(in: lane).map { !$0.isBackingOff || $0.due <= now } ?? false }
    }

    /// Lets a mutation wait until it is sent again.
    func back(_ item: PendingMutation, _ error: any Error, _ life: Int) {
        guard life == self.life else { return }
        item.state = .waitingForNetwork(error)
        (item.due, item.isBackingOff) = (options.now() + options.pause(after: item.tries), true)
        item.tries += 1
        // While this one only waits, another process may send.
        if mayHoldLease, isIdle { release() }
    }

    private func release() {
        mayHoldLease = false
        let owner = owner
        _ = write { tx in try OutboxStore.release(tx, owner) }
    }
}

import GroveCache
import GroveModel
import GroveProviders

extension Outbox {
    func serve(_ manager: DataModelManager) {
        layers.manager = manager
        manager.layers = layers
        if lanes.state == .unstarted { lanes.state = .open }
        pumpAll()
    }

    // MARK: Lanes

    /// Whether mutations are sent: an outbox without a cache needs its manager to store the confirmed models.
    var canSend: Bool {
        lanes.state == .open && (layers.manager != nil || !writes.store.isByManager)
    }

    var unsentLanes: Set<String> { Set(pending.lazy.filter(\.isUnsent).map(\.record.lane)) }

    /// The next mutation that a lane sends.
    func next(in lane: String) -> PendingMutation? {
        pending.first { $0.record.lane == lane && $0.isUnsent }
    }

    func pumpAll() { for lane in unsentLanes.sorted() { pump(lane) } }

    /// Sends the next mutation of a lane, unless one is under way; if it is not due yet, sets an alarm for it.
    func pump(_ lane: String) {
        guard canSend, lanes.sending[lane] == nil else { return lanes.resumeWaiters() }
        guard let item = next(in: lane) else { return lanes.resumeWaiters() }
        guard item.due <= options.now() else {
            wake(lane, at: item.due)
            return lanes.resumeWaiters()
        }
        item.state = .sending
        lanes.sending[lane] = Task { [self] in
            await send(item)
            lanes.sending[lane] = nil
            releaseIfStopped()
            pump(lane)
            lanes.resumeWaiters()
        }
    }

    private func wake(_ lane: String, at due: Double) {
        if let alarm = lanes.alarms[lane], alarm.due == due { return }
        lanes.alarms[lane]?.task.cancel()
        let sleep = options.sleep
        let task = Task { [weak self] in
            guard (try? await sleep(due)) != nil, !Task.isCancelled else { return }
            self?.ring(lane)
        }
        lanes.alarms[lane] = (due, task)
    }

    private func ring(_ lane: String) {
        lanes.alarms[lane] = nil
        pump(lane)
    }

    private func send(_ item: PendingMutation) async {
        let life = writes.life
        do {
            // Nothing is sent that a kill could forget.
            try await item.storing?.value
        } catch {
            guard life == writes.life, pending.contains(where: { $0 === item }) else { return }
            // The call that submitted or retried it says so.
            guard item.record.number > 0 else { return refuse(item, error) }
            return fail(item, error)
        }
        do {
            switch try await holder.permit(item.record, looksAgain: item.waitsForLease, writes, options) {
            // A process that was stopped since has lost the lease.
            case .granted(let end) where end <= options.now():
                return item.state = .waiting
            case .granted: holder.mayHold = true
            case .leased(let end):
                item.state = .waiting
                // The lease may be given back before it expires, which no process is told of.
                let due = min(end, options.now() + options.firstPause)
                return (item.due, item.isBackingOff, item.waitsForLease) = (due, true, true)
            case .behind:
                item.state = .waiting
                return await look().value
            case .done:
                guard life == writes.life else { return }
                item.state = .waiting
                await look().value
                return forget(item)
            }
        } catch {
            return back(item, error, life)
        }
        guard lanes.state != .closed else { return back(item, CancellationError(), life) }
        guard lanes.state != .suspended else { return item.state = .waiting }
        guard life == writes.life, let mutation = item.mutation as? any Mutation<API> else { return }
        let place = layers.manager?.place() ?? writes.store.place()
        let attempt = Attempt(key: item.id, number: item.tries)
        do {
            let answer = try await mutation.send(api, attempt)
            // Its confirmation may have come another way.
            guard life == writes.life, item.isSending else { return }
            await confirm(included(in: answer, sent: item), answer, place)
        } catch {
            guard life == writes.life, item.isSending else { return }
            if Task.isCancelled || error is CancellationError || options.shouldRetry(error) {
                return back(item, error, life)
            }
            item.record.refusal = String(describing: error)
            let record = item.record
            refuse(item, error)
            let (owner, seen, isLast) = (holder.name, writes.seen, isIdle)
            _ = writes.append { tx in
                try OutboxStore.update(record, tx, seen) { $0.refusal = record.refusal }
                if isLast { try OutboxStore.release(tx, owner) }
            }
            onProblem?(item, .refused(error))
        }
    }

    /// Gives the lease back, if this was told to stop and nothing is under way any more.
    func releaseIfStopped() {
        if lanes.isStopped, lanes.sending.isEmpty, holder.mayHold { holder.release(writes) }
    }

    /// Whether nothing is to be sent now: the mutations that are left wait for the network, or were refused.
    var isIdle: Bool {
        guard !pending.contains(where: \.isSending) else { return false }
        guard !lanes.isStopped else { return true }
        let now = options.now()
        return !unsentLanes.contains { lane in next(in: lane).map { !$0.isBackingOff || $0.due <= now } ?? false }
    }

    /// Lets a mutation wait until it is sent again.
    func back(_ item: PendingMutation, _ error: any Error, _ life: Int) {
        guard life == writes.life else { return }
        item.state = .waitingForNetwork(error)
        (item.due, item.isBackingOff) = (options.now() + options.pause(after: item.tries), true)
        item.tries += 1
        // While this one only waits, another process may send.
        if holder.mayHold, isIdle { holder.release(writes) }
    }
}

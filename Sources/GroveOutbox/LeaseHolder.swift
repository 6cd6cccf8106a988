import GroveCache
import GroveModel

/// An outbox as the holder of the store's lease: it takes the lease before it sends, and gives it back.
@MainActor
struct LeaseHolder {
    enum Permit: Sendable {
        /// This outbox has the lease until it expires.
        case granted(until: Double)
        /// Another process sends.
        case leased(until: Double)
        /// Another process has sent it, or has taken it back.
        case done
        /// Another process has submitted or ended something since this one looked.
        case behind
    }

    /// A name of this outbox that no other outbox of the store has; it owns the lease.
    let name: String
    /// Whether this outbox may still have the lease while it sends nothing.
    var mayHold = false

    /// Takes the lease, and sees whether the mutation is still to be sent.
    func permit(
        _ record: OutboxRecord, looksAgain: Bool, _ writes: OutboxWrites, _ options: OutboxOptions
    ) async throws -> Permit {
        let found = Lock(Permit.done)
        let (name, seen) = (name, writes.seen)
        // To look again takes no transaction that writes.
        if looksAgain, let lease = try writes.store.kept(OutboxLease.name).flatMap({ try? OutboxLease($0) }),
            lease.excludes(name, at: options.now())
        {
            return .leased(until: lease.expires)
        }
        let task = writes.append { tx in
            guard try tx.kept(record.name) != nil else { return }
            let counter = OutboxCounter(try tx.kept(OutboxCounter.name))
            guard seen.withLock({ $0 == counter }) else { return found.withLock { $0 = .behind } }
            let now = options.now()
            if let lease = try tx.kept(OutboxLease.name).flatMap({ try? OutboxLease($0) }),
                lease.excludes(name, at: now)
            {
                return found.withLock { $0 = .leased(until: lease.expires) }
            }
            let lease = OutboxLease(owner: name, taken: now, length: options.leaseLength)
            try tx.keep(try lease.encoded(), as: OutboxLease.name)
            found.withLock { $0 = .granted(until: lease.expires) }
        }
        try await task.value
        return found.withLock { $0 }
    }

    /// Gives the lease back.
    mutating func release(_ writes: OutboxWrites) {
        mayHold = false
        let name = name
        _ = writes.append { tx in try OutboxStore.release(tx, name) }
    }
}

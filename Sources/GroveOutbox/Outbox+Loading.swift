import GroveCache
import GroveModel
import GroveProviders

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The mutations that are kept, and the changes that other processes make to them.
extension Outbox {
    /// Takes the mutations that are kept and not known yet.
    ///
    /// - Parameter isSettled: whether no write of this outbox is under way. Then a known mutation that is not kept any
    ///   more has ended elsewhere, and one that is kept otherwise was changed elsewhere.
    func load(isSettled: Bool = false) throws(CacheError) {
        let known = Dictionary(pending.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        var new: [(key: String, bytes: [UInt8]?)] = []
        var kept: Set<String> = []
        var counter = OutboxCounter(nil)
        for (name, bytes) in try writes.store.all() {
            if name == OutboxCounter.name { counter = OutboxCounter(bytes) }
            guard name.hasPrefix(OutboxRecord.prefix) else { continue }
            let key = String(name.dropFirst(OutboxRecord.prefix.count))
            if let item = known[key] {
                kept.insert(key)
                take(bytes, item, isSettled: isSettled)
            } else if !writes.ended.contains(key) {
                new.append((key, bytes))
            }
        }
        if isSettled {
            writes.seen.withLock { $0 = counter }
            for item in pending where !kept.contains(item.id) && item.record.number > 0 && !item.isUnderWay {
                forget(item)
            }
        }
        guard !new.isEmpty else { return }
        let found = KeptMutation.all(new, types.mapValues { $0 }).map { item($0.record, $0.mutation) }
        writes.lastFound = max(writes.lastFound, found.last?.record.number ?? 0)
        let isFirst = pending.isEmpty
        pending += found
        layers.add(contentsOf: found.filter(\.isUnsent).map { makeLayer($0) })
        if isFirst { layers.manager?.showLayers() } else { sortByNumber() }
        for item in found {
            if case .unreadable(let error) = item.state { report(item, error) }
        }
    }

    /// Sorts the pending mutations in the order of all processes; those that are not stored yet come last.
    private func sortByNumber() {
        func number(_ item: PendingMutation) -> Int { item.record.number > 0 ? item.record.number : .max }
        pending = pending.enumerated().sorted { (number($0.element), $0.offset) < (number($1.element), $1.offset) }
            .map(\.element)
        layers.sort(like: pending.compactMap(\.layer))
    }

    /// Takes the number of a mutation whose commit was not told of yet.
    ///
    /// If `isSettled`, it also takes a change by another process: it was refused there, or names a model by another
    /// identifier.
    private func take(_ bytes: [UInt8]?, _ item: PendingMutation, isSettled: Bool) {
        guard isSettled || item.record.number == 0, let bytes, let record = try? OutboxRecord(bytes) else { return }
        item.record.number = record.number
        guard isSettled, item.isUnsent else { return }
        if let refusal = record.refusal {
            item.record.refusal = refusal
            refuse(item, Refusal(refusal))
        } else if record.body != item.record.body, let type = types[record.type],
            let mutation = try? KeptMutation.decode(type, [record.body]).first?.get()
        {
            item.record.body = record.body
            // The store has the names of applications until the confirmation is stored.
            item.mutation = layers.unsavedNames.reduce(mutation) { $0.replacing($1.old, $1.new) }
            layers.remake()
        }
    }

    // MARK: Other processes

    /// Takes the changes by other processes, after the writes of this one are stored and the manager was told of their
    /// commits.
    @discardableResult
    func look() -> Task<Void, Never> {
        // If the store cannot be read now, the next look reads it.
        lookout.look { [self] in try? await lookOnce() }
    }

    private func lookOnce() async throws(CacheError) {
        await writes.settle()
        if try writes.isBehind() {
            // So the models that they confirmed are shown before the layers go.
            await tellManager(steps: 4)
            await writes.settle()
            let count = pending.count
            let isWiped =
                OutboxCounter(try writes.store.kept(OutboxCounter.name)).submitted < writes.seen.withLock(\.submitted)
            try load(isSettled: true)
            if isWiped { (unsentAtWipe, writes.lastFound) = (count - pending.count, 0) }
        }
        let waiting = pending.filter(\.waitsForLease)
        if !waiting.isEmpty, try writes.store.kept(OutboxLease.name) == nil { for item in waiting { item.endPause() } }
        pumpAll()
    }

    /// Lets the manager take the commits that were made before; the lists in them are read in a few steps.
    func tellManager(steps: Int) async {
        guard let manager = layers.manager else { return }
        for _ in 0..<steps {
            await writes.store.told()
            await manager.flush()
        }
    }

    private func report(_ item: PendingMutation, _ error: any Error) {
        // Behind the initialiser, so that the caller can set it.
        Task { self.onProblem?(item, .unreadable(error)) }
    }

    private func item(_ record: OutboxRecord, _ mutation: Result<any Mutation, any Error>) -> PendingMutation {
        switch mutation {
        case .success(let mutation):
            let item = PendingMutation(record, mutation)
            if let refusal = record.refusal { item.state = .refused(Refusal(refusal)) }
            return item
        case .failure(let error):
            let item = PendingMutation(record, nil)
            item.state = .unreadable(error)
            return item
        }
    }

    /// The bytes of a mutation, the same each time.
    func encode(_ mutation: any Mutation) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return Array(try encoder.encode(mutation))
    }
}

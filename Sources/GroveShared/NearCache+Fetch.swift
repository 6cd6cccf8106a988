import GroveCache
import GroveCoding
import GroveModel
import Synchronization

/// A request for one identifier that is under way.
typealias OpenRequest = Task<Result<FarSnapshot, SharedError>, Never>

extension NearCache {
    /// Fetches the tree of `identifier`, as of `least` or later, and stores it if it may be stored.
    func fetch(
        _ identifier: ModelIdentifier, _ least: FeedPosition?
    ) async throws(SharedError) -> (any CacheableModel)? {
        while true {
            let (request, isMine) = requests.withLock { requests in
                if let request = requests[identifier] { return (request, false) }
                let request = OpenRequest {
                    let result = await self.request(identifier)
                    _ = self.requests.withLock { $0.removeValue(forKey: identifier) }
                    return result
                }
                requests[identifier] = request
                return (request, true)
            }
            let snapshot = try await request.value.get()
            if snapshot.word.position.isAtLeast(least) { return snapshot.models[identifier] }
            // The request of another caller was sent too early to satisfy this read.
            guard isMine else { continue }
            if let least, least.feed == snapshot.word.position.feed {
                throw SharedError(
                    .behind, "The database is at commit \(snapshot.word.position.number), and \(least.number) was seen."
                )
            }
            // The feed is another one since this read began.
            _ = try await listen()
            return snapshot.models[identifier]
        }
    }

    private func request(_ identifier: ModelIdentifier) async -> Result<FarSnapshot, SharedError> {
        do throws(SharedError) {
            let base = try applied()
            let snapshot = try await limited { [far] () async throws(SharedError) in
                try await far.fetch([identifier], after: base)
            }
            try check(snapshot.word.position, isNotBehind: base)
            try await keep(snapshot, of: identifier, after: base)
            // The model is served even if it was not stored: then nothing older may be.
            let position = snapshot.word.position
            memory.withLock { if $0.floor?.feed == position.feed { $0.saw(position) } }
            // The store begins again, so that the next misses can be stored.
            if snapshot.word.changes == nil { _ = try await listen() }
            return .success(snapshot)
        } catch {
            return .failure(error)
        }
    }

    /// Stores the answer to a request, if the invariant holds with it.
    private func keep(
        _ snapshot: FarSnapshot, of identifier: ModelIdentifier, after base: FeedPosition?
    ) async throws(SharedError) {
        let (model, word) = (snapshot.models[identifier], snapshot.word)
        do {
            let nodes = try model?.nodeIdentifiers() ?? [identifier]
            let end = try await store.write { [self] tx throws -> FeedPosition? in
                guard let state = try NearState.read(tx), let base,
                    state.feed == word.position.feed, state.isAtLeast(base)
                else { return nil }
                if state.number < word.position.number {
                    guard let changes = word.changes else { return nil }
                    for (changed, number) in changes where number > state.number { try tx.evict(changed) }
                    try tx.keep(NearState.encoded(word.position), as: NearState.name)
                } else if state.number > word.position.number {
                    let isUnchanged = memory.withLock {
                        $0.isUnchanged(nodes, after: word.position.number, upTo: state)
                    }
                    guard isUnchanged else { return nil }
                }
                if let model { try tx.put(model) } else { try tx.delete(identifier) }
                return max(state.number, word.position.number) == state.number ? state : word.position
            }
            guard let end, let base else { return }
            memory.withLock { memory in
                if let changes = word.changes { memory.learned(changes, after: base.number, upTo: word.position) }
                memory.saw(end)
            }
        } catch {
            // The store was emptied meanwhile, has no room for the tree, or cannot be written: it is returned all the
            // same.
            if let code = (error as? CacheError)?.code, Self.unstored.contains(code) { return }
            throw .store(error)
        }
    }

    /// The codes of the errors of a store that does not take a tree which the database has.
    private static var unstored: Set<CacheError.Code> {
        [.cancelled, .overBudget, .tooLarge, .full, .locked, .inputOutput, .corrupted]
    }

    /// Runs `call`, and stops waiting for it after ``timeLimit``, whether it heeds its cancellation or not.
    ///
    /// - Throws: the error of `call`; after the limit an error with the code `code`.
    func limited<Value: Sendable>(
        _ code: SharedError.Code = .timedOut,
        _ call: @escaping @Sendable () async throws(SharedError) -> Value
    ) async throws(SharedError) -> Value {
        let limit = timeLimit
        let first = FirstOf<Result<Value, SharedError>>()
        let work = Task {
            do throws(SharedError) {
                first.offer(.success(try await call()))
            } catch {
                first.offer(.failure(error))
            }
        }
        let alarm = Task {
            guard (try? await Task.sleep(for: limit)) != nil else { return }
            first.offer(.failure(SharedError(code, "The database did not answer within \(limit).")))
        }
        let result = await first.value()
        work.cancel()
        alarm.cancel()
        return try result.get()
    }
}

extension CacheTransaction {
    /// Writes a model of a type that is not known here.
    fileprivate func put(_ model: some CacheableModel) throws(CacheError) { try write(model) }
}

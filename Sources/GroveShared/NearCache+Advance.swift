import GroveCache
import GroveModel
import Synchronization

extension NearCache {
    /// Keeps the local store up to date with the database until the task is cancelled, so that reads need not ask.
    ///
    /// It asks as soon as the tier says that there may be a new commit. It asks at most a hundred times a second, and
    /// at the latest after a third of ``patience``. If the database cannot be asked, it waits longer each time, up to
    /// ten seconds. A part of each wait is random, so that the workers do not all ask at once when the server is back.
    /// Run it in one task per process.
    public func run() async {
        var failures = 0
        while !Task.isCancelled {
            let begun = ContinuousClock.now
            do throws(SharedError) {
                _ = try await advance()
                failures = 0
                await far.wait(atMost: patience / 3)
                try? await Task.sleep(until: begun + .milliseconds(10))
            } catch {
                failures = min(failures + 1, 10)
                let most = min(Duration.milliseconds(20 << failures), .seconds(10))
                try? await Task.sleep(for: most * Double.random(in: 0.5...1))
            }
        }
    }

    /// Applies the commits that the database has now to the local store, in one trip, and returns the store's new
    /// position.
    ///
    /// Applying a commit evicts the records that it changed.
    ///
    /// - Returns: a position that is not before any commit that was made before the call.
    /// - Throws: ``SharedError`` with code `behind` if the database does not have a commit that the store has applied,
    ///   `unreachable`, `refused`, `timedOut` or `store`. Also `notHeard` if other processes empty the store again and
    ///   again.
    @discardableResult
    public func advance() async throws(SharedError) -> FeedPosition {
        let (position, failure) = try await listen()
        if let failure { throw failure }
        return position
    }

    /// Does the same; if the local store cannot be written, it returns the database's position and the failure.
    ///
    /// Nothing is read then from a store that is behind that position.
    func listen() async throws(SharedError) -> (position: FeedPosition, failure: SharedError?) {
        // Another process may empty the store between two steps; it does so once for each change of the feed.
        for _ in 0..<4 {
            let asked = now()
            let base = try applied()
            let word = try await limited { [far] () async throws(SharedError) in try await far.feed(after: base) }
            try check(word.position, isNotBehind: base)
            do throws(SharedError) {
                guard let position = try await account(for: word, after: base) else { continue }
                memory.withLock { $0.heard(at: asked) }
                return (position, nil)
            } catch {
                guard memory.withLock({ $0.hear(unstored: word.position, at: asked) }) else { throw error }
                return (word.position, error)
            }
        }
        throw SharedError(.notHeard, "Other processes empty the store of this machine again and again.")
    }

    /// Throws if the database does not have a commit that was accounted for when it was asked.
    func check(_ position: FeedPosition, isNotBehind base: FeedPosition?) throws(SharedError) {
        guard let base, base.feed == position.feed, position.number < base.number else { return }
        throw SharedError(
            .behind, "The database is at commit \(position.number), and \(base.number) was accounted for here.")
    }

    /// Accounts for the changes that a feed names after `base`; `nil` if the store was begun again since the feed was
    /// asked.
    private func account(for word: FeedWord, after base: FeedPosition?) async throws(SharedError) -> FeedPosition? {
        do {
            guard let base, base.feed == word.position.feed, word.changes != nil || base == word.position else {
                return try await begin(word.position, after: base)
            }
            let end = try await store.write { tx throws -> FeedPosition? in
                guard let state = try NearState.read(tx), state.isAtLeast(base) else {
                    return nil
                }
                guard state.number < word.position.number else { return state }
                for (identifier, number) in word.changes ?? [:] where number > state.number {
                    try tx.evict(identifier)
                }
                try tx.keep(NearState.encoded(word.position), as: NearState.name)
                return word.position
            }
            guard let end else { return nil }
            memory.withLock { memory in
                memory.learned(word.changes ?? [:], after: base.number, upTo: word.position)
                memory.saw(end)
            }
            return end
        } catch {
            // Another process emptied the store meanwhile.
            if (error as? CacheError)?.code == .cancelled { return nil }
            throw .store(error)
        }
    }

    /// Empties the store, and begins at `position`; `nil` if another process did so meanwhile.
    private func begin(_ position: FeedPosition, after base: FeedPosition?) async throws -> FeedPosition? {
        guard try applied() == base else { return nil }
        // A store without a position may hold records only if that record was damaged.
        try await store.wipe()
        let isFirst = try await store.write { tx in
            guard try tx.kept(NearState.name) == nil else { return false }
            try tx.keep(NearState.encoded(position), as: NearState.name)
            return true
        }
        guard isFirst else { return nil }
        memory.withLock { $0.begin(position) }
        return position
    }
}

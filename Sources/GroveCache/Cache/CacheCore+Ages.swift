import Dispatch
import GroveModel
import Synchronization

/// Ages: what a read with a maximum age is told, what commits confirm, and what is saved of both.
extension CacheCore {
    // MARK: Reading

    /// Begins a read to which what was last confirmed longer than `maxAge` seconds ago is missing.
    func beginReadWithAges(_ maxAge: Double) throws(CacheError) -> Reconstructor {
        loadAges()
        var reading = clock.ofRead
        if state.withLock({ $0.ages.line.isBehind(reading) }) { reading = clock.ofRead }
        let reader = try beginReadOfStore()
        do throws(CacheError) {
            let stored = try reader.storedState()
            state.withLock { state in
                state.ages.notice(reading, before: state.sequence + state.shift + 1)
                if maxAge != .infinity { reader.limitAges(ageLimit(maxAge, reading, stored, state)) }
            }
            return reader
        } catch {
            endRead(reader)
            throw error
        }
    }

    private func ageLimit(
        _ maxAge: Double, _ reading: Double, _ stored: StoreState?, _ state: borrowing CacheState
    ) -> AgeLimit {
        var line = state.ages.line
        // What others committed behind what this process knows has no age here, and numbers that this process's queue
        // was given move up behind it.
        if let stored {
            if let upcoming = upcoming.withLock({ $0 }), stored.sequence >= upcoming.stored.sequence {
                line.moveUp(behind: state.lastCommitted, by: upcoming.shift - state.shift)
                line.moveUp(behind: upcoming.stored.sequence, by: stored.sequence - upcoming.stored.sequence)
            } else if stored.sequence > state.lastCommitted {
                line.moveUp(behind: state.lastCommitted, by: stored.sequence - state.lastCommitted)
            }
        }
        let oldest = max(reading, line.latest) - maxAge
        // Nothing is young enough where the clock tells nothing.
        return AgeLimit(
            oldest: reading.isFinite && !oldest.isNaN ? oldest : .infinity, line: line,
            confirmations: state.ages.confirmations)
    }

    // MARK: Expiry

    /// Lets expired records be the first to go in `commit`, where there may be any.
    func expire(_ commit: inout GroupCommit, _ index: EvictionIndex, lastCommitted: UInt64, shift: UInt64) {
        let age = index.budget.expiresAfter
        guard age != nil || !index.expiry.isEmpty else { return }
        loadAges()
        let (line, confirmations) = state.withLock { ($0.ages.line, $0.ages.confirmations) }
        let reading = clock.ofRead
        commit.expire(
            line, confirmations, oldest: age.flatMap { reading.isFinite ? reading - $0 : nil },
            lastCommitted: lastCommitted, shift: shift)
    }

    // MARK: Saving

    /// Takes up what was saved, the first time.
    private func loadAges() {
        guard let directory = source.directory, source.isPersistent, !state.withLock({ $0.ages.isLoaded }) else {
            return
        }
        let epoch = state.withLock { $0.ages.confirmations.epoch }
        let saved = StoreDirectory.read(AgeFile.name, in: directory).flatMap { AgeFile($0) }
        state.withLock { $0.ages.load(saved, epoch: epoch) }
    }

    /// Saves ages where some seconds have passed since they were last saved, and sees to it that they will be where not.
    func saveAgesAtQuietMoment() {
        guard source.isPersistent, source.directory != nil else { return }
        let isDue: Bool? = state.withLock { state in
            guard !state.isAgeSaveScheduled, state.ages.isDirty(state.lastCommitted) else { return nil }
            let isDue = state.agesSavedAt == 0 || CoarseClock.now &- state.agesSavedAt >= AgeSaving.interval
            state.isAgeSaveScheduled = !isDue
            return isDue
        }
        guard let isDue else { return }
        guard !isDue else { return saveAges() }
        writer.asyncAfter(deadline: .now() + .nanoseconds(Int(AgeSaving.interval))) { [weak self] in
            guard let self else { return }
            state.withLock { $0.isAgeSaveScheduled = false }
            saveAges()
        }
    }

    /// Saves ages, where there is anything new to save; the store is open.
    ///
    /// What cannot be saved is older next time.
    func saveAges() {
        guard let directory = source.directory, source.isPersistent, isAtHome else { return }
        guard state.withLock({ $0.opened != nil && !$0.isStale && $0.ages.isDirty($0.lastCommitted) }) else { return }
        loadAges()
        let file = state.withLock { state -> AgeFile? in
            state.agesSavedAt = CoarseClock.now
            state.ages.didSave(state.lastCommitted)
            // Nothing was written, so that nobody can tell later what this would be about.
            guard state.ages.session != 0 else { return nil }
            return AgeFile(
                session: state.ages.session, sequence: state.lastCommitted, line: state.ages.line, confirmations: [])
        }
        guard var file else { return }
        file.confirmations = state.withLock { $0.ages.confirmations }.takeAll()
        let limit = index?.budget.bytes.map { $0 / AgeSaving.budgetPart } ?? .max
        if let bytes = file.encoded(limit: min(limit, AgeSaving.mostBytes)) {
            StoreDirectory.replace(AgeFile.name, with: bytes, in: directory)
        } else {
            StoreDirectory.remove(AgeFile.name, in: directory)
        }
    }

    /// Forgets what was saved: the store is about to be emptied, or was.
    func forgetSavedAges() {
        guard let directory = source.directory else { return }
        StoreDirectory.remove(AgeFile.name, in: directory)
        StoreDirectory.remove(StoreDirectory.upcoming(AgeFile.name), in: directory)
    }
}

/// When and how ages are saved.
enum AgeSaving {
    /// Nanoseconds between two savings while there are writes.
    static let interval: UInt64 = 10_000_000_000
    /// The part of a budget that what is saved may take, and as much again while it is being replaced.
    static let budgetPart = 256
    /// The most bytes that are saved.
    static let mostBytes = 4 << 20
}

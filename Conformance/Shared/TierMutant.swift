package import GroveModel
package import GroveShared
import Synchronization

/// A tier with one fault, which a rule must find.
package final class TierMutant: FarTier {
    /// The faults, each by its name in the catalogue.
    package enum Mutation: String, CaseIterable, Sendable {
        case twoSnapshots = "two-snapshots"
        case feedOutsideSnapshot = "feed-outside-snapshot"
        case silentFetch = "silent-fetch"
        case claimsLastNumber = "claims-last-number"
        case answersFromMemory = "answers-from-memory"
        case feedOfBefore = "feed-of-before"
        case numberTooLow = "number-too-low"
        case oneIdentity = "one-identity"
        case silentGap = "silent-gap"
        case lastCommitOnly = "last-commit-only"
        case guessesOutcome = "guesses-outcome"
        case failureIsAbsence = "failure-is-absence"
        case feedWithoutDeletions = "feed-without-deletions"
        case unknownIsFailure = "unknown-is-failure"
    }

    private let mutation: Mutation
    private let gated: any FarTier
    private let base: any FarTier
    private let last = Mutex<(word: FeedWord?, highest: FeedPosition?)>((nil, nil))

    /// Makes a mutant of `gated`, behind which `base` lies.
    package init(_ mutation: Mutation, _ gated: any FarTier, _ base: any FarTier) {
        (self.mutation, self.gated, self.base) = (mutation, gated, base)
    }

    package func fetch(
        _ identifiers: [ModelIdentifier], after position: FeedPosition?
    ) async throws(SharedError) -> FarSnapshot {
        let asked = mutation == .oneIdentity ? position.map(renamedBack) ?? nil : position
        var answer: FarSnapshot
        do throws(SharedError) {
            answer = try await gated.fetch(identifiers, after: asked)
        } catch {
            guard mutation == .failureIsAbsence, let word = last.withLock(\.word) else { throw error }
            return FarSnapshot(models: [:], word: FeedWord(position: word.position, changes: [:]))
        }
        switch mutation {
        case .twoSnapshots:
            try? await Task.sleep(for: .milliseconds(1))
            let second = try await base.fetch(identifiers, after: asked)
            answer = FarSnapshot(
                models: answer.models.mapValues { model in
                    guard let pair = model as? Pair, let later = second.models["Pair:\(pair.id)"] as? Pair else {
                        return model
                    }
                    return Pair(pair.id, pair.left, later.right)
                }, word: answer.word)
        case .feedOutsideSnapshot:
            answer = FarSnapshot(models: answer.models, word: try await base.feed(after: position))
        case .silentFetch where answer.word.changes != nil:
            answer = FarSnapshot(models: answer.models, word: FeedWord(position: answer.word.position, changes: [:]))
        default: break
        }
        return FarSnapshot(models: answer.models, word: try await changed(answer.word, position))
    }

    package func feed(after position: FeedPosition?) async throws(SharedError) -> FeedWord {
        if mutation == .feedOfBefore, let word = last.withLock({ last in last.word.take() }), word.position == position
        {
            return FeedWord(position: word.position, changes: [:])
        }
        do throws(SharedError) {
            let asked = mutation == .oneIdentity ? position.map(renamedBack) ?? nil : position
            let word = try await changed(try await gated.feed(after: asked), position)
            last.withLock { $0.word = word }
            return word
        } catch {
            guard mutation == .answersFromMemory, let word = last.withLock(\.word) else { throw error }
            return FeedWord(position: word.position, changes: [:])
        }
    }

    package func wait(atMost limit: Duration) async { await gated.wait(atMost: limit) }

    package func write(_ changes: [FarChange]) async throws(SharedError) -> FeedNumber {
        let number: FeedNumber
        do throws(SharedError) {
            number = try await gated.write(changes)
        } catch {
            guard mutation == .unknownIsFailure, error.code == .outcomeUnknown else { throw error }
            throw SharedError(.unreachable, error.message)
        }
        return mutation == .numberTooLow ? FeedNumber(number.rawValue - 1) : number
    }

    package func outcome(of ticket: WriteTicket) async throws(SharedError) -> FarOutcome {
        mutation == .guessesOutcome ? .notCommitted : try await gated.outcome(of: ticket)
    }

    private static let oneFeed = FeedIdentity("the feed")

    /// The position by the name that the tier itself has for its feed.
    private func renamedBack(_ position: FeedPosition) -> FeedPosition? {
        last.withLock(\.highest).map { FeedPosition(feed: $0.feed, number: position.number) }
    }

    private func changed(_ word: FeedWord, _ asked: FeedPosition?) async throws(SharedError) -> FeedWord {
        let highest = last.withLock { last -> FeedPosition in
            if let highest = last.highest, highest.feed == word.position.feed, highest.number > word.position.number {
                return highest
            }
            last.highest = word.position
            return word.position
        }
        switch mutation {
        case .claimsLastNumber: return FeedWord(position: highest, changes: word.changes)
        case .oneIdentity:
            return FeedWord(
                position: FeedPosition(feed: Self.oneFeed, number: word.position.number),
                changes: asked == nil ? nil : word.changes ?? [:])
        case .silentGap where asked?.feed == word.position.feed:
            return FeedWord(position: word.position, changes: word.changes ?? [:])
        case .lastCommitOnly:
            return FeedWord(
                position: word.position, changes: word.changes?.filter { $0.value == word.position.number })
        case .feedWithoutDeletions:
            guard let changes = word.changes else { return word }
            let found = try await base.fetch(Array(changes.keys), after: nil).models
            return FeedWord(position: word.position, changes: changes.filter { found[$0.key] != nil })
        default: return word
        }
    }
}

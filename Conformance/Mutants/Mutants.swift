public import GroveConformance

/// Everything that is broken on purpose, and the correct store of which each is one edit.
public enum Mutants {
    /// A correct store that shares no code with the backends: every rule must pass on it.
    public static var reference: any ConformanceBackend { StoreBackend(ReferenceHarness<NoFlaw>()) }

    /// All mutants.
    public static var all: [Mutant] {
        [
            .store(
                "shared-state", "All stores share one content.", NoFlaw.self,
                options: ReferenceOptions(sharedDisk: ReferenceDisk())),
            .store("keys-cut-at-511", "Keys are cut at 511 bytes.", CutsKeys.self),
            .store("text-keys", "Keys are compared as text, so that NFC equals NFD.", ComparesText.self),
            .store("nul-ends-key", "A NUL ends a key.", EndsKeysAtNUL.self),
            .store("neighbours-value", "A look-up returns the neighbour's value.", ReturnsNeighbour.self),
            .store("scan-out-of-order", "A scan visits keys in the wrong order.", ScansBackwards.self),
            .store("drops-last-write", "The last node of a batch is not stored.", DropsLastWrite.self),
            .store("silent-loss", "Some commits are reported and not made.", LosesCommits.self),
            .store("first-write-wins", "A value that is there is not replaced.", KeepsFirst.self),
            .store("empty-is-absent", "A value of no bytes is not kept.", DropsEmpty.self),
            .store("old-tail-survives", "A shorter value leaves the old one's tail.", LeavesTail.self),
            .store("remove-forgotten", "Removals are forgotten.", ForgetsRemovals.self),
            .store("abort-commits", "A transaction that throws commits.", CommitsAborted.self),
            .store("wipe-keeps-collections", "A wipe leaves collections.", WipesNodesOnly.self),
            .store("live-views", "A view shows later commits.", ReadsLive.self),
            .store("lags-one-commit", "A view shows the state before the last commit.", LagsBehind.self),
            .store("blind-transaction", "A transaction does not see its own writes.", WritesBlindly.self),
            .store("budget-forgotten", "Sixteen times the budget is taken to fit.", ForgetsBudget.self),
            .cache("counts-twice", "A node counts each time that it is written.", CountsTwice.self),
            .cache("delete-forgotten", "Deletions are forgotten.", ForgetsDeletions.self),
            .cache("delete-without-trace", "A deletion leaves no tombstone.", DeletesWithoutTrace.self),
            .cache("missing-is-deleted", "What was forgotten reads as deleted.", TakesMissingForDeleted.self),
            .cache("wipe-does-nothing", "A wipe does nothing.", WipesNothing.self),
            .cache("empty-collection-is-absent", "An empty collection reads as absent.", TakesEmptyForAbsent.self),
            .cache("drops-duplicates", "A collection keeps each element once.", DropsDuplicates.self),
            .cache("skips-silently", "A collection leaves missing elements out unasked.", SkipsSilently.self),
            .cache("completes-twice", "A completion is called twice.", CompletesTwice.self),
            .cache("forgets-completion", "A completion is not called on a miss.", ForgetsCompletion.self),
            .cache("swaps-writes", "Neighbouring writes change places.", SwapsWrites.self),
            .cache("swallows-failures", "A failed write is not reported.", SwallowsFailures.self),
            .cache("changes-nothing", "A change set is always empty.", ChangesNothing.self),
            .cache("gives-no-reason", "Every miss says that the root is absent.", GivesNoReason.self),
            .cache("remembers-answers", "The first answer to a read is given for ever.", RemembersAnswers.self),
            .cache("goes-back", "Every third read gives an answer from ten reads before.", GoesBack.self),
            .cache("stays-open", "A closed cache goes on.", StaysOpen.self),
        ]
    }
}

package import GroveConformance

/// The mutants, which are broken on purpose, and the correct stores and delegates from which they are made.
package enum Mutants {
    /// A correct store that shares no code with the backends: every rule must pass on it.
    package static var reference: any ConformanceBackend { StoreBackend(ReferenceHarness<NoFlaw>()) }

    /// A correct store that is persistent: every rule must pass on it too.
    ///
    /// - Parameter worker: the command of a process that checks it; see ``ConformanceWorker``.
    package static func log(_ worker: WorkerCommand? = nil) -> any ConformanceBackend {
        StoreBackend(LogHarness(), worker: worker)
    }

    /// A correct delegate that shares no code with `NormalizedCache`: every rule of its suite must pass on it.
    package static var delegate: any ConformanceBackend { DelegateBackend(ReferenceDelegateHarness()) }

    /// The mutant or the correct backend with that name, for a worker process; `nil` if there is none.
    ///
    /// - Parameter worker: the commands with which that process starts others; see ``all(worker:)``.
    package static func backend(
        _ name: String, worker: (String) -> WorkerCommand? = { _ in nil }
    ) -> (any ConformanceBackend)? {
        ([reference, log(worker("log")), delegate] + Odd.all + all(worker: worker).map(\.backend)).first {
            $0.name == name
        }
    }

    /// All mutants.
    ///
    /// - Parameter worker: a function from a mutant's name to the command of a process for the kit's jobs. The process
    ///   finds the mutant by ``backend(_:worker:)``. Without a command, rules that need a process are skipped.
    package static func all(worker: (String) -> WorkerCommand? = { _ in nil }) -> [Mutant] {
        memory.map { $0.with(worker($0.name)) } + logs(worker) + backends(worker)
    }

    private static func logs(_ worker: (String) -> WorkerCommand?) -> [Mutant] {
        func log(_ name: String, _ summary: String, _ flaw: LogFlaw) -> Mutant {
            .log(name, summary, flaw, worker(name))
        }
        return [
            log("acknowledges-early", "A commit is acknowledged before it is written.", .writesLate),
            log("splits-commits", "A commit is written in several parts.", .splitsCommits),
            log("splits-at-30", "A commit is written in parts of 30 changes.", .splitsAt(30)),
            log("splits-at-5000", "A commit is written in parts of 5,000 changes.", .splitsAt(5_000)),
            log("splits-at-20000", "A commit is written in parts of 20,000 changes.", .splitsAt(20_000)),
            log("hides-its-files", "The files of a store are said to have no bytes.", .hidesFiles),
            .log(
                "forgets-old-changes-on-disk", "A stream since a token begins now.", ForgetsOldChanges.self,
                worker("forgets-old-changes-on-disk")),
            log("trusts-frames", "What is read is taken without a checksum.", .trustsFrames),
            log("ignores-failed-writes", "A write that failed is taken for done.", .ignoresFailedWrites),
            log("ignores-failed-syncs", "An fsync that failed is taken for done.", .ignoresFailedSyncs),
            log("skips-syncs", "What must be durable is not synced.", .skipsSyncs),
            log("rewrites-in-place", "The file is rewritten where it lies.", .rewritesInPlace),
            log("rewrites-at-opening", "Opening writes the file again.", .rewritesAtOpening),
            log("wipe-renames", "A wipe leaves the old file under another name.", .wipeRenames),
            log("wipes-all-files", "A wipe removes a user's files.", .wipesAllFiles),
            log("leaks-descriptors", "Closing leaves a descriptor open.", .leaksDescriptors),
            log("takes-no-lock", "Two processes write one store.", .takesNoLock),
            log("keeps-lock", "Closing leaves the lock.", .keepsLock),
            log("locks-by-file", "A lock outlives its owner.", .locksByFile),
            log("starts-empty", "What was stored is not read at opening.", .startsEmpty),
            log("never-compacts", "What was replaced is never released.", .neverRewrites),
            .log("closes-nothing", "A closed handle goes on.", StaysOpen.self, worker("closes-nothing")),
            .log(
                "answers-in-children", "A read in a child made by fork is a miss.", AnswersInChildren.self,
                worker("answers-in-children")),
            .log(
                "marks-copies-first", "A copy is marked as a store before it is one.", MarksCopiesFirst.self,
                worker("marks-copies-first")),
            log("refuses-damage", "A damaged store is refused at each opening.", .refusesDamage),
            log("keeps-torn-tail", "What follows a torn write is unreadable.", .keepsTornTail),
        ]
    }

    private static func backends(_ worker: (String) -> WorkerCommand?) -> [Mutant] {
        func over<Broken: ForwardingCache>(
            _ backend: String, _ name: String, _ summary: String, _ broken: Broken.Type
        ) -> Mutant? {
            .backend(backend, name, summary, broken, worker(name))
        }
        return [
            over("leveldb", "counts-from-opening", "What is there at opening does not count.", CountsFromOpening.self),
            over(
                "sqlite", "tries-locks-on", "A call that failed for a lock is tried again and again.", TriesLocksOn.self
            ),
            over(
                "sqlite", "counts-its-own", "What others wrote since a handle's last write does not count.",
                CountsItsOwn.self),
            over("lmdb", "keeps-views", "A view that has ended is kept.", KeepsViews.self),
            over(
                "sqlite", "own-calls-win", "What this process set last is read, whatever others wrote since.",
                OwnCallsWin.self),
            over(
                "lmdb", "compares-numbers", "A stream tells no commit with a number that it has told.",
                ComparesNumbers.self),
            over(
                "sqlite", "answers-beat-others", "An answer is compared with what this process wrote.",
                AnswersBeatOthers.self),
            over(
                "sqlite", "answers-outlive-others", "An answer of before another process's wipe is stored.",
                AnswersOutliveWipes.self),
            over("lmdb", "edits-what-it-read", "An edit writes the list that it read.", EditsWhatItRead.self),
        ].compactMap(\.self)
    }

    private static var memory: [Mutant] {
        [
            .store(
                "shared-state", "Stores that are open at one time share one content.", NoFlaw.self,
                options: ReferenceOptions(share: ReferenceDiskShare())),
            .store("keys-cut-at-511", "Keys are cut at 511 bytes.", CutsKeys.self),
            .store("text-keys", "Keys are compared as text, so that NFC equals NFD.", ComparesText.self),
            .store("nul-ends-key", "A NUL ends a key.", EndsKeysAtNUL.self),
            .store(
                "neighbours-value", "Of keys that end in a slash and a byte, a look-up returns the neighbour's value.",
                ReturnsNeighbour.self),
            .store("scan-out-of-order", "A scan visits keys in the wrong order.", ScansBackwards.self),
            .store(
                "drops-last-write", "The last node of every 64th commit, and of large ones, is not stored.",
                DropsLastWrite.self),
            .store(
                "silent-loss", "Every 64th commit, and each of some hundred nodes, is reported and not made.",
                LosesCommits.self),
            .store("first-write-wins", "One node in sixteen is not replaced.", KeepsFirst.self),
            .store("loses-shapes", "Names that letters share are not stored.", LosesShapes.self),
            .store("confuses-shapes", "Names that letters share are those of others.", ConfusesShapes.self),
            .store("ignores-nothing", "What became nothing stays what it was.", IgnoresNothing.self),
            .store("empty-is-absent", "A value of no bytes is not kept.", DropsEmpty.self),
            .store("old-tail-survives", "A shorter value leaves the old one's tail.", LeavesTail.self),
            .store("remove-forgotten", "Removals are forgotten.", ForgetsRemovals.self),
            .store("abort-commits", "A transaction that throws commits.", CommitsAborted.self),
            .store("wipe-keeps-collections", "A wipe leaves collections.", WipesNodesOnly.self),
            .store("live-views", "A view shows later commits.", ReadsLive.self),
            .store(
                "lags-one-commit", "A commit shows with the next one if it came while a view was open.", LagsBehind.self
            ),
            .store("blind-transaction", "A transaction does not see its own writes.", WritesBlindly.self),
            .store("budget-forgotten", "Sixteen times the budget is taken to fit.", ForgetsBudget.self),
            .store("commits-every-30", "A transaction commits every 30 puts.", CommitsEvery30.self),
            .store("commits-every-5000", "A transaction commits every 5,000 puts.", CommitsEvery5000.self),
            .store("shows-commits-in-parts", "A large commit shows in parts.", ShowsCommitsInParts.self),
            .store("doubles-payload", "The payload is said to be twice what it is.", DoublesPayload.self),
            .store("halves-payload", "The payload is said to be half of what it is.", HalvesPayload.self),
            .cache("tells-twice", "A stream tells some commits twice.", TellsTwice.self),
            .cache("tells-out-of-order", "A stream tells some commits after later ones.", TellsOutOfOrder.self),
            .cache("loses-changes", "A stream leaves some commits out.", LosesChanges.self),
            .cache("tells-of-failures", "A stream tells of writes that failed.", TellsOfFailures.self),
            .log("forgets-old-changes", "A stream since a token begins now.", ForgetsOldChanges.self),
            .cache("passes-over-gaps", "A stream passes over what is not remembered.", PassesOverGaps.self),
            .cache("counts-no-misses", "Misses are not counted.", CountsNoMisses.self),
            .cache("counts-twice", "A node counts each time that it is written.", CountsTwice.self),
            .cache("counts-unchanged", "A transaction may name few nodes, changed or not.", CountsUnchanged.self),
            .cache("evicts-behind-a-view", "Each write beside a view costs others.", EvictsBehindViews.self),
            .cache("waits-behind-a-view", "Each write beside a view waits for long.", WaitsBehindViews.self),
            .cache("evicts-kept", "What is kept goes like everything else.", EvictsKept.self),
            .log("wipes-all-but-kept", "A wipe leaves what is kept.", WipesAllButKept.self),
            .cache("pins-nothing", "Retaining does nothing.", PinsNothing.self),
            .cache("never-releases", "What was retained is never released.", NeverReleases.self),
            .cache("pins-past-budget", "A pin for which there is no room is taken.", PinsPastBudget.self),
            .cache("pins-what-is-there", "What is written later is not held.", PinsWhatIsThere.self),
            .cache("forgets-count", "One release takes every pin of a name back.", ForgetsCount.self),
            .cache("ignores-ages", "A maximum age is passed over.", IgnoresAges.self),
            .cache("confirms-by-reading", "What is read counts as confirmed.", ConfirmsByReading.self),
            .cache("confirms-changes-only", "A rewrite of the same does not confirm.", ConfirmsChangesOnly.self),
            .cache("evicts-the-young", "What was written last is evicted first.", EvictsTheYoung.self),
            .cache("evicts-the-unconfirmed", "What was never confirmed goes first.", EvictsTheUnconfirmed.self),
            .cache("edits-by-index", "An edit is of what is at its index.", EditsByIndex.self),
            .cache("edits-the-seen-list", "An edit stores the list that its maker saw.", EditsTheSeenList.self),
            .cache("upserts-insert", "What is there already is put in once more.", UpsertsInsert.self),
            .cache("puts-back-what-left", "An element that is moved or kept is there again.", PutsBackWhatLeft.self),
            .cache("puts-back-what-is-updated", "An element that is updated is there again.", PutsBackUpdated.self),
            .cache("takes-gone-for-first", "A place beside what is not there is the first.", TakesGoneForFirst.self),
            .cache("pages-cut-lists", "The first page is the list.", PagesCutLists.self),
            .cache("pages-keep-all", "What was there follows the first page in any case.", PagesKeepAll.self),
            .cache("answers-set-lists", "A whole list swallows later edits.", AnswersSetLists.self),
            .cache("answers-win", "An answer is a call like any other.", AnswersWin.self),
            .cache("answers-give-up", "An answer that differs from what is there is not stored.", AnswersGiveUp.self),
            .cache("answers-outlive-wipes", "An answer from before a wipe is stored.", AnswersOutliveWipes.self),
            .cache(
                "answers-outlive-types", "An answer from before a type's deletion is stored.", AnswersOutliveTypes.self),
            .cache("lists-outlive-wipes", "A list of an answer from before a wipe is stored.", ListsOutliveWipes.self),
            .cache(
                "answers-outlive-handles", "A handle stores what was asked of the last.", AnswersOutliveHandles.self),
            .cache("confirms-edits", "An edit confirms.", ConfirmsEdits.self),
            .cache("confirms-when-it-comes", "An answer is as young as its write.", ConfirmsWhenItComes.self),
            .log("copies-a-part", "A copy ends in the middle.", CopiesPart.self),
            .log("confirms-at-opening", "What is found counts as confirmed.", ConfirmsAtOpening.self),
            .store("folds-case", "Keys are compared without regard to case.", FoldsCase.self),
            .store("merges-namespaces", "Aliases and collections share their names.", MergesNamespaces.self),
            .store("aliases-end-at-colon", "An alias ends at its first colon.", EndsAliasesAtColon.self),
            .store("loses-sign-of-zero", "The negative zero becomes the positive one.", LosesSignOfZero.self),
            .store("writes-long-numbers", "Equal values have different bytes.", WritesLongNumbers.self),
            .store("alters-look-alikes", "A text that looks like a reference is altered.", AltersLookAlikes.self),
            .store("gives-once", "A node held twice is found once.", GivesOnce.self),
            .store("keeps-copies", "Some nodes are stored a second time.", KeepsCopies.self),
            .store("stalls-readers", "Readers wait for a commit.", StallsReaders.self),
            .store("delete-forgotten", "One deletion in two is forgotten.", ForgetsDeletions.self),
            .cache("delete-without-trace", "A deletion leaves no tombstone.", DeletesWithoutTrace.self),
            .cache("missing-is-deleted", "What was forgotten reads as deleted.", TakesMissingForDeleted.self),
            .cache("wipe-does-nothing", "A wipe does nothing.", WipesNothing.self),
            .cache("empty-collection-is-absent", "An empty collection reads as absent.", TakesEmptyForAbsent.self),
            .cache("transaction-in-pieces", "Each call of a transaction is a commit.", CommitsInPieces.self),
            .cache("transaction-runs-twice", "A transaction's body runs twice.", RunsTwice.self),
            .cache("view-of-many-moments", "Each read of a view is of its own moment.", ReadsManyMoments.self),
            .cache("lists-all-but-one", "All models of a type are all but the last.", ListsAllButOne.self),
            .cache("forgets-its-transaction", "A commit evicts what it wrote.", ForgetsItsTransaction.self),
            .cache("drops-duplicates", "A collection keeps each element once.", DropsDuplicates.self),
            .cache("skips-silently", "A collection leaves missing elements out unasked.", SkipsSilently.self),
            .cache("completes-twice", "A completion is called twice.", CompletesTwice.self),
            .cache("forgets-completion", "A completion is not called on a miss.", ForgetsCompletion.self),
            .cache("swaps-writes", "Neighbouring writes change places.", SwapsWrites.self),
            .cache("swallows-failures", "A failed write is not reported.", SwallowsFailures.self),
            .cache("changes-nothing", "A change set is always empty.", ChangesNothing.self),
            .cache("gives-no-reason", "What is there in another form is said to be absent.", GivesNoReason.self),
            .cache("remembers-answers", "The first answer to a read is given for ever.", RemembersAnswers.self),
            .cache("goes-back", "Every third read gives an answer from ten reads before.", GoesBack.self),
            .cache(
                "shows-queued-again", "What setModel brought shows over what was written later.", ShowsQueuedAgain.self),
            .cache("stays-open", "A closed cache goes on.", StaysOpen.self),
            .cache("closes-in-passing", "Closing waits for nothing.", ClosesInPassing.self),
            .cache("forgets-projections", "A write drops other projections' fields.", ForgetsOtherProjections.self),
            .cache("never-undeletes", "What was deleted cannot be written again.", NeverUndeletes.self),
            .cache("restores-by-writing", "A deletion is undone by a write.", RestoresByWriting.self),
            .cache("updates-in-two-steps", "An update is a read and a write.", UpdatesInTwoSteps.self),
            .cache("updates-nothing", "An update of what is missing does nothing.", UpdatesNothing.self),
            .cache("deletes-children", "Deleting a tree deletes its children.", DeletesChildren.self),
            .cache("hides-deleted", "An evicted tombstone brings old data back.", HidesDeleted.self),
            .cache("forgets-replaced", "A replaced collection's elements are forgotten.", ForgetsReplaced.self),
            .cache("copies-collections", "A collection does not follow its elements.", CopiesCollections.self),
            .cache("inserts-behind", "What is inserted goes one position too far.", InsertsBehind.self),
            .cache("appends-in-front", "What is appended goes before the last.", AppendsInFront.self),
            .cache("replaces-one-less", "Of what is replaced the last stays.", ReplacesOneLess.self),
            .cache("removes-one-less", "Of what is removed the last stays.", RemovesOneLess.self),
            .cache("moves-one-short", "What is moved forward stops one position short.", MovesOneShort.self),
            .cache("counts-what-shows", "A count leaves deleted elements out.", CountsWhatShows.self),
            .cache("keeps-listed", "A deletion takes nothing out of collections.", KeepsListed.self),
            .cache("deletes-all-but-one", "Of a type the last model stays.", DeletesAllButOne.self),
            .cache("pages-of-what-shows", "Deleting an element moves others.", PagesOfWhatShows.self),
            .cache("rewrites-lists", "An edit sets the whole list.", RewritesLists.self),
            .cache("clamps-positions", "A position behind the list is taken for its end.", ClampsPositions.self),
            .cache("ends-at-empty-pages", "A page that shows nothing is the last.", EndsAtEmptyPages.self),
            .cache("hides-gaps", "A page does not say what of it is not there.", HidesGaps.self),
            .cache("denies-lists-with-gaps", "A list with a gap has no known count.", DeniesListsWithGaps.self),
            .cache("skips-lost-parts", "What is left of a list reads as the list.", SkipsLostParts.self),
            .cache("writes-again", "A write overtaken by a deletion is repeated.", WritesAgain.self),
            .cache("cancels-too-late", "A cancelled write was made.", CancelsTooLate.self),
            .cache("accepts-empty-keys", "An empty key is passed over in silence.", AcceptsEmptyKeys.self),
            .cache("changes-everything", "What did not change is said to have.", ChangesEverything.self),
            .cache("refuses-cycles", "A write that closes a ring is refused.", RefusesCycles.self),
            .cache("first-occurrence", "Of an identifier twice in a tree the first wins.", KeepsFirstOccurrence.self),
            .cache("takes-one-type", "A record is found by the type that wrote it alone.", TakesOneType.self),
            .cache("writes-on-hits", "A hit writes.", WritesOnHits.self),
            .cache("absence-is-an-error", "What is absent is an error.", TakesAbsenceForError.self),
            .cache("errors-are-misses", "A failed read is a miss.", TakesErrorsForMisses.self),
            .cache("is-spoiled", "One drifted node spoils every read.", IsSpoiled.self),
            .cache("completes-under-lock", "Completions are called under a lock.", CompletesUnderLock.self),
        ]
    }
}

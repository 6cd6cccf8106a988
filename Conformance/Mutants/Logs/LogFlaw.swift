/// One thing that a ``LogStore`` does wrong.
enum LogFlaw: Sendable, Equatable {
    /// A commit reaches the file with the next one, or when the store is closed.
    case writesLate
    /// Each entry of a commit is a frame of its own.
    case splitsCommits
    /// A commit of more changes than so many is several frames.
    case splitsAt(Int)
    /// The files count nothing.
    case hidesFiles
    /// Frames are taken without looking at their checksums.
    case trustsFrames
    /// A write that failed is taken for done.
    case ignoresFailedWrites
    /// A synchronization that failed is taken for done.
    case ignoresFailedSyncs
    /// A synchronization does nothing.
    case skipsSyncs
    /// The log is rewritten where it lies, and at every opening.
    case rewritesInPlace
    /// The log is rewritten at every opening.
    case rewritesAtOpening
    /// A wipe renames the log.
    case wipeRenames
    /// A wipe removes all that is in the directory.
    case wipesAllFiles
    /// Closing leaves the log open.
    case leaksDescriptors
    /// No lock is taken.
    case takesNoLock
    /// Closing leaves the lock.
    case keepsLock
    /// The lock is a file that the owner removes.
    case locksByFile
    /// What is in the log is not read.
    case startsEmpty
    /// The log is never rewritten.
    case neverRewrites
    /// A log that does not end with a whole frame is refused.
    case refusesDamage
    /// The end of a log that holds no whole frame stays where it is.
    case keepsTornTail
}

/// How a ``LogStore`` is opened.
struct LogOptions: Sendable, Equatable {
    var flaw: LogFlaw?
}

/// The number of commits that all processes have made since the file of the generation was made.
///
/// The generation's file gives it. It says only whether another process has committed since; it orders nothing, and it
/// is not the store's ``CommitNumber``.
struct CommitCount: Equatable, Sendable {
    let rawValue: UInt64

    static var zero: CommitCount { CommitCount(rawValue: 0) }

    /// The count after another commit.
    var next: CommitCount { CommitCount(rawValue: rawValue &+ 1) }
}

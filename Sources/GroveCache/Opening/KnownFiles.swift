import GroveModel

/// The store's files as they were when this process opened the store last.
struct KnownFiles: Sendable {
    /// The generation's word; `nil` if no other process may have them open.
    var word: StoreGeneration.Word?
    /// The main file; `nil` in memory, or if it was gone.
    var identity: FileIdentity?
    /// Whether the engine has found damage, and the store was opened by a fresh handle since.
    var isSuspect = false
}

/// A rule that is not checked any more; its identifier is never used again.
struct RetiredRule {
    let id: String
    /// What it asked for.
    let text: String
    /// Why it went.
    let reason: String

    static let all = [
        RetiredRule(
            id: "EVC-15", text: "A kill at any moment loses no node that a persistent pin holds.",
            reason: "A pin lives as long as its handle; an application retains again when it starts."),
        RetiredRule(
            id: "EVC-16", text: "What one process pins across reopening no other process evicts.",
            reason: "A pin lives as long as its handle, and holds against what its own process evicts."),
        RetiredRule(
            id: "STO-07", text: "A put may borrow the bytes that the same transaction's look-up returned.",
            reason: "The cache puts only bytes of its own, so that no backend has to copy them first."),
    ]
}

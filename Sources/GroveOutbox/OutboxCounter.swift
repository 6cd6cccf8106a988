import GroveModel

/// The numbers of mutations submitted to a store, and of changes and removals of their records, by all processes.
///
/// A process that finds another count than it left has missed changes by another process.
struct OutboxCounter: Sendable, Equatable {
    /// The number of the last mutation that was stored.
    var submitted = 0
    /// The number of times that a record was changed or removed.
    var changes = 0

    static let name = "outbox.n"
    /// The count of a process that does not know the stored one.
    static let unknown = OutboxCounter(submitted: -1, changes: 0)

    init(submitted: Int, changes: Int) { (self.submitted, self.changes) = (submitted, changes) }

    /// The count that is kept as `bytes`; zero if nothing is.
    init(_ bytes: [UInt8]?) {
        let numbers = String(decoding: bytes ?? [], as: UTF8.self).split(separator: " ").map { Int($0) ?? 0 }
        submitted = numbers.first ?? 0
        changes = numbers.count > 1 ? numbers[1] : 0
    }

    func encoded() -> [UInt8] { Array("\(submitted) \(changes)".utf8) }
}

/// One opening of a store by one process.
///
/// The cache draws it at random as it opens the store. It orders nothing: it says in which queue a ``QueuePlace`` of the
/// store's own record is.
struct SessionID: Hashable, Sendable {
    let rawValue: UInt64

    init(rawValue: UInt64) { self.rawValue = rawValue }

    /// The session of a store in which nothing was written.
    static var none: SessionID { SessionID(rawValue: 0) }

    static func random() -> SessionID { SessionID(rawValue: .random(in: 1 ... .max)) }
}

/// One opening of a store by one process.
///
/// The cache draws it at random as it opens the store. It orders nothing: it says in which queue a ``QueuePlace`` of
/// the store's own record is.
package struct SessionID: Hashable, Sendable {
    package let rawValue: UInt64

    package init(rawValue: UInt64) { self.rawValue = rawValue }

    /// The session of a store in which nothing was written.
    package static var none: SessionID { SessionID(rawValue: 0) }

    package static func random() -> SessionID { SessionID(rawValue: .random(in: 1 ... .max)) }
}

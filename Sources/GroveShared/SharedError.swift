public import GroveModel

/// The error of a read or a write of a ``NearCache`` or a ``FarTier``.
public struct SharedError: Error, Sendable, CustomStringConvertible {
    /// The kind of failure.
    public let code: Code
    /// A description of the failure, for a person who reads a log.
    public let message: String
    /// The write whose outcome is unknown, for ``FarTier/outcome(of:)``; `nil` with other codes.
    ///
    /// It is `nil` with the code `outcomeUnknown` too if the time limit of the near cache passed before the tier had
    /// answered.
    public let ticket: WriteTicket?
    /// The error of this machine's store, if the code is `store`.
    public let cause: CacheError?

    /// Makes an error.
    public init(_ code: Code, _ message: String, ticket: WriteTicket? = nil, cause: CacheError? = nil) {
        self.code = code
        self.message = message
        self.ticket = ticket
        self.cause = cause
    }

    /// The code and the message.
    public var description: String { "\(code.description): \(message)" }

    /// The kind of a failure; later versions may have more codes.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name.
        public let description: String

        /// Makes a code.
        public init(_ description: String) { self.description = description }

        /// The server does not have a commit that was seen before, or that was asked for: it is a lagging replica, or
        /// another server.
        public static let behind = Code("behind")
        /// The database has not answered for longer than the read allows, and cannot be asked now.
        public static let notHeard = Code("notHeard")
        /// The database cannot be reached, or the connection was lost.
        public static let unreachable = Code("unreachable")
        /// The database, or a limit of this process, refuses the call: too many clients, no permission, wrong SQL.
        public static let refused = Code("refused")
        /// The call was not answered within its time limit.
        public static let timedOut = Code("timedOut")
        /// The write may have been committed: the connection was lost in the commit, or the time limit passed.
        ///
        /// ``FarTier/outcome(of:)`` finds out.
        public static let outcomeUnknown = Code("outcomeUnknown")
        /// The model of the identifier has another type than the caller asked for.
        public static let otherType = Code("otherType")
        /// The store of this machine failed; see ``SharedError/cause``.
        public static let store = Code("store")
    }

    static func store(_ error: any Error) -> SharedError {
        if let error = error as? SharedError { return error }
        let cause = error as? CacheError
        return SharedError(.store, cause?.message ?? "\(error)", cause: cause)
    }
}

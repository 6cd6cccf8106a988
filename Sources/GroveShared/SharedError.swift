public import GroveModel

/// Why a read or a write of a ``NearCache`` or a ``FarTier`` failed.
public struct SharedError: Error, Sendable, CustomStringConvertible {
    /// What happened.
    public let code: Code
    /// What happened, for people.
    public let message: String
    /// The write that it concerns, if the code is `outcomeUnknown`.
    public let ticket: WriteTicket?
    /// What the store of this machine said, if the code is `store`.
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

    /// What kind of failure it is; there may be more codes in later versions.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name.
        public let description: String

        /// Makes a code.
        public init(_ description: String) { self.description = description }

        /// The server has not got a commit that was seen before, or that was asked for: it is a replica that lags, or another server.
        public static let behind = Code("behind")
        /// Nothing was heard of the database for longer than the read allows, and it cannot be asked now.
        public static let notHeard = Code("notHeard")
        /// The database cannot be reached, or the connection was lost.
        public static let unreachable = Code("unreachable")
        /// The database, or a limit of this process, refuses the call: too many clients, no permission, wrong SQL.
        public static let refused = Code("refused")
        /// The call was not answered within its time limit.
        public static let timedOut = Code("timedOut")
        /// The connection was lost while the write was committed: it may have been, see ``FarTier/outcome(of:)``.
        public static let outcomeUnknown = Code("outcomeUnknown")
        /// The model of the identifier is of another type than was asked for.
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

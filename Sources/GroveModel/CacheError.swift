/// The error of a call that a cache could not carry out, or refused.
///
/// A missing model is never an error: it is a ``CacheMiss``. Match on ``code``, and keep a default: new codes may be
/// added.
public struct CacheError: Error, Sendable {
    /// The kind of failure.
    public var code: Code { storage.code }

    /// The model or collection concerned, if there is one.
    public var identifier: ModelIdentifier? { storage.identifier }

    /// The type that could not be written, and its field if that is known: `Message.attachment`.
    public var field: String? { storage.field }

    /// One sentence for the reader of a log: the failure and, if there is one, the remedy.
    public var message: String { storage.message }

    /// The engine's own error number (an LMDB, SQLite or `errno` code), for diagnosis.
    public var engineCode: Int? { storage.engineCode }

    /// The missing node, and the reason; only in an error with code `missing`.
    public var miss: CacheMiss? { storage.miss }

    private let storage: Storage

    /// Makes an error; `message` is one sentence.
    public init(
        _ code: Code, _ message: String, identifier: ModelIdentifier? = nil, field: String? = nil,
        engineCode: Int? = nil
    ) {
        storage = Storage(code: code, message: message, identifier: identifier, field: field, engineCode: engineCode)
    }

    /// Makes an error with code `missing`, for a call that needs a model whose read was `miss`.
    package init(_ miss: CacheMiss) {
        storage = Storage(
            code: .missing, message: "The model is not there to be changed: \(miss.reason).",
            identifier: miss.identifier,
            field: nil, engineCode: nil, miss: miss)
    }

    /// This error with `identifier`, or this error unchanged if it has an identifier already.
    package func concerning(_ identifier: ModelIdentifier) -> CacheError {
        guard self.identifier == nil else { return self }
        return CacheError(code, message, identifier: identifier, field: field, engineCode: engineCode)
    }

    /// The same error, said of `field`; one that already names a field stays as it is.
    package func concerning(field: String) -> CacheError {
        guard self.field == nil, miss == nil else { return self }
        return CacheError(code, message, identifier: identifier, field: field, engineCode: engineCode)
    }

    private final class Storage: Sendable {
        let code: Code
        let message: String
        let identifier: ModelIdentifier?
        let field: String?
        let engineCode: Int?
        let miss: CacheMiss?

        init(
            code: Code, message: String, identifier: ModelIdentifier?, field: String?, engineCode: Int?,
            miss: CacheMiss? = nil
        ) {
            self.miss = miss
            self.code = code
            self.message = message
            self.identifier = identifier
            self.field = field
            self.engineCode = engineCode
        }
    }
}

extension CacheError {
    /// The kind of a failure: an extensible list of names.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The name of the kind, as it is printed.
        public let description: String

        /// Makes a kind of failure that Grove does not know, for backends outside Grove.
        public init(_ description: String) { self.description = description }

        /// The cache was closed.
        public static let closed = Code("closed")
        /// The cache is suspended; `resume()` brings it back.
        public static let suspended = Code("suspended")
        /// The call came from a model's initialiser while the same cache was reading it.
        public static let reentrant = Code("reentrant")
        /// Another process holds the store; or another cache in this process does, because its directory was moved or
        /// created again.
        public static let locked = Code("locked")
        /// The store is open in this process with other options.
        public static let optionsConflict = Code("optionsConflict")
        /// The bytes of a stored record are not the bytes that were written.
        public static let corrupted = Code("corrupted")
        /// The store or record was written by a later format version; it is left as it is.
        public static let unsupportedFormat = Code("unsupportedFormat")
        /// The directory holds something other than this backend's store.
        public static let notAStore = Code("notAStore")
        /// There is no room: the disk, the map or the quota is full.
        public static let full = Code("full")
        /// The queue of writes is full: the call is dropped, and reading the keys that it names is a miss.
        public static let queueFull = Code("queueFull")
        /// The write, or the pin, would exceed the budget.
        public static let overBudget = Code("overBudget")
        /// The value is larger than the store can hold.
        public static let tooLarge = Code("tooLarge")
        /// The operating system refused to read or write.
        public static let inputOutput = Code("inputOutput")
        /// The operating system denied access.
        public static let permissionDenied = Code("permissionDenied")
        /// The model, or the root of a tree, has no identifier.
        public static let unidentified = Code("unidentified")
        /// The identifier or key is empty.
        public static let emptyIdentifier = Code("emptyIdentifier")
        /// The model's type has no coding that the cache can use.
        public static let notCacheable = Code("notCacheable")
        /// The value cannot be represented in a record.
        public static let unencodable = Code("unencodable")
        /// A stored node contains itself, directly or through others.
        public static let cycle = Code("cycle")
        /// The tree is deeper than the cache's limit.
        public static let tooDeep = Code("tooDeep")
        /// The tree has more than a million paths.
        public static let tooManyPaths = Code("tooManyPaths")
        /// The collection has no such position, does not exist, or does not have the part that the call needs.
        public static let outOfRange = Code("outOfRange")
        /// A model that the call needs is missing; ``CacheError/miss`` has the reason.
        public static let missing = Code("missing")
        /// The call was cancelled before it took effect.
        public static let cancelled = Code("cancelled")
        /// The call is not supported by this backend.
        public static let unsupported = Code("unsupported")
        /// A failure of no other kind.
        public static let other = Code("other")
    }
}

extension CacheError: CustomStringConvertible {
    /// The text for a person who reads a log.
    public var description: String {
        var text = "\(code): \(message)"
        if let field { text += " [\(field)]" }
        if let identifier { text += " [\(identifier.rawValue.debugDescription)]" }
        if let engineCode { text += " (engine code \(engineCode))" }
        return text
    }
}

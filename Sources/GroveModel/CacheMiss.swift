/// The reason for a miss, and the node that is missing.
///
/// A miss is an ordinary answer: the cache does not have the tree, or no longer has all of it. ``identifier`` names the
/// missing node, which may lie deep below the model that was asked for.
public struct CacheMiss: Error, Hashable, Sendable {
    /// Why the node is missing.
    public let reason: Reason

    /// The missing node.
    public let identifier: ModelIdentifier

    /// Makes a miss of `identifier` because of `reason`.
    public init(_ reason: Reason, _ identifier: ModelIdentifier) {
        self.reason = reason
        self.identifier = identifier
    }

    /// The reasons for a miss; an extensible list of names.
    public struct Reason: Hashable, Sendable, CustomStringConvertible {
        /// The reason's name, as it is printed.
        public let description: String

        /// Makes a reason that Grove does not know, for caches outside Grove.
        public init(_ description: String) { self.description = description }

        /// Never stored, or evicted, or wiped.
        public static let absent = Reason("absent")
        /// Deleted, and not written since.
        public static let deleted = Reason("deleted")
        /// Written, but without a field that the reading type needs.
        public static let incomplete = Reason("incomplete")
        /// Stored with a shape that the reading type cannot decode.
        public static let otherShape = Reason("otherShape")
        /// Stored under another record name.
        public static let otherType = Reason("otherType")
        /// Stored bytes failed their checksum.
        public static let corrupted = Reason("corrupted")
        /// Written by a later format version.
        public static let unsupportedFormat = Reason("unsupportedFormat")
        /// A part of the list was evicted, lost or never fetched; the identifier is the list's key.
        public static let gap = Reason("gap")
        /// Last confirmed longer ago than the read accepts.
        public static let expired = Reason("expired")
        /// Invalidated by a write that the cache could not keep.
        public static let invalidated = Reason("invalidated")
    }
}

extension CacheMiss: CustomStringConvertible {
    /// The text for a person who reads a log.
    public var description: String { "\(reason): \(identifier.rawValue.debugDescription)" }
}

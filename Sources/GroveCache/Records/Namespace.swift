import GroveCoding

/// The first byte of a store's key: the kind of the record under it.
///
/// The kinds are namespaces: a model, a collection and an alias of one name never meet.
package enum Namespace {
    /// The store's own state, under an empty name.
    static let meta: UInt8 = 0x00
    /// A node, or the tombstone of a deleted one.
    static let node = NodeTree.keyPrefix
    /// A collection: all of a short one, the head of a long one.
    static let collection: UInt8 = 0x02
    /// A cache key that is not the model's identifier.
    static let alias: UInt8 = 0x03
    /// A record that is kept whatever the budget, as it must not be lost: a message that an outbox has yet to send.
    package static let kept: UInt8 = 0x05
    /// A shape, which records share, under its hash.
    static let shape: UInt8 = 0x06
    /// A chunk of a long collection, under the list's number and its own.
    static let chunk: UInt8 = 0x07
    /// An entry of the history of commits, under its place in the ring.
    static let history: UInt8 = 0x08
    /// The cache key of a long collection, under the list's number.
    static let listName: UInt8 = 0x09

    /// Whether a budget may evict the record under `key`: not the store's own records, nor the kept ones.
    @inline(__always)
    static func isEvictable(_ key: UnsafeRawBufferPointer) -> Bool {
        unsafe key[0] >= node && key[0] <= alias || key[0] == chunk
    }
}

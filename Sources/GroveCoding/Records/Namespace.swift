/// The first byte of a store's key: the kind of the record under it.
///
/// The kinds are namespaces: a model, a collection and an alias of one name never meet.
@usableFromInline
package enum Namespace {
    /// The store's own state, under an empty name.
    @inlinable package static var meta: UInt8 { 0x00 }
    /// A node, or the tombstone of a deleted one.
    @inlinable package static var node: UInt8 { 0x01 }
    /// A collection: all of a short one, the head of a long one.
    @inlinable package static var collection: UInt8 { 0x02 }
    /// A cache key that is not the model's identifier.
    @inlinable package static var alias: UInt8 { 0x03 }
    /// A record that is kept whatever the budget, as it must not be lost: a message that an outbox has yet to send.
    @inlinable package static var kept: UInt8 { 0x05 }
    /// A shape, which records share, under its hash.
    @inlinable package static var shape: UInt8 { 0x06 }
    /// A chunk of a long collection, under the list's number and its own.
    @inlinable package static var chunk: UInt8 { 0x07 }
    /// An entry of the history of commits, under its place in the ring.
    @inlinable package static var history: UInt8 { 0x08 }
    /// The cache key of a long collection, under the list's number.
    @inlinable package static var listName: UInt8 { 0x09 }

    /// Whether a budget may evict the record under `key`: not the store's own records, nor the kept ones.
    @inlinable @inline(__always)
    package static func isEvictable(_ key: UnsafeRawBufferPointer) -> Bool {
        unsafe key[0] >= node && key[0] <= alias || key[0] == chunk
    }

    /// The kind and the name of the record under `key`, for messages.
    package static func text(ofKey key: [UInt8]) -> String {
        func named(_ kind: String) -> String { "\(kind) \(String(decoding: key.dropFirst(), as: UTF8.self))" }
        func numbered(_ kind: String) -> String { "\(kind) \(digits(key.dropFirst()))" }
        return switch key.first {
        case node: named("node")
        case collection: named("collection")
        case alias: named("alias")
        case kept: named("kept")
        case chunk: numbered("chunk")
        case shape: numbered("shape")
        case history: numbered("history")
        case listName: numbered("name of list")
        case meta where key.count == 1: "the store's own record"
        default: "key \(digits(key))"
        }
    }

    /// `bytes` in hexadecimal digits.
    package static func digits(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
}

public import GroveModel

/// A transaction that can look at what is stored in the store's own order, from any place on.
///
/// **For authors of backends only.** A cache that has a budget looks for what may go: at some records here, at some there, never at all of
/// them. The order is whatever costs the store least; it need not be that of the keys.
public protocol SweepableTransaction: NodeTransaction {
    /// Visits at most `limit` records, those that come after `cursor` in the store's own order, or the first ones.
    ///
    /// A caller that sweeps from the cursor of its last call, and from the beginning after `nil`, visits every record
    /// that was there all the time. A record that this transaction wrote is passed over or shown as it is now; one that
    /// it removed is passed over. A cursor stays valid if its record is removed, in later transactions, and in other
    /// processes. A cursor that this store never returned shows some records or none.
    ///
    /// - Parameter visit: gets a key and its value, which are valid during its call, and must not call this transaction; ends the sweep by
    ///   returning false.
    /// - Returns: the place of the record that was visited last; `nil` at the end of the order.
    /// - Complexity: one search and a step for each record.
    /// - Throws: ``CacheError`` with code `corrupted`, `inputOutput` or `closed`, and what `visit` throws.
    func sweep(
        from cursor: SweepCursor?, limit: Int,
        _ visit: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws(CacheError) -> Bool
    ) throws(CacheError) -> SweepCursor?

    /// The place in the store's own order of `key`, which is stored, or a place near it.
    func sweepCursor(at key: UnsafeRawBufferPointer) throws(CacheError) -> SweepCursor
}

/// A place in a store's own order, which the store alone understands.
public struct SweepCursor: Sendable, Equatable {
    /// What the store wants to remember.
    public let bytes: [UInt8]

    /// Makes a cursor.
    public init(_ bytes: [UInt8]) { self.bytes = bytes }
}

public import GroveModel

/// A transaction that can visit the stored records in the store's own order, beginning at any place.
///
/// **For authors of backends only.** A cache with a budget looks for records to evict: at some here and some there,
/// never at all of them. The order is the one that costs the store least; it need not be that of the keys.
public protocol SweepableTransaction: NodeTransaction {
    /// Visits at most `limit` records: those after `cursor` in the store's own order, or the first ones if it is `nil`.
    ///
    /// A caller that sweeps from the cursor of its last call, and from the beginning after `nil`, visits every record
    /// that was there all the time. A record that this transaction wrote is passed over or shown as it is now; one that
    /// it removed is passed over. A cursor stays valid if its record is removed, in later transactions, and in other
    /// processes. A cursor that this store never returned shows some records or none.
    ///
    /// - Parameter visit: called with a key and its value, which are valid during the call. It must not call this
    ///   transaction. It ends the sweep by returning false.
    /// - Returns: the place of the record that was visited last; `nil` at the end of the order.
    /// - Complexity: one search, and one step for each record.
    /// - Throws: ``CacheError`` with code `corrupted`, `inputOutput` or `closed`, and the error of `visit`.
    func sweep(
        from cursor: SweepCursor?, limit: Int,
        _ visit: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws(CacheError) -> Bool
    ) throws(CacheError) -> SweepCursor?

    /// The place of `key`, which is stored, in the store's own order, or a place near it.
    func sweepCursor(at key: UnsafeRawBufferPointer) throws(CacheError) -> SweepCursor
}

/// A place in a store's own order, which the store alone understands.
public struct SweepCursor: Sendable, Hashable {
    /// The bytes by which the store finds the place again.
    public let bytes: [UInt8]

    /// Makes a cursor of these bytes.
    public init(_ bytes: [UInt8]) { self.bytes = bytes }
}

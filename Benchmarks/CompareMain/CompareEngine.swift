import GroveCompare

/// An engine without Grove, beside which a comparison measures what Grove costs.
///
/// Its calls are made by one thread that reads and one that writes. Use the flags and the durability with which your
/// store opens the engine.
public protocol CompareEngine: AnyObject, Sendable {
    /// Stores records in one transaction, which is committed when the call returns.
    ///
    /// - Throws: what the engine says; the run ends with it.
    func put(_ records: [(key: [UInt8], value: [UInt8])]) throws

    /// Gets the values of keys, all of them in one view.
    ///
    /// - Returns: how many bytes the values have together; the run is void if that is not what was stored.
    /// - Throws: what the engine says; the run ends with it.
    func get(_ keys: [[UInt8]]) throws -> Int
}

extension BareEngine {
    init(_ engine: any CompareEngine) {
        self.init(put: { try engine.put($0) }, get: { try engine.get($0) })
    }
}

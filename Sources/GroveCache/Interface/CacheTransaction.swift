import GroveCoding
public import GroveModel

/// Several reads and writes as one commit, all or nothing; see ``Cache/write(durability:_:)``.
///
/// The reads of a transaction see its writes. It is valid inside the closure that it is passed to; the compiler does
/// not let it be stored.
public struct CacheTransaction: ~Copyable, CacheReader, CacheWriter {
    let scope: TransactionScope

    /// Begins the read of one tree.
    public func _beginTree(_ identifier: ModelIdentifier, maxAge: Double?) throws(CacheError) -> _TreeRead {
        if let failure = scope.failure { throw failure }
        try identifier.check()
        return _TreeRead(scope.core, scope.reader, identifier, maxAge)
    }

    /// Ends the read of one tree.
    public func _endTree(_ read: borrowing _TreeRead, _ identifier: ModelIdentifier, _ outcome: _TreeOutcome) {
        scope.core.endTree(scope.reader, identifier, outcome)
    }

    /// Performs one call that writes.
    public func _perform(
        _ durability: Durability, _ content: () throws(CacheError) -> _WriteContent
    ) throws(CacheError) -> ChangeSet {
        try scope.perform(durability, try content().content)
    }
}

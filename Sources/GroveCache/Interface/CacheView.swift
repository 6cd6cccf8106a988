import GroveCoding
public import GroveModel

/// One consistent view of a cache, for several reads: see ``Cache/read(_:)``.
///
/// A view shows the writes that were committed or queued when it was opened, and nothing later. It is valid inside the
/// closure that it is passed to; the compiler does not let it be stored.
public struct CacheView: ~Copyable, CacheSnapshot {
    /// Reads in the snapshot.
    public let _source: _SnapshotSource
    /// Whether its reads count as hits and misses.
    var isCounted = true

    /// Begins the read of one tree.
    public func _beginTree(_ identifier: ModelIdentifier, maxAge: Double?) throws(CacheError) -> _TreeRead {
        try identifier.check()
        return _TreeRead(_source.core, _source.reader, identifier, maxAge)
    }

    /// Ends the read of one tree.
    public func _endTree(_ read: borrowing _TreeRead, _ identifier: ModelIdentifier, _ outcome: _TreeOutcome) {
        _source.core.endTree(_source.reader, identifier, outcome, isCounted: isCounted)
    }
}

extension _TreeRead {
    /// Begins another tree of a read that goes on.
    init(_ core: CacheCore, _ reader: Reconstructor, _ identifier: ModelIdentifier, _ maxAge: Double?) {
        core.limitAges(of: reader, to: maxAge)
        self.init(reader: reader, decoder: reader.decoder(ofReferenceTo: identifier))
    }
}

extension CacheCore {
    /// Ends one tree of a read that goes on; a failure is told even if the read does not count.
    func endTree(
        _ reader: Reconstructor, _ identifier: ModelIdentifier, _ outcome: _TreeOutcome, isCounted: Bool = true
    ) {
        reader.endTree()
        switch outcome {
        case .failure(let error): noteFailure(ofRead: error, in: reader.store)
        case .hit where isCounted:
            readers.count(miss: nil)
            audience.tellHit(identifier)
        case .miss(let miss) where isCounted:
            readers.count(miss: miss.reason)
            audience.tell { $0.cacheDidMiss(miss) }
        case .again, .hit, .miss: break
        }
    }
}

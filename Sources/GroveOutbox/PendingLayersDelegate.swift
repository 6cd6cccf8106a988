import GroveModel

/// The outbox of layers, as these know it.
@MainActor
protocol PendingLayersDelegate: AnyObject {
    /// A confirmation is being shown.
    func land(_ landing: Landing)
    /// Lets mutations name a model by another identifier; returns the records of those that did.
    func rename(_ replacement: (old: ModelIdentifier, new: ModelIdentifier)) -> [OutboxRecord]
    /// Applying the mutation of a layer twice gives another result than once.
    func tellNotIdempotent(_ number: Int)
    /// Everything was wiped.
    func noteWipe()
}

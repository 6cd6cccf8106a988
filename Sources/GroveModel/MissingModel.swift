/// How a call that changes a model treats a missing model.
public enum MissingModel: Sendable {
    /// The call throws ``CacheError`` with code `missing`, which says why and which node is missing.
    case fail
    /// The call does nothing.
    case ignore
}

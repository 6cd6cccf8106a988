/// The outcome of a read that did not fail: a value or a miss.
public enum CacheRead<Value: Sendable>: Sendable {
    /// The newest version of every node of the tree, in one consistent view.
    case hit(Value)
    /// No value, and the reason.
    case miss(CacheMiss)

    /// The value, or `nil` on a miss.
    public var value: Value? {
        switch self {
        case .hit(let value): value
        case .miss: nil
        }
    }

    /// The miss, or `nil` on a hit.
    public var miss: CacheMiss? {
        switch self {
        case .hit: nil
        case .miss(let miss): miss
        }
    }
}

extension CacheRead: Equatable where Value: Equatable {}

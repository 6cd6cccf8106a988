import GroveCoding
import GroveModel

/// The identifier or cache key by which a tree is asked for.
enum TreeName {
    case identifier(ModelIdentifier)
    case key(String)
}

/// Reads as types that are known only at run time, for callers that know a cache as a delegate.
///
/// A type that is neither ``CacheableModel`` nor `Codable` is refused, `notCacheable`.
extension CacheReader where Self: ~Copyable {
    /// Reads a tree.
    func read<T: SimpleModel>(
        _ name: TreeName, asAny type: T.Type, maxAge: Double? = nil
    ) throws(CacheError) -> CacheRead<any SimpleModel> {
        if let type = type as? any CacheableModel.Type { return try tree(name, type, maxAge) { $0 } }
        if let type = type as? any (SimpleModel & Codable).Type { return try codableTree(name, type, maxAge) }
        throw EncodedRoots.notCacheable(type)
    }

    /// Reads a list.
    func readCollection<T: SimpleModel>(
        _ key: String, ofAny type: T.Type, in range: Range<Int>? = nil, missing: MissingElements, maxAge: Double? = nil
    ) throws(CacheError) -> CacheRead<CollectionRead<T>> {
        let found: CacheRead<any Sendable>
        if let type = T.self as? any CacheableModel.Type {
            found = try list(key, type, range, missing, maxAge)
        } else if let type = T.self as? any (SimpleModel & Codable).Type {
            found = try codableList(key, type, range, missing, maxAge)
        } else {
            throw EncodedRoots.notCacheable(T.self)
        }
        // The elements are of the type that was asked for.
        return found.map { $0 as? CollectionRead<T> ?? CollectionRead(elements: []) }
    }

    private func tree<M: CacheableModel>(
        _ name: TreeName, _ type: M.Type, _ maxAge: Double?, _ model: (M) -> any SimpleModel
    ) throws(CacheError) -> CacheRead<any SimpleModel> {
        switch name {
        case .identifier(let identifier): try read(identifier, as: type, maxAge: maxAge).map(model)
        case .key(let key): try read(forKey: key, as: type, maxAge: maxAge).map(model)
        }
    }

    private func codableTree<M: SimpleModel & Codable>(
        _ name: TreeName, _ type: M.Type, _ maxAge: Double?
    ) throws(CacheError) -> CacheRead<any SimpleModel> {
        try tree(name, CodableNode<M>.self, maxAge, \.base)
    }

    private func list<M: CacheableModel>(
        _ key: String, _ type: M.Type, _ range: Range<Int>?, _ missing: MissingElements, _ maxAge: Double?
    ) throws(CacheError) -> CacheRead<any Sendable> {
        try readCollection(key, of: type, in: range, missing: missing, maxAge: maxAge).map { $0 }
    }

    private func codableList<M: SimpleModel & Codable>(
        _ key: String, _ type: M.Type, _ range: Range<Int>?, _ missing: MissingElements, _ maxAge: Double?
    ) throws(CacheError) -> CacheRead<any Sendable> {
        let found = try readCollection(key, of: CodableNode<M>.self, in: range, missing: missing, maxAge: maxAge)
        return found.map { read in
            var list = CollectionRead(
                elements: read.elements.map(\.base), skipped: read.skipped, gaps: read.gaps, nextRange: read.nextRange)
            (list.hidden, list.isCommitted) = (read.hidden, read.isCommitted)
            return list
        }
    }
}

extension CacheRead {
    /// The same with another value.
    func map<Other: Sendable>(_ transform: (Value) -> Other) -> CacheRead<Other> {
        switch self {
        case .hit(let value): .hit(transform(value))
        case .miss(let miss): .miss(miss)
        }
    }
}

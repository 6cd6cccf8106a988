import Dispatch
import GroveCoding
package import GroveModel

extension NormalizedCache {
    /// Changes a model in a transaction, on the writer's queue, for data model managers; see
    /// ``Cache/update(_:as:ifMissing:durability:_:)``.
    package func update<T: SimpleModel>(
        _ identifier: ModelIdentifier, as type: T.Type, _ change: @escaping @Sendable (inout T) throws -> Void,
        completion: @escaping @Sendable (Result<T, any Error>) -> Void
    ) {
        let failures = core.ledger.lockFailures
        core.writer.async { [self] in
            completion(
                Result {
                    try checkOpen()
                    return try core.runTransaction(.standard, since: failures) { scope in
                        try CacheTransaction(scope: scope).update(identifier, asAny: type, change)
                    }
                })
        }
    }
}

extension CacheTransaction {
    /// Changes a model of a type that is known only at run time.
    fileprivate func update<T: SimpleModel>(
        _ identifier: ModelIdentifier, asAny type: T.Type, _ change: (inout T) throws -> Void
    ) throws -> T {
        switch try read(.identifier(identifier), asAny: type) {
        case .miss(let miss): throw CacheError(miss)
        case .hit(let found):
            guard var model = found as? T else { throw CacheError(CacheMiss(.otherType, identifier)) }
            let former = try EncodedRoots(any: [model]).tree
            try change(&model)
            let tree = try EncodedRoots(any: [model]).tree
            if !tree.isSame(as: former) {
                _ = try _perform(.standard) { () throws(CacheError) in _WriteContent(tree: tree) }
            }
            return model
        }
    }
}

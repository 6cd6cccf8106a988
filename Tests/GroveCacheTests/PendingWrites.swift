@testable import GroveCache
import GroveCoding
import GroveModel

extension PendingWrite {
    /// A call of the parts of a content.
    convenience init(
        sequence: LocalNumber, time: UInt32 = 0, asOf: StoredPlace? = nil, tree: NodeTree? = nil,
        fillsOnly: Bool = false, extras: [Extra] = [], isWipe: Bool = false, isInvalidation: Bool = false,
        isDurable: Bool = false, completion: (@Sendable (Result<ChangeSet, CacheError>) -> Void)? = nil
    ) {
        self.init(
            Content(tree: tree, fillsOnly: fillsOnly, extras: extras, asOf: asOf), sequence: sequence, time: time,
            kind: isWipe ? .wipe : isInvalidation ? .invalidation : .change, isDurable: isDurable,
            completion: completion)
    }
}

import GroveCache
import GroveConformance
import GroveModel

/// Deletions are forgotten.
final class ForgetsDeletions: ForwardingCache, @unchecked Sendable {
    override func delete(_ identifier: ModelIdentifier) throws(CacheError) -> Changes { Changes() }

    override func deleteModel(_ model: any SimpleModel, forKey cacheKey: String?, context: (any Sendable)?) {}
}

/// A deletion leaves no tombstone, so that what was deleted reads as forgotten.
final class DeletesWithoutTrace: ForwardingCache, @unchecked Sendable {
    override func delete(_ identifier: ModelIdentifier) throws(CacheError) -> Changes {
        try base.evict(identifier)
        return Changes(deleted: [identifier])
    }
}

/// What was forgotten reads as deleted: a missing child becomes `nil`, a list becomes shorter.
final class TakesMissingForDeleted: ForwardingCache, @unchecked Sendable {
    override func evict(_ identifier: ModelIdentifier) throws(CacheError) { _ = try base.delete(identifier) }
}

/// A wipe does nothing.
final class WipesNothing: ForwardingCache, @unchecked Sendable {
    override func wipe() throws(CacheError) {}
}

import GroveCache
import GroveConformance
import GroveModel

/// An empty collection reads as absent.
final class TakesEmptyForAbsent: ForwardingCache, @unchecked Sendable {
    override func readCollection<M: CacheableModel>(
        _ key: String, as type: M.Type, missing: MissingElements
    ) throws(CacheError) -> CacheRead<Elements<M>> {
        let read = try base.readCollection(key, as: type, missing: missing)
        return read.value?.values.isEmpty == true ? .miss(CacheMiss(.absent, ModelIdentifier(key))) : read
    }
}

/// A collection keeps each element once.
final class DropsDuplicates: ForwardingCache, @unchecked Sendable {
    override func writeCollection<M: CacheableModel>(
        _ elements: [M], forKey key: String
    ) throws(CacheError) -> Changes {
        var seen: Set<ModelIdentifier?> = []
        return try base.writeCollection(elements.filter { seen.insert($0.modelIdentifier).inserted }, forKey: key)
    }
}

/// A collection leaves missing elements out without being asked.
final class SkipsSilently: ForwardingCache, @unchecked Sendable {
    override func readCollection<M: CacheableModel>(
        _ key: String, as type: M.Type, missing: MissingElements
    ) throws(CacheError) -> CacheRead<Elements<M>> {
        try base.readCollection(key, as: type, missing: .skip)
    }
}

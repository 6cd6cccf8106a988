import GroveCache
import GroveCoding
import GroveConformance
import GroveModel
import Synchronization

/// An empty collection reads as absent.
// SAFETY: it adds nothing to its sendable base class.
final class TakesEmptyForAbsent: ForwardingCache, @unchecked Sendable {
    override func readCollection<M: CacheableModel>(
        _ key: String, as type: M.Type, missing: MissingElements
    ) throws(CacheError) -> CacheRead<ReadElements<M>> {
        let read = try base.readCollection(key, as: type, missing: missing)
        return read.value?.values.isEmpty == true ? .miss(CacheMiss(.absent, ModelIdentifier(key))) : read
    }
}

/// A collection keeps each element once.
// SAFETY: it adds nothing to its sendable base class.
final class DropsDuplicates: ForwardingCache, @unchecked Sendable {
    override func writeCollection<M: CacheableModel>(
        _ elements: [M], forKey key: String
    ) throws(CacheError) -> WrittenChanges {
        var seen: Set<ModelIdentifier?> = []
        return try base.writeCollection(elements.filter { seen.insert($0.modelIdentifier).inserted }, forKey: key)
    }
}

/// A collection leaves missing elements out without being asked.
// SAFETY: it adds nothing to its sendable base class.
final class SkipsSilently: ForwardingCache, @unchecked Sendable {
    override func readCollection<M: CacheableModel>(
        _ key: String, as type: M.Type, missing: MissingElements
    ) throws(CacheError) -> CacheRead<ReadElements<M>> {
        try base.readCollection(key, as: type, missing: .skip)
    }
}

/// Replacing a collection forgets the models that are no longer in it.
// SAFETY: what it adds to its sendable base class is behind a mutex.
final class ForgetsReplaced: ForwardingCache, @unchecked Sendable {
    private let elements = Mutex<[String: [ModelIdentifier]]>([:])

    override func writeCollection<M: CacheableModel>(
        _ elements: [M], forKey key: String
    ) throws(CacheError) -> WrittenChanges {
        let new = elements.compactMap(\.modelIdentifier)
        let old = self.elements.withLock { $0.updateValue(new, forKey: key) } ?? []
        for identifier in Set(old).subtracting(new) { try base.evict(identifier) }
        return try base.writeCollection(elements, forKey: key)
    }
}

/// A collection is kept as it was written.
// SAFETY: what it adds to its sendable base class is behind a mutex.
final class CopiesCollections: ForwardingCache, @unchecked Sendable {
    private let copies = Mutex<[String: any Sendable]>([:])

    override func writeCollection<M: CacheableModel>(
        _ elements: [M], forKey key: String
    ) throws(CacheError) -> WrittenChanges {
        copies.withLock { $0[key] = elements }
        return try base.writeCollection(elements, forKey: key)
    }

    override func readCollection<M: CacheableModel>(
        _ key: String, as type: M.Type, missing: MissingElements
    ) throws(CacheError) -> CacheRead<ReadElements<M>> {
        let read = try base.readCollection(key, as: type, missing: missing)
        guard let copy = copies.withLock({ $0[key] }) as? [M], read.value != nil else { return read }
        return .hit(ReadElements(copy))
    }
}

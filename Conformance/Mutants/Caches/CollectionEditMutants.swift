import GroveCache
import GroveCoding
import GroveConformance
import GroveModel
import Synchronization

/// What is inserted goes behind the element that it should stand before.
// SAFETY: it adds nothing to its sendable base class.
final class InsertsBehind: ForwardingCache, @unchecked Sendable {
    override func edit<M: CacheableModel>(
        _ key: String, _ edit: CollectionEdit<M>
    ) throws(CacheError) -> WrittenChanges {
        guard case .insert(let elements, let index) = edit, index > 0, let count = try base.count(ofCollection: key),
            index < count
        else { return try base.edit(key, edit) }
        return try base.edit(key, CollectionEdit.insert(elements, at: index + 1))
    }
}

/// A holder's edit is made of the list that is there, whoever made that.
// SAFETY: what it adds to its sendable base class is behind a mutex.
final class EditsAnotherList: ForwardingCache, @unchecked Sendable {
    private let lists = Mutex<[String: [any SimpleModel]]>([:])

    override func setCollection(_ collection: [any SimpleModel], forKey cacheKey: String, context: (any Sendable)?) {
        lists.withLock { $0[cacheKey] = collection }
        base.setCollection(collection, forKey: cacheKey, context: context)
    }

    override func saveList(
        _ list: @escaping @Sendable () -> [any SimpleModel], after edit: ListEdit?, of version: ListVersion,
        forKey cacheKey: String, context: (any Sendable)?
    ) {
        var elements = list()
        if let edit, let now = lists.withLock({ $0[cacheKey] }) {
            elements = now
            elements.replaceSubrange(edit.range.clamped(to: 0..<now.count), with: edit.elements)
        }
        setCollection(elements, forKey: cacheKey, context: context)
    }
}

/// A page has the positions of what shows.
// SAFETY: it adds nothing to its sendable base class.
final class PagesOfWhatShows: ForwardingCache, @unchecked Sendable {
    override func readCollection<M: CacheableModel>(
        _ key: String, as type: M.Type, in range: Range<Int>
    ) throws(CacheError) -> CacheRead<ReadElements<M>> {
        switch try base.readCollection(key, as: type, missing: .miss) {
        case .hit(let read): .hit(ReadElements(Array(read.values[range.clamped(to: 0..<read.values.count)])))
        case .miss(let miss): .miss(miss)
        }
    }
}

/// An edit sets the whole list.
// SAFETY: what it adds to its sendable base class is behind a mutex.
final class RewritesLists: ForwardingCache, @unchecked Sendable {
    private let lists = Mutex<[String: any Sendable]>([:])

    override func writeCollection<M: CacheableModel>(
        _ elements: [M], forKey key: String
    ) throws(CacheError) -> WrittenChanges {
        lists.withLock { $0[key] = elements }
        return try base.writeCollection(elements, forKey: key)
    }

    override func edit<M: CacheableModel>(
        _ key: String, _ edit: CollectionEdit<M>
    ) throws(CacheError) -> WrittenChanges {
        let changes = try base.edit(key, edit)
        guard var list = lists.withLock({ $0[key] }) as? [M] else { return changes }
        switch edit {
        case .insert(let elements, let index): list.insert(contentsOf: elements, at: index)
        case .append(let elements): list += elements
        case .replace(let range, let elements): list.replaceSubrange(range, with: elements)
        case .remove(let range): list.removeSubrange(range)
        case .move(let from, let to): list.insert(list.remove(at: from), at: to)
        }
        try base.writeCollection([M](), forKey: key)
        _ = try writeCollection(list, forKey: key)
        return changes
    }
}

/// A position behind the list is the one behind its last element.
// SAFETY: it adds nothing to its sendable base class.
final class ClampsPositions: ForwardingCache, @unchecked Sendable {
    override func edit<M: CacheableModel>(
        _ key: String, _ edit: CollectionEdit<M>
    ) throws(CacheError) -> WrittenChanges {
        guard case .insert(let elements, let index) = edit, let count = try base.count(ofCollection: key) else {
            return try base.edit(key, edit)
        }
        return try base.edit(key, CollectionEdit.insert(elements, at: min(max(index, 0), count)))
    }
}

/// What is left of a list of which a part was lost reads as the list.
// SAFETY: it adds nothing to its sendable base class.
final class SkipsLostParts: ForwardingCache, @unchecked Sendable {
    override func readCollection<M: CacheableModel>(
        _ key: String, as type: M.Type, missing: MissingElements
    ) throws(CacheError) -> CacheRead<ReadElements<M>> {
        let read = try base.readCollection(key, as: type, missing: missing)
        guard case .miss(let miss) = read, miss.identifier == ModelIdentifier(key),
            let count = try base.count(ofCollection: key)
        else { return read }
        var left: [M] = []
        for position in 0..<count {
            left += try base.readCollection(key, as: type, in: position..<position + 1).value?.values ?? []
        }
        return .hit(ReadElements(left))
    }
}

import GroveCache
import GroveCoding
import GroveConformance
import GroveModel
import Synchronization

/// A cache that makes another edit than the one it is asked for.
// SAFETY: it adds nothing to its sendable base class.
class EditingCache: ForwardingCache, @unchecked Sendable {
    override final func edit<M: CacheableModel>(
        _ key: String, _ edit: CollectionEdit<M>
    ) throws(CacheError) -> WrittenChanges {
        guard let count = try base.count(ofCollection: key), edit.fits(count) else { return try base.edit(key, edit) }
        return try base.edit(key, altered(edit, count))
    }

    /// The edit that is made of a list of `count` elements in the place of `edit`, which it fits.
    func altered<M>(_ edit: CollectionEdit<M>, _ count: Int) -> CollectionEdit<M> { edit }
}

/// What is inserted goes behind the element that it should stand before.
// SAFETY: it adds nothing to its sendable base class.
final class InsertsBehind: EditingCache, @unchecked Sendable {
    override func altered<M>(_ edit: CollectionEdit<M>, _ count: Int) -> CollectionEdit<M> {
        guard case .insert(let elements, let index) = edit, 1..<max(count, 1) ~= index else { return edit }
        return .insert(elements, at: index + 1)
    }
}

/// What is appended goes before the last element.
// SAFETY: it adds nothing to its sendable base class.
final class AppendsInFront: EditingCache, @unchecked Sendable {
    override func altered<M>(_ edit: CollectionEdit<M>, _ count: Int) -> CollectionEdit<M> {
        guard case .append(let elements) = edit else { return edit }
        return .insert(elements, at: max(count - 1, 0))
    }
}

/// Of the elements that are replaced the last one stays.
// SAFETY: it adds nothing to its sendable base class.
final class ReplacesOneLess: EditingCache, @unchecked Sendable {
    override func altered<M>(_ edit: CollectionEdit<M>, _ count: Int) -> CollectionEdit<M> {
        guard case .replace(let range, let elements) = edit else { return edit }
        return .replace(range.lowerBound..<max(range.upperBound - 1, range.lowerBound), elements)
    }
}

/// Of the elements that are removed the last one stays.
// SAFETY: it adds nothing to its sendable base class.
final class RemovesOneLess: EditingCache, @unchecked Sendable {
    override func altered<M>(_ edit: CollectionEdit<M>, _ count: Int) -> CollectionEdit<M> {
        guard case .remove(let range) = edit else { return edit }
        return .remove(range.lowerBound..<max(range.upperBound - 1, range.lowerBound))
    }
}

/// What is moved forward stops one position short.
// SAFETY: it adds nothing to its sendable base class.
final class MovesOneShort: EditingCache, @unchecked Sendable {
    override func altered<M>(_ edit: CollectionEdit<M>, _ count: Int) -> CollectionEdit<M> {
        guard case .move(let from, let to) = edit, from < to else { return edit }
        return .move(from: from, to: to - 1)
    }
}

/// An edit reads the list and writes it: what another process did meanwhile is lost.
// SAFETY: it adds nothing to its sendable base class.
final class EditsWhatItRead: ForwardingCache, @unchecked Sendable {
    override func edit<M: CacheableModel>(
        _ key: String, _ edit: CollectionEdit<M>
    ) throws(CacheError) -> WrittenChanges {
        guard var list = try base.readCollection(key, as: M.self).value?.values, edit.fits(list.count) else {
            return try base.edit(key, edit)
        }
        edit.apply(to: &list)
        return try base.writeCollection(list, forKey: key)
    }
}

/// A cache that remembers of which type each collection is.
// SAFETY: what it adds to its sendable base class is behind a mutex.
class KnowsTypes: ForwardingCache, @unchecked Sendable {
    private let types = Mutex<[String: any CacheableModel.Type]>([:])

    func type(ofCollection key: String) -> (any CacheableModel.Type)? { types.withLock { $0[key] } }

    override func writeCollection<M: CacheableModel>(
        _ elements: [M], forKey key: String
    ) throws(CacheError) -> WrittenChanges {
        types.withLock { $0[key] = M.self }
        return try base.writeCollection(elements, forKey: key)
    }
}

/// A count leaves deleted elements out.
// SAFETY: it adds nothing to its sendable base class.
final class CountsWhatShows: KnowsTypes, @unchecked Sendable {
    override func count(ofCollection key: String) throws(CacheError) -> Int? {
        func shown<M: CacheableModel>(_ type: M.Type) throws(CacheError) -> Int? {
            try base.readCollection(key, as: type).value?.values.count
        }
        if let type = type(ofCollection: key), let count = try shown(type) { return count }
        return try base.count(ofCollection: key)
    }
}

/// A deletion takes nothing out of collections.
// SAFETY: it adds nothing to its sendable base class.
final class KeepsListed: ForwardingCache, @unchecked Sendable {
    override func delete(
        _ identifier: ModelIdentifier, removingFrom holders: DeletionHolders
    ) throws(CacheError) -> WrittenChanges {
        try base.delete(identifier)
    }
}

/// Of a type the last model stays.
// SAFETY: it adds nothing to its sendable base class.
final class DeletesAllButOne: ForwardingCache, @unchecked Sendable {
    override func delete<M: CacheableModel>(allOf type: M.Type) throws -> WrittenChanges {
        for model in try base.view({ view in try view.models(type) }).dropLast() {
            if let identifier = model.modelIdentifier { try base.delete(identifier) }
        }
        return WrittenChanges()
    }
}

/// A page has the positions of what shows.
// SAFETY: it adds nothing to its sendable base class.
final class PagesOfWhatShows: ForwardingCache, @unchecked Sendable {
    override func readPage<M: CacheableModel>(
        _ key: String, as type: M.Type, in range: Range<Int>, missing: MissingElements
    ) throws(CacheError) -> CacheRead<CollectionRead<M>> {
        switch try base.readCollection(key, as: type, missing: missing) {
        case .hit(let read):
            .hit(CollectionRead(elements: Array(read.values[range.clamped(to: 0..<read.values.count)])))
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
        edit.apply(to: &list)
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

/// A page of which nothing shows is the last one.
// SAFETY: it adds nothing to its sendable base class.
final class EndsAtEmptyPages: ForwardingCache, @unchecked Sendable {
    override func readPage<M: CacheableModel>(
        _ key: String, as type: M.Type, in range: Range<Int>, missing: MissingElements
    ) throws(CacheError) -> CacheRead<CollectionRead<M>> {
        let read = try base.readPage(key, as: type, in: range, missing: missing)
        guard case .hit(let page) = read, page.elements.isEmpty else { return read }
        return .hit(CollectionRead(elements: [], skipped: page.skipped, gaps: page.gaps))
    }
}

/// A page does not say what of it is not there.
// SAFETY: it adds nothing to its sendable base class.
final class HidesGaps: ForwardingCache, @unchecked Sendable {
    override func readPage<M: CacheableModel>(
        _ key: String, as type: M.Type, in range: Range<Int>, missing: MissingElements
    ) throws(CacheError) -> CacheRead<CollectionRead<M>> {
        let read = try base.readPage(key, as: type, in: range, missing: missing)
        guard case .hit(let page) = read else { return read }
        return .hit(CollectionRead(elements: page.elements, skipped: page.skipped, nextRange: page.nextRange))
    }
}

/// A list of which a part is not there is not there.
// SAFETY: it adds nothing to its sendable base class.
final class DeniesListsWithGaps: KnowsTypes, @unchecked Sendable {
    override func knownCount(ofCollection key: String) throws(CacheError) -> Int? {
        func isWhole<M: CacheableModel>(_ type: M.Type) throws(CacheError) -> Bool {
            try base.readCollection(key, as: type, missing: .miss).value != nil
        }
        if let type = type(ofCollection: key), try !isWhole(type) { return nil }
        return try base.knownCount(ofCollection: key)
    }
}

import GroveCache
import GroveConformance
import GroveModel

/// An edit is of what is at its index by then.
// SAFETY: it adds nothing to its sendable base class.
final class EditsByIndex: ForwardingCache, @unchecked Sendable {
    override func edit(_ key: String, _ edit: ListEdit, asOf place: Place?) throws(CacheError) {
        switch edit {
        case .insert(let models, .after(let element)):
            let list = listed(key, like: element.model)
            let index = min(element.index, list.count - 1)
            guard index >= 0 else { return try base.edit(key, edit, asOf: place) }
            let other = ListElement(list[index], at: index, of: NoList())
            try base.edit(key, .insert(models, .after(other)), asOf: nil)
        case .replace(let element, let model):
            let list = listed(key, like: element.model)
            guard element.index < list.count else { return try base.edit(key, edit, asOf: place) }
            let other = ListElement(list[element.index], at: element.index, of: NoList())
            try base.edit(key, .replace(other, with: model), asOf: nil)
        default: try base.edit(key, edit, asOf: place)
        }
    }
}

/// An edit stores the list that its maker saw, with the edit.
// SAFETY: it adds nothing to its sendable base class.
final class EditsTheSeenList: ForwardingCache, @unchecked Sendable {
    override func edit(_ key: String, _ edit: ListEdit, asOf place: Place?) throws(CacheError) {
        guard case .insert(let models, .after(let element)) = edit else {
            return try base.edit(key, edit, asOf: place)
        }
        let now = listed(key, like: element.model)
        let seen = Set((0..<element.list.count).compactMap { element.list.identifier(at: $0) })
        // Of what others have put in since, nothing is left.
        let list = now.filter { $0.modelIdentifier.map(seen.contains) ?? true }
        try base.edit(key, .set(list), asOf: nil)
        try base.edit(key, .insert(models, .after(element)), asOf: nil)
    }
}

extension ForwardingCache {
    /// The collection under `key`, whose elements are of the type of `model`.
    fileprivate func listed(_ key: String, like model: any SimpleModel) -> [any SimpleModel] {
        func read<T: SimpleModel>(_ model: T) -> [any SimpleModel] {
            (try? base.models(forKey: key, as: T.self)) ?? []
        }
        return read(model)
    }
}

/// An element that left is there again, because an edit moves or replaces it, or because an older list has it.
// SAFETY: it adds nothing to its sendable base class.
final class PutsBackWhatLeft: ForwardingCache, @unchecked Sendable {
    override func edit(_ key: String, _ edit: ListEdit, asOf place: Place?) throws(CacheError) {
        if case .move(let element, let place) = edit { try base.edit(key, .upsert([element.model], place), asOf: nil) }
        try base.edit(key, edit, asOf: place)
        guard case .set(let models) = edit, place != nil else { return }
        try base.edit(key, .upsert(models, .last), asOf: nil)
    }
}

/// An element that left is there again, because an edit updates it.
// SAFETY: it adds nothing to its sendable base class.
final class PutsBackUpdated: ForwardingCache, @unchecked Sendable {
    override func edit(_ key: String, _ edit: ListEdit, asOf place: Place?) throws(CacheError) {
        try base.edit(key, edit, asOf: place)
        guard case .replace(_, with: let model?) = edit else { return }
        try base.edit(key, .upsert([model], .last), asOf: nil)
    }
}

/// A place beside an element that is not in the list is in front of it, if its maker saw no list.
// SAFETY: it adds nothing to its sendable base class.
final class TakesGoneForFirst: ForwardingCache, @unchecked Sendable {
    override func edit(_ key: String, _ edit: ListEdit, asOf place: Place?) throws(CacheError) {
        guard case .insert(let models, .before(let element)) = edit, element.list.count == 0,
            !listed(key, like: element.model).contains(where: { $0.modelIdentifier == element.model.modelIdentifier })
        else { return try base.edit(key, edit, asOf: place) }
        try base.edit(key, .insert(models, .first), asOf: place)
    }
}

/// What the list has already is put in once more.
// SAFETY: it adds nothing to its sendable base class.
final class UpsertsInsert: ForwardingCache, @unchecked Sendable {
    override func edit(_ key: String, _ edit: ListEdit, asOf place: Place?) throws(CacheError) {
        guard case .upsert(let models, let anchor) = edit else { return try base.edit(key, edit, asOf: place) }
        try base.edit(key, .insert(models, anchor), asOf: place)
    }
}

/// A whole list is what it is, whenever it was asked for.
// SAFETY: it adds nothing to its sendable base class.
final class AnswersSetLists: ForwardingCache, @unchecked Sendable {
    override func edit(_ key: String, _ edit: ListEdit, asOf place: Place?) throws(CacheError) {
        if case .set = edit { return try base.edit(key, edit, asOf: nil) }
        try base.edit(key, edit, asOf: place)
    }
}

/// The first page is the list.
// SAFETY: it adds nothing to its sendable base class.
final class PagesCutLists: ForwardingCache, @unchecked Sendable {
    override func edit(_ key: String, _ edit: ListEdit, asOf place: Place?) throws(CacheError) {
        guard case .refresh(let models) = edit else { return try base.edit(key, edit, asOf: place) }
        try base.edit(key, .set(models), asOf: place)
    }
}

/// What was there follows the first page, even if rows between are missing.
// SAFETY: it adds nothing to its sendable base class.
final class PagesKeepAll: ForwardingCache, @unchecked Sendable {
    override func edit(_ key: String, _ edit: ListEdit, asOf place: Place?) throws(CacheError) {
        guard case .refresh(let models) = edit else { return try base.edit(key, edit, asOf: place) }
        try base.edit(key, .upsert(models, .first), asOf: place)
    }
}

private struct NoList: SeenList {
    var count: Int { 0 }

    func identifier(at index: Int) -> ModelIdentifier? { nil }
}

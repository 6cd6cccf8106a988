import GroveModel

/// What a list is after edits that name elements: the whole of what the rules say, on an array of names.
struct ListModel: Equatable {
    /// The list, each name once.
    var names: [String]

    /// Applies an edit by one who saw `seen`, of elements that are called `brought`.
    mutating func apply(_ edit: SeenEdit, seen: [String]) {
        switch edit {
        case .insert(let new, let place): names.insert(contentsOf: new, at: gap(place, seen))
        case .upsert(let new, let place):
            let gap = gap(place, seen)
            var there = Set(names)
            names.insert(contentsOf: new.filter { there.insert($0).inserted }, at: gap)
        case .remove(let name): names.removeAll { $0 == name }
        case .update: break
        case .move(let name, let place):
            guard let from = names.firstIndex(of: name) else { return }
            let to = gap(place, seen)
            names.insert(names.remove(at: from), at: to > from ? to - 1 : to)
        case .set(let new): names = new
        }
    }

    /// Before which index a place is.
    private func gap(_ place: SeenPlace, _ seen: [String]) -> Int {
        switch place {
        case .first: return 0
        case .last: return names.count
        case .before(let index): return names.firstIndex(of: seen[index]) ?? beside(index, seen)
        case .after(let index):
            return names.firstIndex(of: seen[index]).map { $0 + 1 } ?? beside(index, seen)
        case .unseen(let name): return names.firstIndex(of: name) ?? names.count
        }
    }

    /// Behind the nearest element before `index` that is still there, else before the nearest one after it, else at the
    /// end that was nearer.
    private func beside(_ index: Int, _ seen: [String]) -> Int {
        for before in seen[..<index].reversed() {
            if let found = names.firstIndex(of: before) { return found + 1 }
        }
        return seen[(index + 1)...].lazy.compactMap { names.firstIndex(of: $0) }.first
            ?? (2 * index < seen.count ? 0 : names.count)
    }
}

/// An edit of a list as one makes it who saw the list, by that list's indices.
enum SeenEdit {
    case insert([String], SeenPlace)
    case upsert([String], SeenPlace)
    case remove(String)
    /// Another version of an element.
    case update(String)
    case move(String, SeenPlace)
    case set([String])

    /// The edit as a follower of a cache makes it.
    func edit(of seen: [String]) -> ListEdit {
        let list = SeenNames(names: seen)
        func people(_ names: [String]) -> [Person] { names.map { Person(id: $0) } }
        func element(_ name: String) -> ListElement {
            ListElement(Person(id: name), at: seen.firstIndex(of: name) ?? 0, of: list)
        }
        func place(_ place: SeenPlace) -> ListPlace {
            switch place {
            case .first: .first
            case .last: .last
            case .before(let index): .before(element(seen[index]))
            case .after(let index): .after(element(seen[index]))
            case .unseen(let name): .before(ListElement(Person(id: name), at: 0, of: SeenNames(names: [])))
            }
        }
        return switch self {
        case .insert(let new, let at): .insert(people(new), place(at))
        case .upsert(let new, let at): .upsert(people(new), place(at))
        case .remove(let name): .replace(element(name), with: nil)
        case .update(let name): .replace(element(name), with: Person(id: name, age: 1))
        case .move(let name, let at): .move(element(name), place(at))
        case .set(let new): .set(people(new))
        }
    }
}

/// A place in a list that one saw, by that list's indices.
enum SeenPlace {
    case first, last
    case before(Int)
    case after(Int)
    /// Before an element of this name, by one who saw no list.
    case unseen(String)
}

private struct SeenNames: SeenList {
    let names: [String]

    var count: Int { names.count }

    func identifier(at index: Int) -> ModelIdentifier? { ModelIdentifier(names[index]) }
}

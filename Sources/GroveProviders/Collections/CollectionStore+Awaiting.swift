import GroveConsistency
import GroveModel

/// A place in a list whose model does not exist yet.
struct AwaitedElement {
    let identifier: ModelIdentifier
    /// The handle of the element or awaited place before it.
    let predecessor: Int?
    /// The index at which the place was made.
    let index: Int
    let isSaved: Bool
}

extension CollectionStore {
    /// Makes places for models of `identifiers` before the element at `index`.
    func await(_ identifiers: [ModelIdentifier], at index: Int, isSaved: Bool) {
        var predecessor = index > 0 ? entries[index - 1].handle : nil
        var places: [(handle: Int, identifier: ModelIdentifier)] = []
        for identifier in identifiers {
            let handle = takeHandle()
            awaited[handle] = AwaitedElement(
                identifier: identifier, predecessor: predecessor, index: index, isSaved: isSaved)
            places.append((handle, identifier))
            predecessor = handle
        }
        manager.inOrder { _ in manager.consistencyManager.await(key, places) }
    }

    /// Puts the models that arrived in their places, and returns the changes.
    func take(_ arrived: [ElementChange], context: (any Sendable)?) -> [CollectionChangeInformation] {
        var information: [CollectionChangeInformation] = []
        for change in arrived.sorted(by: { $0.handle < $1.handle }) {
            guard let place = awaited[change.handle], let model = change.model else { continue }
            guard let value = Leaf.base(model) as? T else { continue }
            if holdsEachOnce, let identifier = value.modelIdentifier, self.index(of: identifier) != nil {
                awaited[change.handle] = nil
                continue
            }
            let index = index(of: change.handle, place)
            let former = entries
            let seen = index > 0 ? self.seen(index - 1) : nil
            let arrived = Entry(handle: change.handle, model: value)
            insert([arrived], at: index)
            let edit = EntryEdit.insert([arrived], seen.map { .after($0) } ?? .first, isUpsert: false)
            manager.inOrder { _ in
                if place.isSaved { save(edit, of: former, context: context) } else { keep(edit, of: former) }
            }
            awaited[change.handle] = nil
            arrivedPlaces[change.handle] = place
            information.append(.insert(index: index))
        }
        if awaited.isEmpty { arrivedPlaces = [:] }
        return information
    }

    func forgetAwaited() {
        awaited = [:]
        arrivedPlaces = [:]
    }

    /// The index of the place now: behind the nearest predecessor that is there.
    ///
    /// If there is none, it is before the first place that was made behind it, or else the index at which it was made.
    private func index(of handle: Int, _ place: AwaitedElement) -> Int {
        for before in predecessors(of: place) {
            if let index = position(of: before) { return index + 1 }
        }
        let behind = arrivedPlaces.filter { predecessors(of: $0.value).contains(handle) }
        return behind.keys.compactMap(position).min() ?? min(place.index, entries.count)
    }

    /// The handles that were before the place when it was made, the nearest first, as far as they are known.
    private func predecessors(of place: AwaitedElement) -> [Int] {
        var found: [Int] = []
        var next = place.predecessor
        while let handle = next {
            found.append(handle)
            next = (awaited[handle] ?? arrivedPlaces[handle])?.predecessor
        }
        return found
    }
}

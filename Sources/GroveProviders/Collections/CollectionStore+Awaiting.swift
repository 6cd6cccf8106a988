import GroveConsistency
import GroveModel

extension CollectionStore {
    /// Makes places for models of `identifiers` before the element at `index`.
    func await(_ identifiers: [ModelIdentifier], at index: Int, isSaved: Bool) {
        var predecessor = index > 0 ? rows.entries[index - 1].handle : nil
        var places: [(handle: Int, identifier: ModelIdentifier)] = []
        for identifier in identifiers {
            let handle = rows.takeHandle()
            awaited.add(
                handle,
                AwaitedElement(identifier: identifier, predecessor: predecessor, index: index, isSaved: isSaved))
            places.append((handle, identifier))
            predecessor = handle
        }
        manager.inOrder { _ in manager.consistencyManager.await(key, places) }
    }

    /// Puts the models that arrived in their places, and returns the changes.
    func take(_ arrived: [ElementChange], context: (any Sendable)?) -> [CollectionChangeInformation] {
        var information: [CollectionChangeInformation] = []
        for change in arrived.sorted(by: { $0.handle < $1.handle }) {
            guard let place = awaited.waiting[change.handle], let model = change.model else { continue }
            guard let value = Leaf.base(model) as? T else { continue }
            if audience.holdsEachOnce, let identifier = value.modelIdentifier, rows.index(of: identifier) != nil {
                awaited.drop(change.handle)
                continue
            }
            let index = index(of: change.handle, place)
            let former = rows.entries
            let seen = index > 0 ? self.seen(index - 1) : nil
            let arrived = Entry(handle: change.handle, model: value)
            rows.insert([arrived], at: index)
            let edit = EntryEdit.insert([arrived], seen.map { .after($0) } ?? .first, isUpsert: false)
            manager.inOrder { _ in
                if place.isSaved { save(edit, of: former, context: context) } else { keep(edit, of: former) }
            }
            awaited.arrive(change.handle)
            information.append(.insert(index: index))
        }
        awaited.forgetArrived()
        return information
    }

    /// The index of the place now: behind the nearest predecessor that is there.
    ///
    /// If there is none, it is before the first place that was made behind it, or else the index at which it was made.
    private func index(of handle: Int, _ place: AwaitedElement) -> Int {
        for before in awaited.predecessors(of: place) {
            if let index = rows.position(of: before) { return index + 1 }
        }
        return awaited.arrived(behind: handle).compactMap { rows.position(of: $0) }.min()
            ?? min(place.index, rows.entries.count)
    }
}

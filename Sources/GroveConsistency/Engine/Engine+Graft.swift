import GroveModel

/// One place of a tree that is being brought up to date.
struct TreePlace {
    var model: any Model
    /// The holder's index; -1 for the root.
    let parent: Int
    /// The turn at which the holder of this place was posted, or the read or request that brought it began.
    var asOf: Turn
    var isChanged = false
    var isRemoved = false
    fileprivate var children: [Int] = []
}

extension Engine {
    /// `model` with each of its places as `update` leaves it.
    ///
    /// - Parameters:
    ///   - asOf: the turn that the tree is as of.
    ///   - update: called for each place before those below it; returns whether they must be looked at too.
    /// - Returns: `nil` if the root, or a model that it requires, was removed.
    func rebuilt(_ model: any Model, asOf: Turn, _ update: (inout TreePlace) -> Bool) -> (any Model)? {
        var places = [TreePlace(model: model, parent: -1, asOf: asOf)]
        var next = 0
        while next < places.count, places.count <= maxNodes {
            if update(&places[next]) {
                var found: [any Model] = []
                places[next].model.forEach { found.append($0) }
                for child in found {
                    places[next].children.append(places.count)
                    places.append(TreePlace(model: child, parent: next, asOf: places[next].asOf))
                }
            }
            next += 1
        }
        for position in places.indices.reversed() {
            let place = places[position]
            guard !place.isRemoved, place.children.contains(where: { places[$0].isChanged }) else { continue }
            var child = 0
            let rebuilt = place.model.map { old in
                defer { child += 1 }
                guard child < place.children.count else { return old }
                let new = places[place.children[child]]
                return new.isRemoved ? nil : new.model
            }
            places[position].isChanged = true
            if let rebuilt { places[position].model = rebuilt } else { places[position].isRemoved = true }
        }
        return places[0].isRemoved ? nil : places[0].model
    }

    /// `model`, which a fetch issued at `since` has brought, with the newest version of everything in it.
    ///
    /// A model that was posted or deleted since then wins over the fetched one, and so does the version that a listener
    /// holds.
    ///
    /// - Parameter fresh: for a read that follows a cache, the identifiers of which the version read wins over the
    ///   version held. All other nodes were in memory when the cache was read.
    /// - Returns: `nil` if the root, or a model that it requires, was deleted meanwhile.
    func graft(_ model: any Model, since: Turn, over fresh: Set<ModelIdentifier>? = nil) -> (any Model)? {
        rebuilt(model, asOf: since) { bringUpToDate(&$0, since, fresh) }
    }

    /// Whether the place's children must be looked at too.
    private func bringUpToDate(_ place: inout TreePlace, _ since: Turn, _ fresh: Set<ModelIdentifier>?) -> Bool {
        guard let identifier = place.model.modelIdentifier else { return true }
        let newer: [any Model]
        // A posted tree may hold nodes that changed after it was posted; a tree with listeners does not.
        var isCurrent = true
        // A node that was held, and so not read, may have got a change since that is as of an earlier turn.
        let isHeld = fresh.map { !$0.contains(identifier) }
        if let entry = recent.log.entries[identifier], (isHeld == true ? entry.appliedAt : entry.sequence) > since {
            switch entry.change {
            case _ where place.parent >= 0 && entry.deletedAt > place.asOf, .deleted:
                place.isChanged = true
                place.isRemoved = true
                return false
            case .updated(let models):
                newer = models
                isCurrent = false
                place.asOf = max(place.asOf, entry.sequence)
            }
        } else if isHeld != false, let node = index.registers[identifier]?.nodes.first,
            !index.mixed.contains(identifier)
        {
            newer = [node.model]
        } else {
            return true
        }
        let merged = newer.reduce(place.model) { $0.merge($1) }
        if merged.isEqual(to: place.model) { return !isCurrent || !newer.contains { $0.isEqual(to: place.model) } }
        place.model = merged
        place.isChanged = true
        return !isCurrent || !newer.contains { $0.isEqual(to: merged) }
    }
}

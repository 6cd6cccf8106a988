import GroveModel

// The view that a delegate from outside Grove has of the kit's models: their children, as RocketData's models show
// them.

extension Person: Model {
    func map(_ transform: (any Model) -> (any Model)?) -> Person? { self }
    func forEach(_ visit: (any Model) -> Void) {}
}

extension Stamp: Model {
    func map(_ transform: (any Model) -> (any Model)?) -> Stamp? {
        Stamp(at: at, by: by.flatMap { transform($0) as? Person })
    }

    func forEach(_ visit: (any Model) -> Void) { by.map(visit) }
}

extension Message: Model {
    func map(_ transform: (any Model) -> (any Model)?) -> Message? {
        var kind = kind
        if case .event(let place, let host) = kind {
            // A required child that is gone takes its holder with it.
            guard let host = transform(host) as? Person else { return nil }
            kind = .event(place: place, host: host)
        }
        guard let stamp = transform(stamp) as? Stamp else { return nil }
        return Message(
            id: id, kind: kind, note: note, text: text, stamp: stamp,
            sender: sender.flatMap { transform($0) as? Person },
            readers: readers.compactMap { transform($0) as? Person },
            mentions: mentions.compactMapValues { transform($0) as? Person })
    }

    func forEach(_ visit: (any Model) -> Void) {
        if case .event(_, let host) = kind { visit(host) }
        visit(stamp)
        sender.map(visit)
        readers.forEach(visit)
        // A record's dictionary lies in the order of its encoded keys: shorter ones first.
        let names = mentions.keys.sorted { ($0.utf8.count, $0) < ($1.utf8.count, $1) }
        for name in names { mentions[name].map(visit) }
    }
}

extension Letter: Model {
    func map(_ transform: (any Model) -> (any Model)?) -> Letter? {
        (transform(author) as? Person).map { Letter(id: id, author: $0) }
    }

    func forEach(_ visit: (any Model) -> Void) { visit(author) }
}

extension Shelf: Model {
    func map(_ transform: (any Model) -> (any Model)?) -> Shelf? {
        Shelf(
            id: id, top: top.flatMap { transform($0) as? Letter },
            letters: letters.compactMap { transform($0) as? Letter })
    }

    func forEach(_ visit: (any Model) -> Void) {
        top.map(visit)
        letters.forEach(visit)
    }
}

extension Parcel: Model {
    func map(_ transform: (any Model) -> (any Model)?) -> Parcel? {
        (transform(letter) as? Letter).map { Parcel(id: id, letter: $0) }
    }

    func forEach(_ visit: (any Model) -> Void) { visit(letter) }
}

extension Branch: Model {
    func map(_ transform: (any Model) -> (any Model)?) -> Branch? {
        Branch(
            id: id, label: label, boss: boss.flatMap { transform($0) as? Person },
            parts: parts.compactMap { transform($0) as? Branch })
    }

    func forEach(_ visit: (any Model) -> Void) {
        boss.map(visit)
        parts.forEach(visit)
    }
}

extension Values: Model {
    func map(_ transform: (any Model) -> (any Model)?) -> Values? {
        Values(id: id, map: map, ref: ref.flatMap { transform($0) as? Person }, set: set)
    }

    func forEach(_ visit: (any Model) -> Void) { ref.map(visit) }
}

extension Twin: Model {
    func map(_ transform: (any Model) -> (any Model)?) -> Twin? {
        Twin(id, left: left.flatMap { transform($0) as? Twin }, right: right.flatMap { transform($0) as? Twin })
    }

    func forEach(_ visit: (any Model) -> Void) {
        left.map(visit)
        right.map(visit)
    }

    /// A ``TwinLink`` brings the left child alone.
    func merge(_ model: any Model) -> any Model {
        (model as? TwinLink).map { Twin(id, left: Twin($0.left.id), right: right) } ?? model as? Twin ?? self
    }
}

extension TwinLink: Model {
    func map(_ transform: (any Model) -> (any Model)?) -> TwinLink? {
        (transform(left) as? TwinName).map { TwinLink(id: id, left: $0) }
    }

    func forEach(_ visit: (any Model) -> Void) { visit(left) }

    func merge(_ model: any Model) -> any Model {
        (model as? Twin)?.left.map { TwinLink(id: id, left: TwinName(id: $0.id)) } ?? model as? TwinLink ?? self
    }
}

extension TwinName: Model {
    func map(_ transform: (any Model) -> (any Model)?) -> TwinName? { self }
    func forEach(_ visit: (any Model) -> Void) {}
}

extension SmallProfile: Model {
    func map(_ transform: (any Model) -> (any Model)?) -> SmallProfile? { self }
    func forEach(_ visit: (any Model) -> Void) {}

    func merge(_ model: any Model) -> any Model {
        (model as? FullProfile).map { SmallProfile(id: id, name: $0.name) } ?? model as? SmallProfile ?? self
    }
}

extension FullProfile: Model {
    func map(_ transform: (any Model) -> (any Model)?) -> FullProfile? { self }
    func forEach(_ visit: (any Model) -> Void) {}

    func merge(_ model: any Model) -> any Model {
        var merged = self
        switch model {
        case let small as SmallProfile: merged.name = small.name
        case let profile as ProfileBio: merged.bio = profile.bio
        default: return model as? FullProfile ?? self
        }
        return merged
    }
}

extension ProfileBio: Model {
    func map(_ transform: (any Model) -> (any Model)?) -> ProfileBio? { self }
    func forEach(_ visit: (any Model) -> Void) {}

    func merge(_ model: any Model) -> any Model {
        (model as? FullProfile).map { ProfileBio(id: id, bio: $0.bio) } ?? model as? ProfileBio ?? self
    }
}

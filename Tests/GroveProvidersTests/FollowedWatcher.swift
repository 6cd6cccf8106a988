import Grove
import GroveCache

/// Who looks at a cache that managers follow.
enum FollowedWatcher: CaseIterable {
    case providerHeld, collectionHeld, providerMadeLater, stream

    /// Begins to look at Ann's message, at Cid, whom the cache does not have, and at the list of people.
    ///
    /// - Returns: what tells what is seen, when everything has settled.
    @MainActor
    func begin(_ scene: any FollowingScene) async throws -> @MainActor () async throws -> [String] {
        switch self {
        case .providerHeld:
            let held = DataProvider<Message>(dataModelManager: scene.manager)
            let waits = DataProvider<Person>(dataModelManager: scene.manager)
            _ = try await held.fetchDataFromCache(withCacheKey: "Message:1")
            waits.modelIdentifier = "Person:3"
            return { [held.data.map { "\($0.text) by \($0.sender.name)" } ?? "-", waits.data?.name ?? "-"] }
        case .collectionHeld:
            let list = CollectionDataProvider<Person>(dataModelManager: scene.manager)
            _ = try await list.fetchDataFromCache(withCacheKey: "people")
            return { list.data.map(\.name) }
        case .providerMadeLater:
            return {
                let message = DataProvider<Message>(dataModelManager: scene.manager)
                let person = DataProvider<Person>(dataModelManager: scene.manager)
                _ = try await message.fetchDataFromCache(withCacheKey: "Message:1")
                _ = try await person.fetchDataFromCache(withCacheKey: "Person:3")
                return [message.data.map { "\($0.text) by \($0.sender.name)" } ?? "-", person.data?.name ?? "-"]
            }
        case .stream: return stream(scene)
        }
    }

    /// Streams of both models, by the manager and by the cache, and of everything.
    @MainActor
    private func stream(_ scene: any FollowingScene) -> @MainActor () async throws -> [String] {
        let engine = scene.manager.consistencyManager
        let shown = [
            engine.changes(of: Person(id: "1", name: "Ann")), engine.changes(of: "Person:3", as: Person.self),
        ]
        let stored = [scene.changes(of: "Person:1"), scene.changes(of: "Person:3")]
        let all = scene.changes()
        return {
            // What ends the streams comes behind everything else.
            let ends = ["1", "3"].map { Person(id: $0, name: "end") }
            scene.manager.updateModels(ends, updateCache: false)
            scene.close()
            var seen: [String] = []
            for stream in shown {
                var names: [String] = []
                for await event in stream {
                    if event.model?.name == "end" { break }
                    names.append(event.model?.name ?? "gone")
                }
                seen.append(names.joined(separator: ", "))
            }
            for stream in stored {
                var changes: [String] = []
                for await change in stream { changes.append("\(change)") }
                seen.append(changes.joined(separator: ", "))
            }
            var words: Set<String> = []
            for await set in all { words.formUnion(Self.words(set)) }
            return seen + [words.sorted().joined(separator: ", ")]
        }
    }

    /// What a change set says of the two people and of the list.
    private static func words(_ set: ChangeSet) -> [String] {
        if set.changesEverything { return ["everything"] }
        let people: Set<ModelIdentifier> = ["Person:1", "Person:3"]
        func words(_ identifiers: Set<ModelIdentifier>, _ what: String) -> [String] {
            identifiers.intersection(people).map { "\(what) \($0.rawValue)" }
        }
        return words(set.changedModelIds, "changed") + words(set.deletedModelIds, "deleted")
            + words(set.evictedModelIds, "evicted")
            + (set.changedCollectionKeys.contains("people") ? ["edited people"] : [])
    }
}

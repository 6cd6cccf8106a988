import Grove
import GroveCache
import Testing

/// In a process beside a test: the screens of its manager, and what it does when it is asked.
@MainActor
final class PeerScreens {
    private let scene: any FollowingScene
    private var people: [String: DataProvider<Person>] = [:]
    private var list: CollectionDataProvider<Person>?
    private var watchers: [VersionWatcher] = []

    init(_ scene: any FollowingScene) { self.scene = scene }

    /// Does what `words` say, and returns when it is stored.
    func answer(_ words: [String]) async throws -> String {
        let id = words.count > 1 ? words[1] : ""
        let person = Person(id: id, name: words.count > 2 ? words[2] : "")
        switch words[0] {
        case "put": try scene.put([person])
        case "message": try scene.put(Message(id: words[3], text: person.name, sender: person))
        case "remove": try scene.delete(id)
        case "forget": try scene.evict(id)
        case "append": try scene.append([person])
        case "form":
            guard let form = ListForm(rawValue: words[1]) else { break }
            try scene.edit(form, words[2], beside: words[3], inTransaction: false)
        case "first": try scene.insert([person], at: 0)
        case "update": scene.manager.updateModel(person)
        case "show": show(person)
        case "list":
            let list = CollectionDataProvider<Person>(dataModelManager: scene.manager)
            _ = try await list.fetchDataFromCache(withCacheKey: "people")
            self.list = list
        case "edit": list?.append([person])
        case "rest":
            try await scene.settle()
            return rest()
        default: break
        }
        try await scene.store()
        return "done"
    }

    /// Shows `person`, changed by the provider that shows it.
    private func show(_ person: Person) {
        if let provider = people[person.id] { return provider.setData(person) }
        let provider = DataProvider<Person>(dataModelManager: scene.manager)
        let watcher = VersionWatcher()
        provider.delegate = watcher
        watchers.append(watcher)
        people[person.id] = provider
        provider.setData(person)
    }

    /// What every person's screen shows, the list, and what was told twice or backwards.
    private func rest() -> String {
        let shown = people.values.compactMap(\.data).map { "\($0.id)=\($0.name)" }
        return [
            shown.sorted().joined(separator: " "), list?.data.map(\.id).joined(separator: " ") ?? "",
            watchers.compactMap(\.wrong).joined(separator: "; "),
        ].joined(separator: "|")
    }
}

/// Notes where a version of a model was told twice, or behind a newer one.
@MainActor
final class VersionWatcher: DataProviderDelegate {
    private var seen: [String: Int] = [:]
    private(set) var wrong: String?

    func dataProviderHasUpdatedData<T>(_ dataProvider: DataProvider<T>, context: (any Sendable)?) {
        if let person = dataProvider.data as? Person { look(at: Int(person.name), of: "Person:\(person.id)") }
        if let message = dataProvider.data as? Message {
            // A message changes with its sender too.
            let (text, sender) = (Int(message.text) ?? 0, Int(message.sender.name) ?? 0)
            look(at: text, of: "Message:\(message.id)", mayRepeat: true)
            look(at: sender, of: "Message:\(message.id) by \(message.sender.id)", mayRepeat: true)
            if let last = lastMessage, last == message { wrong = "\(message) twice" }
            lastMessage = message
        } else {
            lastMessage = nil
        }
    }

    private var lastMessage: Message?

    private func look(at version: Int?, of name: String, mayRepeat: Bool = false) {
        guard let version else { return }
        if let before = seen[name], version < before || version == before && !mayRepeat {
            wrong = "\(name): \(before), then \(version)"
        }
        seen[name] = max(version, seen[name] ?? 0)
    }
}

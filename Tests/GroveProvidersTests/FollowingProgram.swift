import Grove
import GroveCache
import TestSupport
import Testing

/// Random calls of two managers, of the cache itself and of another process, beside a model of what they come to.
@MainActor
struct FollowingProgram {
    private let scene: any FollowingScene
    private let peer: PeerConversation?
    private let seed: UInt64
    private var random: SeededGenerator
    private let managers: [DataModelManager]
    private let people: [DataProvider<Person>]
    private let messages: [DataProvider<Message>]
    private let lists: [CollectionDataProvider<Person>]
    private let watchers: [VersionWatcher]
    private var model = FollowingModel()
    /// Who is deleted does not come back: a list that was stored whole in the meantime would hold him again.
    private var ids = (0..<4).map { "\($0)" }
    /// What was called.
    private var calls: [String] = []
    /// Whether both processes write at once, so that of two calls either may be the last.
    private var isOverlapping: Bool { peer != nil && seed % 2 == 1 }

    init(_ scene: any FollowingScene, _ seed: UInt64, beside peer: PeerConversation? = nil) {
        (self.scene, self.seed, self.peer) = (scene, seed, peer)
        random = SeededGenerator(seed: seed)
        let managers = [scene.manager, scene.other]
        self.managers = managers
        people = (0..<6).map { DataProvider<Person>(dataModelManager: managers[$0 % 2]) }
        messages = (0..<4).map { DataProvider<Message>(dataModelManager: managers[$0 % 2]) }
        lists = managers.map { CollectionDataProvider<Person>(dataModelManager: $0) }
        watchers = (0..<10).map { _ in VersionWatcher() }
        for (provider, watcher) in zip(people, watchers) { provider.delegate = watcher }
        for (provider, watcher) in zip(messages, watchers[6...]) { provider.delegate = watcher }
    }

    mutating func run() async throws {
        lists[0].setData(ids.map { Person(id: $0, name: "0") }, cacheKey: "people")
        model.begin(ids)
        try await scene.settle()
        _ = try await lists[1].fetchDataFromCache(withCacheKey: "people")
        _ = try peer?.ask("list")
        for step in 1...60 {
            let kinds = peer == nil ? 18 : 28
            let kind = Int.random(in: 0..<kinds, using: &random)
            calls.append("\(kind)")
            if kind < 18 { try await call(kind, step) } else { try await callElsewhere(kind, step) }
        }
        try await check()
    }

    private func pick<Element>(_ all: [Element], _ random: inout SeededGenerator) -> Element {
        all[Int.random(in: 0..<all.count, using: &random)]
    }

    /// A call of this process.
    private mutating func call(_ kind: Int, _ step: Int) async throws {
        let place = Int.random(in: 0..<4, using: &random)
        let person = Person(id: ids[place], name: "\(step)")
        let message = Message(id: "\(Int.random(in: 0..<2, using: &random))", text: "\(step)", sender: person)
        let who = Int.random(in: 0..<2, using: &random)
        let (manager, list) = (managers[who], lists[who])
        let provider = pick(people, &random)
        switch kind {
        case 0, 13:
            try scene.put([person])
            model.write(person)
        case 1:
            try scene.put(message)
            model.write(message)
        case 2:
            let last = Person(id: ids[3], name: "\(step)")
            try scene.putInTransaction(message, last)
            model.write(message)
            model.write(last)
        case 3:
            manager.updateModel(person)
            model.write(person)
        case 4:
            provider.setData(person)
            model.write(person)
        case 5:
            pick(messages, &random).setData(message)
            model.write(message)
        case 6, 7:
            if kind == 6 { try scene.delete(person.id) } else { manager.deleteModel(person) }
            model.delete(person.id)
            ids[place] = "\(step + 10)"
        case 8: provider.fetchDataFromCache(withCacheKey: "Person:\(person.id)", completion: { _, _ in })
        case 9:
            pick(messages, &random).fetchDataFromCache(withCacheKey: "Message:\(step % 2)", completion: { _, _ in })
        case 10:
            list.append([person])
            model.write(person)
            model.editList { $0.append(person.id) }
        case 11 where list.count > 0:
            let first = list.data[0].id
            list.remove(at: 0)
            model.editList { ids in ids.firstIndex(of: first).map { _ = ids.remove(at: $0) } }
        case 12:
            try scene.append([person])
            model.write(person)
            model.append(person.id)
        case 14: await manager.flush()
        case 15:
            try scene.evict(person.id)
        case 16: try await rest()
        default: await Task.yield()
        }
    }

    /// A call of the other process, which is stored when this returns.
    private mutating func callElsewhere(_ kind: Int, _ step: Int) async throws {
        guard let peer else { return }
        let place = Int.random(in: 0..<4, using: &random)
        let (id, name) = (ids[place], "\(step)")
        let person = Person(id: id, name: name)
        if !isOverlapping || kind == 20 {
            try await scene.store()
            model.store()
        }
        switch kind {
        case 18, 19:
            try peer.ask("put", id, name)
            model.writeElsewhere(person)
        case 20:
            try peer.ask("remove", id)
            model.delete(id)
            ids[place] = "\(step + 10)"
        case 21:
            let message = Message(id: "\(Int.random(in: 0..<2, using: &random))", text: name, sender: person)
            try peer.ask("message", id, name, message.id)
            model.writeElsewhere(message)
        case 22:
            try peer.ask("forget", id)
        case 23:
            try peer.ask("append", id, name)
            model.writeElsewhere(person)
            model.appendElsewhere(id)
        case 24:
            try peer.ask("edit", id, name)
            model.writeElsewhere(person)
            model.forgetList()
        case 25:
            try peer.ask("update", id, name)
            model.writeElsewhere(person)
        case 26:
            try peer.ask("show", id, name)
            model.writeElsewhere(person)
        default: try peer.ask("rest")
        }
    }

    private mutating func rest() async throws {
        try await scene.settle()
        model.store()
        model.rest(shown: scene.hasAllPeople ? lists[0].data.map(\.id) : nil)
    }

    // MARK: At rest

    private mutating func check() async throws {
        for _ in 0..<3 { try await scene.settle() }
        let elsewhere = try peer?.ask("rest")
        for _ in 0..<2 { try await scene.settle() }
        for provider in people {
            if let person = provider.data { try check(person.id, person.name) }
        }
        for provider in messages {
            guard let shown = provider.data, let cached = try scene.message(shown.id) else { continue }
            #expect(cached == shown, story)
            #expect(model.allows(shown.text, of: "Message:\(shown.id)"), story)
        }
        let stored = scene.people().map(\.id)
        for list in lists {
            for person in list.data { try check(person.id, person.name) }
            // A screen may show who was evicted, if it has seen him before.
            let kept = try list.data.map(\.id).filter { try scene.person($0) != nil }
            // What is not whole is shown as it was.
            if scene.hasAllPeople { #expect(stored == kept, story) }
        }
        if let list = model.list {
            let listed = try list.filter { try scene.person($0) != nil }
            #expect(stored == listed, story)
        }
        if !isOverlapping { for watcher in watchers { #expect(watcher.wrong == nil, story) } }
        if let elsewhere { try check(elsewhere: elsewhere, stored) }
    }

    /// How it came to what is wrong.
    private var story: Comment { "seed \(seed): \(calls.joined(separator: " ")); \(model)" }

    /// Checks a person on a screen, where the cache still has it: what was evicted before it was read stays as it was.
    private func check(_ id: String, _ name: String) throws {
        guard let cached = try scene.person(id) else { return }
        #expect(cached.name == name, story)
        #expect(model.allows(name, of: "Person:\(id)"), story)
    }

    /// Checks what the other process shows.
    private func check(elsewhere answer: String, _ stored: [String]) throws {
        let parts = answer.split(separator: "|", omittingEmptySubsequences: false)
        try #require(parts.count == 3, story)
        for word in parts[0].split(separator: " ") {
            let pair = word.split(separator: "=").map(String.init)
            try check(pair[0], pair[1])
        }
        let elsewhere = try parts[1].split(separator: " ").map(String.init).filter { try scene.person($0) != nil }
        if scene.hasAllPeople { #expect(elsewhere == stored, story) }
        if !isOverlapping { #expect(parts[2] == "", story) }
    }
}

/// What calls come to: the last one wins, wherever it was made.
private struct FollowingModel {
    /// The last version of each model, `nil` if that is a deletion.
    ///
    /// Several where it is not known which of two calls was the last.
    private var versions: [String: Set<String?>] = [:]
    /// What was written here and may not be stored yet.
    private var pending: Set<String> = []
    /// Who is in the list, the deleted included; `nil` if it is not known.
    private(set) var list: [String]?
    /// Whether everybody shows the list that is stored.
    private var isListShown = true
    private var isListPending = false

    mutating func begin(_ ids: [String]) {
        for id in ids { set("Person:\(id)", "0") }
        list = ids
    }

    private mutating func set(_ name: String, _ version: String?) {
        versions[name] = [version]
        pending.insert(name)
    }

    private mutating func setElsewhere(_ name: String, _ version: String) {
        versions[name] = pending.contains(name) ? (versions[name] ?? []).union([version]) : [version]
    }

    mutating func write(_ person: Person) { set("Person:\(person.id)", person.name) }

    mutating func write(_ message: Message) {
        set("Message:\(message.id)", message.text)
        write(message.sender)
    }

    mutating func delete(_ id: String) { set("Person:\(id)", nil) }

    mutating func writeElsewhere(_ person: Person) { setElsewhere("Person:\(person.id)", person.name) }

    mutating func writeElsewhere(_ message: Message) {
        setElsewhere("Message:\(message.id)", message.text)
        writeElsewhere(message.sender)
    }

    /// An edit of what a screen shows, which is known where that is what is stored.
    mutating func editList(_ body: (inout [String]) -> Void) {
        isListPending = true
        guard isListShown, var edited = list else { return forgetList() }
        body(&edited)
        list = edited
        isListShown = false
    }

    /// An edit of what is stored.
    mutating func append(_ id: String) {
        list?.append(id)
        isListShown = false
    }

    mutating func appendElsewhere(_ id: String) {
        if isListPending { forgetList() } else { append(id) }
    }

    mutating func forgetList() {
        list = nil
        isListShown = false
    }

    /// Everything that was written here is stored.
    mutating func store() {
        pending = []
        isListPending = false
    }

    /// Everybody has been told, and the screens show `ids`; `nil` if the cache does not have all of the list.
    mutating func rest(shown ids: [String]?) {
        list = ids.map { list ?? $0 }
        isListShown = ids != nil
    }

    func allows(_ version: String, of name: String) -> Bool { versions[name]?.contains(version) ?? false }
}

import Grove
import GroveCache
import GroveCoding
import Synchronization
import TestSupport
import Testing

/// Random calls over all sources, beside a model of the rule: a call is where it was made, an answer where its request was sent.
///
/// A version is the step of an edit, `12`, or of a request, `a12`.
@MainActor
final class AnswerProgram {
    /// Tells requests when they are sent, also those that managers send again.
    private final class Clock: Sendable {
        private let now = Mutex(0)
        var step: Int {
            get { now.withLock { $0 } }
            set { now.withLock { $0 = newValue } }
        }
    }

    private let scene: any FollowingScene
    private let wipe: (Int) async throws -> Void
    private let peer: PeerConversation?
    private let seed: UInt64
    private let replacesFiles: Bool
    private var random: SeededGenerator
    private let managers: [DataModelManager]
    private let messages: [DataProvider<Message>]
    private let people: [DataProvider<Person>]
    private let lists: [CollectionDataProvider<Person>]
    private let listServer = Server<[Person]>()
    private let clock = Clock()
    /// The servers of the two messages.
    private let modelServers = [Server<Message?>(), Server<Message?>()]
    private var pushes: [(step: Int, manager: Int, place: Place)] = []
    private var loads: [Task<Void, Never>] = []
    private var model = AnswerModel()
    private var isSuspended = false
    /// What each provider asked for last and is to show once anybody has it.
    private var wanted: [ObjectIdentifier: String] = [:]
    /// Which manager sent the request of a step, and when each manager's screens edited each node last.
    private var askers: [Int: Int] = [:]
    private var edits: [[String: Int]] = [[:], [:]]
    private var step = 0 { didSet { clock.step = step } }
    private var calls: [String] = []

    /// - Parameters:
    ///   - replacesFiles: whether the last doors take the files away, which ends requests, and leaves what is shown.
    ///   - wipe: empties the cache by one of several doors.
    init(
        _ scene: any FollowingScene, _ seed: UInt64, beside peer: PeerConversation? = nil, replacesFiles: Bool = false,
        wipe: @escaping (Int) async throws -> Void
    ) {
        (self.scene, self.seed, self.peer, self.wipe) = (scene, seed, peer, wipe)
        self.replacesFiles = replacesFiles
        random = SeededGenerator(seed: seed)
        let managers = [scene.manager, scene.other]
        self.managers = managers
        messages = (0..<4).map { DataProvider<Message>(dataModelManager: managers[$0 % 2]) }
        people = (0..<4).map { DataProvider<Person>(dataModelManager: managers[$0 % 2]) }
        lists = managers.map { CollectionDataProvider<Person>(dataModelManager: $0) }
    }

    func run() async throws {
        for _ in 1...60 {
            step += 1
            let kind = Int.random(in: 0..<(peer == nil ? 26 : 30), using: &random)
            calls.append("\(step):\(kind)")
            try await call(kind)
        }
        try await end()
    }

    private func pick<Element>(_ all: [Element]) -> Element { all[Int.random(in: 0..<all.count, using: &random)] }

    private func person(_ version: String) -> Person {
        Person(id: "\(Int.random(in: 0..<3, using: &random))", name: version)
    }

    private func message(_ version: String) -> Message {
        Message(id: "\(Int.random(in: 0..<2, using: &random))", text: version, sender: person(version))
    }

    private func call(_ kind: Int) async throws {
        let edited = person("\(step)")
        let written = message("\(step)")
        let who = Int.random(in: 0..<2, using: &random)
        switch kind {
        case 0...4: await ask()
        case 5...8: await answer()
        case 9:
            let screen = pick(messages)
            screen.setData(written)
            wanted[ObjectIdentifier(screen)] = nil
            edit(written, by: screen.dataModelManager)
        case 10:
            let screen = pick(people)
            screen.setData(edited)
            wanted[ObjectIdentifier(screen)] = nil
            edit(edited, by: screen.dataModelManager)
        case 11:
            managers[who].updateModel(edited)
            edit(edited, by: managers[who])
        case 12 where !isSuspended, 13 where !isSuspended:
            if kind == 12 { try scene.put([edited]) } else { try scene.put(written) }
            if kind == 12 { model.edit(edited, step) } else { model.edit(written, step) }
        case 14:
            managers[who].deleteModel(edited)
            model.delete(edited.id, step)
            edits[who]["Person:\(edited.id)"] = step
        case 15 where !isSuspended:
            try scene.delete(edited.id)
            model.delete(edited.id, step)
        case 16: pushes.append((step, who, managers[who].place()))
        case 17 where !pushes.isEmpty:
            let push = pushes.remove(at: Int.random(in: 0..<pushes.count, using: &random))
            let pushed = message("a\(push.step)")
            do {
                try managers[push.manager].updateModel(pushed, asOf: push.place)
                bring(pushed, push.step)
            } catch {
                #expect(error.code == .cancelled && model.lastLife > push.step, story)
            }
        case 18:
            let screen = pick(messages)
            wanted[ObjectIdentifier(screen)] = screen.data == nil ? "Message:\(written.id)" : nil
            screen.fetchDataFromCache(withCacheKey: "Message:\(written.id)") { [self] given, _ in
                #expect(given == nil || given == screen.data, story)
            }
        case 19:
            let screen = pick(people)
            wanted[ObjectIdentifier(screen)] = screen.data == nil ? "Person:\(edited.id)" : nil
            screen.fetchDataFromCache(withCacheKey: "Person:\(edited.id)") { [self] given, _ in
                #expect(given == nil || given == screen.data, story)
            }
        case 20 where !isSuspended:
            let door = Int.random(in: 0..<5, using: &random)
            calls.append("door\(door)")
            try await wipe(door)
            if replacesFiles, door >= 3 { model.replaceFiles(step) } else { model.wipe(step) }
            wanted = [:]
        case 21 where !isSuspended:
            try scene.suspend()
            isSuspended = true
        case 22: try resume()
        case 23 where !isSuspended, 24 where !isSuspended: try await settle()
        case 26, 27:
            guard !isSuspended else { break }
            try await settle()
            if kind == 26 {
                _ = try peer?.ask("put", edited.id, edited.name)
                model.edit(edited, step)
            } else {
                _ = try peer?.ask("message", edited.id, edited.name, written.id)
                model.edit(Message(id: written.id, text: edited.name, sender: edited), step)
            }
            try await settle()
        case 28:
            guard !isSuspended else { break }
            // A call that has not reached the cache by then is of after the wipe.
            try await settle()
            _ = try peer?.ask("wipe")
            model.wipe(step)
            wanted = [:]
            try await settle()
        default: await Task.yield()
        }
    }

    /// Notes an edit; one that the cache refuses is lost if nobody holds it any more.
    private func edit(_ message: Message, by manager: DataModelManager) {
        if isSuspended { model.mayEdit("Message:\(message.id)", step) } else { model.edit(message, step) }
        edits[number(manager)]["Message:\(message.id)"] = step
        edit(message.sender, by: manager)
    }

    private func edit(_ person: Person, by manager: DataModelManager) {
        if isSuspended { model.mayEdit("Person:\(person.id)", step) } else { model.edit(person, step) }
        edits[number(manager)]["Person:\(person.id)"] = step
    }

    private func number(_ manager: DataModelManager) -> Int { manager === managers[0] ? 0 : 1 }

    // MARK: The network

    /// Sends a request.
    private func ask() async {
        let kind = Int.random(in: 0..<4, using: &random)
        if kind < 2 {
            let provider = pick(messages)
            let id = Int.random(in: 0..<2, using: &random)
            let (server, clock) = (modelServers[id], clock)
            let sent = server.sent
            let isNew = Int.random(in: 0..<3, using: &random) > 0
            let who = number(provider.dataModelManager)
            wanted[ObjectIdentifier(provider)] = provider.data == nil ? "Message:\(id)" : nil
            let open = server.open.map(server.tag).filter { askers[$0] == who }.max()
            let shown = shown("Message:\(id)", to: who)
            begin {
                _ = try? await provider.load(withCacheKey: "Message:\(id)", reload: isNew) {
                    try await server.ask(clock.step)
                }
            }
            askers[step] = who
            if isNew { return await server.receives(sent + 1) }
            for _ in 0..<8 where server.sent == sent { await managers[who].flush() }
            // It has joined the newest request that is open, of which nothing that is shown was edited since.
            guard server.sent == sent, let open else { return }
            let edited = edits[who].filter { shown?.contains($0.key) ?? true }.values.max()
            #expect(edited ?? 0 <= open, story)
        } else {
            let list = pick(lists)
            let (server, clock) = (listServer, clock)
            let sent = server.sent
            let isPage = kind == 3 && list.cacheKey != nil
            begin {
                if isPage {
                    _ = try? await list.loadMore { _ in try await server.ask(clock.step) }
                } else {
                    _ = try? await list.load(withCacheKey: "people", reload: true) { try await server.ask(clock.step) }
                }
            }
            // A page may join another.
            for _ in 0..<40 where server.sent == sent { await Task.yield() }
        }
    }

    /// The names of what a manager's screens show under `key`; `nil` if none shows it.
    private func shown(_ key: String, to who: Int) -> Set<String>? {
        for screen in messages where screen.dataModelManager === managers[who] {
            if let shown = screen.data, "Message:\(shown.id)" == key { return [key, "Person:\(shown.sender.id)"] }
        }
        return nil
    }

    private func begin(_ body: @escaping @MainActor () async -> Void) { loads.append(Task { await body() }) }

    /// Answers a request that is open, as the server had it when it was sent.
    private func answer() async {
        let open =
            modelServers.enumerated().flatMap { id, server in server.open.map { (id, $0) } }
            + listServer.open.map { (2, $0) }
        guard !open.isEmpty else { return }
        let (kind, number) = pick(open)
        answer(kind, number)
        for _ in 0..<Int.random(in: 0..<4, using: &random) { await Task.yield() }
    }

    /// Notes an answer; one that the cache refuses is lost, with what it was to be stored over, if nobody holds it any more.
    private func bring(_ message: Message, _ asked: Int) {
        guard isSuspended else { return model.answer(message, asked) }
        model.mayEdit("Message:\(message.id)", 0)
        model.mayEdit("Person:\(message.sender.id)", 0)
    }

    private func answer(_ kind: Int, _ number: Int) {
        if kind < 2 {
            let version = "a\(modelServers[kind].tag(number))"
            let value = Message(id: "\(kind)", text: version, sender: person(version))
            modelServers[kind].answer(number, .success(value))
            bring(value, modelServers[kind].tag(number))
        } else {
            let version = "a\(listServer.tag(number))"
            let value = (0..<2).map { _ in person(version) }
            listServer.answer(number, .success(value))
            for person in value {
                if isSuspended {
                    model.mayEdit("Person:\(person.id)", 0)
                } else {
                    model.answer(person, listServer.tag(number))
                }
            }
        }
    }

    // MARK: Rest

    private func resume() throws {
        guard isSuspended else { return }
        try scene.resume()
        isSuspended = false
    }

    private func settle() async throws {
        // What was refused while the cache was suspended is told once, and saved again.
        for _ in 0..<3 { try? await scene.settle() }
    }

    private func end() async throws {
        try resume()
        step += 1
        let isDone = Count()
        let loads = loads
        Task {
            for load in loads { await load.value }
            isDone.add()
        }
        // What is asked for again is answered too.
        while isDone.value == 0 {
            step += 1
            for (id, server) in modelServers.enumerated() { for number in server.open { answer(id, number) } }
            for number in listServer.open { answer(2, number) }
            await Task.yield()
        }
        for _ in 0..<3 { try await settle() }
        try check()
    }

    private func check() throws {
        for provider in messages {
            // Who has asked for something sees it as soon as anybody has it.
            if let name = wanted[ObjectIdentifier(provider)], try scene.message(named: name) != nil {
                #expect(provider.data != nil, "asked for \(name), \(provider.state); \(story)")
            }
            guard let shown = provider.data else { continue }
            check(shown.text, "Message:\(shown.id)", "shown", provider.state)
            check(shown.sender.name, "Person:\(shown.sender.id)", "shown, a sender", provider.state)
            let cached = try scene.message(shown.id)
            if let cached { #expect(cached == shown, story) }
            if cached == nil, model.isEdit(shown.text), !provider.isMissing {
                try checkSaved(["Message:\(shown.id)", "Person:\(shown.sender.id)"], as: Message.self)
            }
        }
        for provider in people {
            if let name = wanted[ObjectIdentifier(provider)], try scene.person(named: name) != nil {
                #expect(provider.data != nil, "asked for \(name), \(provider.state); \(story)")
            }
            guard let shown = provider.data else { continue }
            check(shown.name, "Person:\(shown.id)", "shown", provider.state)
            let cached = try scene.person(shown.id)
            if let cached { #expect(cached == shown, story) }
            if cached == nil, model.isEdit(shown.name), !provider.isMissing {
                try checkSaved(["Person:\(shown.id)"], as: Person.self)
            }
        }
        try checkAges()
        for list in lists {
            for shown in list.data {
                check(shown.name, "Person:\(shown.id)", "shown", list.state)
                if let cached = try scene.person(shown.id) { #expect(cached == shown, story) }
            }
        }
        for id in 0..<3 {
            let cached = try scene.person("\(id)")
            if let cached { check(cached.name, "Person:\(id)") }
            if model.mustBeThere("Person:\(id)") { #expect(cached != nil, story) }
        }
        for id in 0..<2 {
            if let cached = try scene.message("\(id)") { check(cached.text, "Message:\(id)") }
        }
    }

    /// An edit that is shown is saved, unless the cache has refused an answer that holds it.
    private func checkSaved<T: CacheableModel>(_ names: [String], as type: T.Type) throws {
        guard names.allSatisfy(model.mustBeSaved), let miss = try scene.miss(names[0], as: type) else { return }
        #expect(Bool(false), "\(names[0]) is edited and not saved: \(miss); \(story)")
    }

    /// What no answer brought was never confirmed.
    private func checkAges() throws {
        for id in 0..<3 where model.isUnconfirmed("Person:\(id)") {
            #expect(
                try scene.isConfirmed("Person:\(id)", as: Person.self) == false, "Person:\(id) is confirmed; \(story)")
        }
        for id in 0..<2 where model.isUnconfirmed("Message:\(id)") {
            #expect(
                try scene.isConfirmed("Message:\(id)", as: Message.self) == false,
                "Message:\(id) is confirmed; \(story)")
        }
    }

    /// What a provider says is not whole may be older: the cache has something newer, and lacks a part of it.
    private func check(
        _ version: String, _ name: String, _ place: String = "in the cache", _ state: ProviderState = .fresh
    ) {
        var isWhole = true
        if case .missing = state { isWhole = false }
        if let wrong = model.wrong(version, name, isWhole: isWhole) {
            #expect(Bool(false), "\(wrong) (\(place)); \(story)")
        }
    }

    private var story: Comment { "seed \(seed): \(calls.joined(separator: " "))" }
}

/// What the rule allows of each node.
private struct AnswerModel {
    private struct Node {
        /// The last edit, and the last deletion.
        var edited = 0
        var deleted = 0
        /// When the last answer was asked for.
        var answered = 0
        /// The edits that may have been lost.
        var uncertain: Set<Int> = []
    }

    private var nodes: [String: Node] = [:]
    private(set) var lastWipe = 0
    /// The last wipe, or when the files were replaced.
    private(set) var lastLife = 0

    mutating func edit(_ message: Message, _ step: Int) {
        nodes["Message:\(message.id)", default: Node()].edited = step
        edit(message.sender, step)
    }

    mutating func edit(_ person: Person, _ step: Int) { nodes["Person:\(person.id)", default: Node()].edited = step }

    mutating func mayEdit(_ name: String, _ step: Int) { nodes[name, default: Node()].uncertain.insert(step) }

    mutating func delete(_ id: String, _ step: Int) { nodes["Person:\(id)", default: Node()].deleted = step }

    mutating func answer(_ message: Message, _ asked: Int) {
        note("Message:\(message.id)", asked)
        answer(message.sender, asked)
    }

    mutating func answer(_ person: Person, _ asked: Int) { note("Person:\(person.id)", asked) }

    private mutating func note(_ name: String, _ asked: Int) {
        guard asked > lastWipe, asked >= nodes[name]?.answered ?? 0 else { return }
        nodes[name, default: Node()].answered = asked
    }

    /// The files are others now: what is shown stays, and nothing is known of the cache.
    mutating func replaceFiles(_ step: Int) { (nodes, lastLife) = ([:], step) }

    mutating func wipe(_ step: Int) {
        (lastWipe, lastLife) = (step, step)
        nodes = [:]
    }

    /// Whether the version is of an edit of the cache that is there now.
    func isEdit(_ version: String) -> Bool { Int(version).map { $0 > lastLife } ?? false }

    /// Whether what is shown of the node is saved at rest: the cache has refused no answer that brings it.
    func mustBeSaved(_ name: String) -> Bool { !(nodes[name]?.uncertain.contains(0) ?? false) }

    /// Whether the node was edited since the last wipe, and no answer has brought it.
    func isUnconfirmed(_ name: String) -> Bool {
        guard let node = nodes[name] else { return false }
        return node.edited > 0 && node.answered == 0 && node.uncertain.isEmpty
    }

    /// Whether the last that happened to the node is an edit of which everybody has learned.
    func mustBeThere(_ name: String) -> Bool {
        guard let node = nodes[name] else { return false }
        return node.edited > node.deleted && node.edited > node.answered && node.uncertain.isEmpty
    }

    /// What is wrong with a version that is shown or stored; `nil` if nothing.
    func wrong(_ version: String, _ name: String, isWhole: Bool) -> String? {
        let isAnswer = version.hasPrefix("a")
        guard let step = Int(isAnswer ? version.dropFirst() : version[...]) else { return "\(name) is \(version)" }
        guard step > lastWipe else { return "\(name) is \(version), of before the wipe at \(lastWipe)" }
        let node = nodes[name] ?? Node()
        if step < node.deleted { return "\(name) is \(version), which was deleted at \(node.deleted)" }
        // What the cache has refused is forgotten if nobody holds it any more, and what was there before it with it.
        if step < node.edited, node.uncertain.isEmpty, isWhole {
            return "\(name) is \(version), which undoes the edit of \(node.edited)"
        }
        return nil
    }
}

extension DataProvider {
    /// Whether the state says that something is missing.
    fileprivate var isMissing: Bool {
        if case .missing = state { true } else { false }
    }
}

extension FollowingScene {
    fileprivate func person(named name: String) throws -> Person? {
        try person(String(name.dropFirst("Person:".count)))
    }

    fileprivate func message(named name: String) throws -> Message? {
        try message(String(name.dropFirst("Message:".count)))
    }
}

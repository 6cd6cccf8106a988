import Grove
import GroveCache
import GroveCoding
import Synchronization
import TestSupport
import Testing

/// Random calls over all sources, beside a model of the rule: a call is where it was made, an answer where its request
/// was sent.
///
/// A version is the step of an edit, `12`, or of a request, `a12`.
@MainActor
final class AnswerProgram {
    /// Tells requests when they are sent, also those that managers send again.
    final class Clock: Sendable {
        private let now = Mutex(0)
        var step: Int {
            get { now.withLock { $0 } }
            set { now.withLock { $0 = newValue } }
        }
    }

    let scene: any FollowingScene
    private let wipe: (Int) async throws -> Void
    let peer: PeerConversation?
    private let seed: UInt64
    private let replacesFiles: Bool
    private let editsLists: Bool
    private let editsParts: Bool
    var random: SeededGenerator
    let managers: [DataModelManager]
    let messages: [DataProvider<Message>]
    let people: [DataProvider<Person>]
    let lists: [CollectionDataProvider<Person>]
    let listServer = Server<[Person]>()
    let clock = Clock()
    /// The servers of the two messages.
    let modelServers = [Server<Message?>(), Server<Message?>()]
    private var pushes: [(step: Int, manager: Int, place: Place)] = []
    /// The wipe after which each manager was at rest, or which it made itself.
    var learnedWipes = [0, 0]
    /// Of `edits`, those that each manager's screens show.
    var learned: [[String: Int]] = [[:], [:]]
    var loads: [Task<Void, Never>] = []
    var model = AnswerModel()
    var isSuspended = false
    /// Whether what was done to the list has reached the cache.
    var isListSettled = true
    /// The nodes of answers that may not have reached the cache.
    var unsettled: Set<String> = []
    /// What each provider asked for last and is to show once anybody has it.
    var wanted: [ObjectIdentifier: String] = [:]
    /// Which manager sent the request of a step, and when each manager's screens edited each node last.
    var askers: [Int: Int] = [:]
    var edits: [[String: Int]] = [[:], [:]]
    var step = 0 { didSet { clock.step = step } }
    var calls: [String] = []

    /// - Parameters:
    ///   - replacesFiles: whether the last doors take the files away, which ends requests, and leaves what is shown.
    ///   - editsParts: whether texts of messages are edited by themselves, as another projection.
    ///   - wipe: empties the cache by one of several doors.
    init(
        _ scene: any FollowingScene, _ seed: UInt64, beside peer: PeerConversation? = nil, replacesFiles: Bool = false,
        editsLists: Bool = false, editsParts: Bool = false,
        wipe: @escaping (Int) async throws -> Void
    ) {
        (self.scene, self.seed, self.peer, self.wipe) = (scene, seed, peer, wipe)
        (self.replacesFiles, self.editsLists, self.editsParts) = (replacesFiles, editsLists, editsParts)
        random = SeededGenerator(seed: seed)
        let managers = [scene.manager, scene.other]
        self.managers = managers
        messages = (0..<4).map { DataProvider<Message>(dataModelManager: managers[$0 % 2]) }
        people = (0..<4).map { DataProvider<Person>(dataModelManager: managers[$0 % 2]) }
        lists = managers.map { CollectionDataProvider<Person>(dataModelManager: $0) }
    }

    func run() async throws {
        let withPeer = peer != nil
        let kinds =
            Array(0..<26) + [40] + (withPeer ? 26..<30 : 0..<0) + (editsLists ? 30..<36 : 0..<0)
            + (editsLists && withPeer ? 36..<38 : 0..<0) + (editsParts ? 41..<43 : 0..<0)
        for _ in 1...60 {
            step += 1
            let kind = pick(kinds)
            calls.append("\(step):\(kind)")
            try await call(kind)
            checkTurn()
        }
        try await end()
    }

    func pick<Element>(_ all: [Element]) -> Element { all[Int.random(in: 0..<all.count, using: &random)] }

    func person(_ version: String) -> Person {
        Person(id: "\(Int.random(in: 0..<3, using: &random))", name: version)
    }

    func message(_ version: String) -> Message {
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
            if peer == nil, door == 1 || door == 2 { learnedWipes[door - 1] = step }
            wanted = [:]
        case 21 where !isSuspended:
            try scene.suspend()
            isSuspended = true
            if !isListSettled { model.refuseList() }
            for name in unsettled { model.mayEdit(name, 0) }
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
        case 30...35: try editList()
        case 40 where !pushes.isEmpty && !isSuspended: writeLate(pushes.removeFirst())
        // An answer of before it may replace the text: places are of projections, not of fields.
        case 41:
            managers[who].updateModel(MessageText(id: written.id, text: "\(step)"))
            if isSuspended { model.mayEdit("Message:\(written.id)", 0) }
        case 42 where !isSuspended: try scene.renameText(written.id, "\(step)")
        case 36, 37:
            guard !isSuspended else { break }
            try await settle()
            try editListElsewhere()
            try await settle()
        default: await Task.yield()
        }
    }

    /// Writes an answer as of a place by a task, which may commit it after later calls.
    private func writeLate(_ push: (step: Int, manager: Int, place: Place)) {
        let (pushed, cache) = (message("a\(push.step)"), scene.anyCache)
        bring(pushed, push.step)
        begin {
            do {
                try await cache.write(pushed, asOf: push.place)
            } catch {
                let code = (error as? CacheError)?.code
                #expect(code == .cancelled || code == .suspended, self.story)
                guard code == .suspended else { return }
                self.model.mayEdit("Message:\(pushed.id)", 0)
                self.model.mayEdit("Person:\(pushed.sender.id)", 0)
            }
        }
    }

    /// Notes an edit, which is lost if the cache refuses it and no provider holds it any more.
    func edit(_ message: Message, by manager: DataModelManager) {
        if isSuspended { model.mayEdit("Message:\(message.id)", step) } else { model.edit(message, step) }
        edits[number(manager)]["Message:\(message.id)"] = step
        edit(message.sender, by: manager)
    }

    func edit(_ person: Person, by manager: DataModelManager) {
        if isSuspended { model.mayEdit("Person:\(person.id)", step) } else { model.edit(person, step) }
        edits[number(manager)]["Person:\(person.id)"] = step
    }

    func number(_ manager: DataModelManager) -> Int { manager === managers[0] ? 0 : 1 }

    // MARK: Rest

    private func resume() throws {
        guard isSuspended else { return }
        try scene.resume()
        isSuspended = false
    }

    private func settle() async throws {
        // What was refused while the cache was suspended is told once, and saved again.
        for _ in 0..<3 { try? await scene.settle() }
        if !isSuspended { (isListSettled, unsettled) = (true, []) }
        if !isSuspended { (learned, learnedWipes) = (edits, [model.lastWipe, model.lastWipe]) }
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
            checkTurn()
        }
        for _ in 0..<3 { try await settle() }
        try check()
    }

    var story: Comment { "seed \(seed): \(calls.joined(separator: " "))" }
}

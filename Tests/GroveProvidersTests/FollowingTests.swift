import Dispatch
import Grove
@testable import GroveCache
import GroveLMDB
import GroveLevelDB
import GroveMemory
import GroveSQLite
import TestSupport
import Testing

/// What the cache has is what the screen shows, whoever wrote it.
@MainActor
@Suite("A manager follows its cache")
struct FollowingTests {
    typealias People = CollectionDataProvider<Person>

    enum Backend: CaseIterable { case memory, lmdb, sqlite, levelDB }

    /// Who changes something.
    enum Writer: CaseIterable { case typedCall, transaction, otherManager }

    /// A cache, a manager whose screens are looked at, and another one.
    @MainActor
    struct Scene<Store: NodeStore> {
        let cache: NormalizedCache<Store>
        let manager: DataModelManager
        let other: DataModelManager

        init(_ cache: NormalizedCache<Store>) {
            self.cache = cache
            manager = DataModelManager(cacheDelegate: cache)
            other = DataModelManager(cacheDelegate: cache)
        }

        /// Returns when everybody has been told of everything.
        func settle() async throws {
            // What follows of one commit is read in a few steps, one after the other.
            for _ in 0..<4 {
                for manager in [manager, other] { await manager.flush() }
                try await cache.flush()
                await withCheckedContinuation { continuation in
                    cache.core.audience.events.async { continuation.resume() }
                }
            }
            for manager in [manager, other] { await manager.flush() }
        }

        func write(_ models: [Message], by writer: Writer) throws {
            switch writer {
            case .typedCall: try cache.write(contentsOf: models)
            case .transaction: try cache.write { tx in for model in models { try tx.write(model) } }
            case .otherManager: other.updateModels(models)
            }
        }

        func delete(_ person: Person, by writer: Writer) throws {
            switch writer {
            case .typedCall: try cache.delete("Person:\(person.id)")
            case .transaction: try cache.write { tx in try tx.delete("Person:\(person.id)") }
            case .otherManager: other.deleteModel(person)
            }
        }
    }

    private func onEach(_ backend: Backend, _ body: (any FollowingScene) async throws -> Void) async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/cache"
        switch backend {
        case .memory: try await body(Scene(try MemoryCache()))
        case .lmdb: try await body(Scene(try LMDBCache(directory: path)))
        case .sqlite: try await body(Scene(try SQLiteCache(directory: path)))
        case .levelDB: try await body(Scene(try LevelDBCache(directory: path)))
        }
    }

    private let ann = Person(id: "1", name: "Ann")
    private let bob = Person(id: "2", name: "Bob")

    @Test(
        "A write reaches who holds the node, who holds it in a tree or a list, who waits for it, and streams",
        arguments: Backend.allCases, Writer.allCases)
    func writes(backend: Backend, writer: Writer) async throws {
        try await onEach(backend) { scene in
            let manager = scene.manager
            let (held, waits) = (
                DataProvider<Message>(dataModelManager: manager), DataProvider<Message>(dataModelManager: manager)
            )
            let list = People(dataModelManager: manager)
            held.setData(Message(id: "1", text: "hello", sender: ann))
            list.setData([ann, bob], cacheKey: "people")
            waits.modelIdentifier = "Message:9"
            let stream: AsyncStream<ModelEvent<Person>> = manager.consistencyManager.changes(of: "Person:1")
            try await scene.settle()
            let renamed = Person(id: "1", name: "Anna")
            try scene.write(
                [Message(id: "1", text: "again", sender: renamed), Message(id: "9", text: "new", sender: renamed)],
                by: writer)
            try await scene.settle()
            #expect(held.data == Message(id: "1", text: "again", sender: renamed))
            #expect(list.data == [renamed, bob])
            #expect(waits.data?.text == "new")
            let later = DataProvider<Message>(dataModelManager: manager)
            #expect(try await later.fetchDataFromCache(withCacheKey: "Message:1")?.text == "again")
            var events = stream.makeAsyncIterator()
            while let event = await events.next() { if event.model == renamed { break } }
        }
    }

    @Test("A deletion cascades", arguments: Backend.allCases, Writer.allCases)
    func deletions(backend: Backend, writer: Writer) async throws {
        try await onEach(backend) { scene in
            let manager = scene.manager
            let (held, person) = (
                DataProvider<Message>(dataModelManager: manager), DataProvider<Person>(dataModelManager: manager)
            )
            let list = People(dataModelManager: manager)
            held.setData(Message(id: "1", text: "hello", sender: ann))
            person.setData(bob)
            list.setData([ann, bob], cacheKey: "people")
            try await scene.settle()
            try scene.delete(ann, by: writer)
            try await scene.settle()
            #expect(held.data == nil)
            #expect(person.data == bob)
            #expect(list.data == [bob])
            // Its own later write is not undone by what comes late.
            try scene.delete(bob, by: writer)
            person.setData(Person(id: "2", name: "back"))
            try await scene.settle()
            let shown = person.data
            #expect(try shown == scene.person("2"))
        }
    }

    @Test("Lists follow edits, and what is evicted stays on screen", arguments: Backend.allCases, Writer.allCases)
    func lists(backend: Backend, writer: Writer) async throws {
        try await onEach(backend) { scene in
            let list = People(dataModelManager: scene.manager)
            let screen = Screen()
            list.setData((0..<200).map { Person(id: "\($0)") }, cacheKey: "people")
            try await scene.settle()
            list.delegate = screen
            try scene.insert([Person(id: "new"), Person(id: "newer")], at: 100, by: writer)
            try await scene.settle()
            #expect(list.data.map(\.id) == (0..<100).map { "\($0)" } + ["new", "newer"] + (100..<200).map { "\($0)" })
            #expect(screen.changes == [.changes([.insert(index: 100), .insert(index: 101)])])
            try scene.forget("Person:5", list: "people")
            try await scene.settle()
            #expect(list.count == 202)
            // An edit of its own is of what it shows, and everybody else shows that.
            list.remove(at: 0)
            try await scene.settle()
            #expect(scene.stored("people").map(\.id) == list.data.map(\.id).filter { $0 != "5" })
        }
    }

    @Test("Emptying the cache empties what shows it, but for what was set since", arguments: Backend.allCases)
    func wipes(backend: Backend) async throws {
        try await onEach(backend) { scene in
            for byManager in [false, true] {
                let manager = scene.manager
                let (held, since) = (
                    DataProvider<Person>(dataModelManager: manager), DataProvider<Person>(dataModelManager: manager)
                )
                let list = People(dataModelManager: manager)
                held.setData(ann)
                since.setData(bob)
                list.setData([ann], cacheKey: "people")
                try await scene.settle()
                if byManager { try await scene.other.wipe() } else { try await scene.wipe() }
                since.setData(bob)
                try await scene.settle()
                #expect(held.data == nil)
                #expect(since.data == bob)
                #expect(list.data == [])
            }
        }
    }

    @Test("What is in memory only stays, and so does what the cache has forgotten of a tree")
    func memoryOnly() async throws {
        try await onEach(.sqlite) { scene in
            let held = DataProvider<Message>(dataModelManager: scene.manager)
            held.setData(Message(id: "1", text: "hello", sender: ann))
            try await scene.settle()
            scene.manager.updateModel(Person(id: "1", name: "draft"), updateCache: false)
            try scene.write([Message(id: "1", text: "again", sender: ann)], by: .typedCall)
            try await scene.settle()
            // The sender is stored as it was: it is in no change set.
            #expect(held.data == Message(id: "1", text: "again", sender: Person(id: "1", name: "draft")))
            try scene.forget("Person:1", list: nil)
            try scene.renameText("1", "third")
            try await scene.settle()
            #expect(held.data?.text == "third")
        }
    }

    @Test("Who is told of a list by others may edit it, and places that wait for a model go on waiting")
    func editsWhenTold() async throws {
        try await onEach(.memory) { scene in
            let list = People(dataModelManager: scene.manager)
            let editor = Editor()
            list.setData((0..<100).map { Person(id: "\($0)") }, cacheKey: "people")
            try await scene.settle()
            list.insert(awaiting: ["Person:900"], at: 0)
            list.delegate = editor
            try scene.insert([Person(id: "new")], at: 50, by: .typedCall)
            try await scene.settle()
            #expect(list.count == 102)
            #expect(scene.stored("people") == list.data)
            try scene.put([Person(id: "900")])
            try await scene.settle()
            #expect(list.data.first?.id == "900")
            #expect(scene.stored("people") == list.data)
        }
    }

    @Test(
        "What was committed right before a suspension shows after it, and a wipe then is one",
        arguments: Backend.allCases)
    func suspensions(backend: Backend) async throws {
        try await onEach(backend) { scene in
            let held = DataProvider<Person>(dataModelManager: scene.manager)
            held.setData(ann)
            try scene.putAndSuspend([Person(id: "1", name: "Anna")])
            await scene.manager.flush()
            try scene.resumeNow()
            try await scene.settle()
            #expect(held.data?.name == "Anna")
            held.setData(Person(id: "1", name: "saved"))
            try scene.suspendNow()
            try scene.resumeNow()
            try await scene.settle()
            #expect(try scene.person("1")?.name == "saved")
            try await scene.wipe()
            try scene.suspendNow()
            await scene.manager.flush()
            try scene.resumeNow()
            try await scene.settle()
            #expect(held.data == nil)
        }
    }

    @Test("A provider's own writes come back as nothing, and what it wrote last is what it shows")
    func ownWrites() async throws {
        try await onEach(.sqlite) { scene in
            let held = DataProvider<Person>(dataModelManager: scene.manager)
            let screen = Screen()
            held.delegate = screen
            for step in 0..<50 {
                held.setData(Person(id: "1", name: "\(step)"))
                if step % 7 == 0 { try await scene.settle() }
            }
            try await scene.settle()
            #expect(screen.told.isEmpty)
            #expect(held.data?.name == "49")
        }
    }

    @Test(
        "At rest, screens, managers and cache agree, and nobody sees a version go backwards",
        arguments: 0..<40 as Range<UInt64>)
    func programs(seed: UInt64) async throws {
        try await onEach(seed % 8 == 0 ? .sqlite : .memory) { scene in
            try await scene.program(seed)
        }
    }

    @Test("The same, of more seeds", arguments: 60..<400 as Range<UInt64>)
    func slowPrograms(seed: UInt64) async throws {
        try await onEach(seed % 8 == 0 ? .lmdb : .memory) { scene in try await scene.program(seed) }
    }
}

/// A scene of any backend.
@MainActor
protocol FollowingScene {
    var manager: DataModelManager { get }
    var other: DataModelManager { get }
    func settle() async throws
    func write(_ models: [Message], by writer: FollowingTests.Writer) throws
    func delete(_ person: Person, by writer: FollowingTests.Writer) throws
    func insert(_ people: [Person], at index: Int, by writer: FollowingTests.Writer) throws
    func forget(_ identifier: ModelIdentifier, list: String?) throws
    func renameText(_ id: String, _ text: String) throws
    func person(_ id: String) throws -> Person?
    func stored(_ list: String) -> [Person]
    func wipe() async throws
    func put(_ people: [Person]) throws
    func putAndSuspend(_ people: [Person]) throws
    func suspendNow() throws
    func resumeNow() throws
    func program(_ seed: UInt64) async throws
}

extension FollowingTests.Scene: FollowingScene {
    func insert(_ people: [Person], at index: Int, by writer: FollowingTests.Writer) throws {
        switch writer {
        case .typedCall: try cache.insert(people, at: index, inCollection: "people")
        case .transaction: try cache.write { tx in try tx.insert(people, at: index, inCollection: "people") }
        case .otherManager:
            let list = CollectionDataProvider<Person>(dataModelManager: other)
            let stored = stored("people")
            list.setData(stored, cacheKey: "people", shouldCache: false)
            list.insert(people, at: index)
        }
    }

    func forget(_ identifier: ModelIdentifier, list: String?) throws {
        try cache.evict(identifier)
        if let list { try cache.removeCollection(list) }
    }

    func renameText(_ id: String, _ text: String) throws {
        // A projection that leaves the sender as it is.
        try cache.write(MessageText(id: id, text: text))
    }

    func person(_ id: String) throws -> Person? { try cache.model("Person:\(id)", as: Person.self) }

    func stored(_ list: String) -> [Person] { (try? cache.collection(list, of: Person.self, missing: .skip)) ?? [] }

    func wipe() async throws { try await cache.wipe() }

    /// Calls of this thread, which waits.
    func put(_ people: [Person]) throws { try cache.write(contentsOf: people) }

    func putAndSuspend(_ people: [Person]) throws {
        try put(people)
        try cache.suspend()
    }

    func suspendNow() throws { try cache.suspend() }

    func resumeNow() throws { try cache.resume() }

    func add(_ people: [Person]) throws { try cache.append(people, toCollection: "people") }

    func program(_ seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let managers = [manager, other]
        let people = (0..<6).map { DataProvider<Person>(dataModelManager: managers[$0 % 2]) }
        let messages = (0..<4).map { DataProvider<Message>(dataModelManager: managers[$0 % 2]) }
        let lists = managers.map { CollectionDataProvider<Person>(dataModelManager: $0) }
        let watchers = people.map { provider in
            let watcher = VersionWatcher()
            provider.delegate = watcher
            return watcher
        }
        lists[0].setData((0..<4).map { Person(id: "\($0)", name: "0") }, cacheKey: "people")
        try await settle()
        _ = try await lists[1].fetchDataFromCache(withCacheKey: "people")
        // Who is deleted here does not come back: a list that was stored whole in the meantime would hold him again.
        var ids = (0..<4).map { "\($0)" }
        for step in 1...60 {
            let place = Int.random(in: 0..<4, using: &random)
            let id = ids[place]
            let person = Person(id: id, name: "\(step)")
            let message = Message(id: "\(Int.random(in: 0..<2, using: &random))", text: "\(step)", sender: person)
            let who = Int.random(in: 0..<2, using: &random)
            switch Int.random(in: 0..<16, using: &random) {
            case 0: try put([person])
            case 1: try write([message], by: .typedCall)
            case 2:
                try write(
                    [message, Message(id: "1", text: "\(step)", sender: Person(id: ids[3], name: "\(step)"))],
                    by: .transaction)
            case 3: managers[who].updateModel(person)
            case 4: people[Int.random(in: 0..<6, using: &random)].setData(person)
            case 5: messages[Int.random(in: 0..<4, using: &random)].setData(message)
            case 6:
                try delete(person, by: .typedCall)
                ids[place] = "\(step + 10)"
            case 7:
                managers[who].deleteModel(person)
                ids[place] = "\(step + 10)"
            case 8:
                people[Int.random(in: 0..<6, using: &random)].fetchDataFromCache(
                    withCacheKey: "Person:\(id)", completion: { _, _ in })
            case 9:
                messages[Int.random(in: 0..<4, using: &random)].fetchDataFromCache(
                    withCacheKey: "Message:\(step % 2)", completion: { _, _ in })
            case 10: lists[who].append([person])
            case 11 where lists[who].count > 0: lists[who].remove(at: 0)
            case 12: try? add([person])
            case 13: try await cache.write(Person(id: id, name: "\(step)"))
            case 14: await managers[who].flush()
            default: await Task.yield()
            }
        }
        for _ in 0..<3 { try await settle() }
        for provider in people {
            guard let shown = provider.data else { continue }
            let cached = try cache.model("Person:\(shown.id)", as: Person.self)
            #expect(cached == shown, "seed \(seed)")
        }
        for provider in messages {
            guard let shown = provider.data else { continue }
            let cached = try cache.read("Message:\(shown.id)", as: Message.self)
            #expect(cached == .hit(shown), "seed \(seed)")
        }
        #expect(lists[0].data == lists[1].data, "seed \(seed)")
        #expect(stored("people") == lists[0].data, "seed \(seed)")
        for watcher in watchers { #expect(watcher.wentBack == nil, "seed \(seed)") }
    }
}

/// Appends to the list that it is told of, once.
@MainActor
private final class Editor: CollectionDataProviderDelegate {
    private var isDone = false

    func collectionDataProviderHasUpdatedData<T>(
        _ dataProvider: CollectionDataProvider<T>, collectionChanges: CollectionChange, context: (any Sendable)?
    ) {
        guard !isDone, let list = dataProvider as? CollectionDataProvider<Person> else { return }
        isDone = true
        list.append([Person(id: "appended")])
    }
}

/// Notes where a newer version of a person was followed by an older one.
@MainActor
private final class VersionWatcher: DataProviderDelegate {
    private var seen: [String: Int] = [:]
    var wentBack: String?

    func dataProviderHasUpdatedData<T>(_ dataProvider: DataProvider<T>, context: (any Sendable)?) {
        guard let person = dataProvider.data as? Person, let version = Int(person.name) else { return }
        if let before = seen[person.id], version < before { wentBack = "\(person.id): \(before), then \(version)" }
        seen[person.id] = max(version, seen[person.id] ?? 0)
    }
}

/// The text of a message, without its sender.
struct MessageText: Model, Equatable, CacheableModel {
    var id: String
    var text: String

    static let recordName = "Message"
    static let projectionName = "MessageText"
    var projectionIdentifier: String { "MessageText" }
    var modelIdentifier: ModelIdentifier? { "Message:\(id)" }
    func map(_ transform: (any Model) -> (any Model)?) -> MessageText? { self }
    func forEach(_ visit: (any Model) -> Void) {}

    static let fields = FieldTable("id", "text")

    func encodeFields(to node: inout NodeEncoder) throws(CacheError) {
        try node.encode(id, at: 0)
        try node.encode(text, at: 1)
    }

    static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> MessageText {
        let id = try node.scan(String.self, at: 0)
        let text = try node.scan(String.self, at: 1)
        return MessageText(id: try node.finish(id), text: try node.finish(text))
    }
}

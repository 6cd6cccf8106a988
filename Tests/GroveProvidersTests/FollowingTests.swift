import Grove
import GroveCache
import GroveLMDB
import GroveLevelDB
import GroveMemory
import GroveSQLite
import TestSupport
import Testing

/// What the cache has is what the screen shows, by any writer.
@MainActor
@Suite("A manager follows its cache")
struct FollowingTests {
    typealias People = CollectionDataProvider<Person>

    enum Backend: CaseIterable { case memory, lmdb, sqlite, levelDB }

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

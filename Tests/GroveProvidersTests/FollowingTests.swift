import Foundation
import Grove
import GroveMemory
import GroveCache
import Testing

/// What the cache has is what the screen shows: what the matrix does not say of it.
@MainActor
@Suite("A manager follows its cache")
struct FollowingTests {
    typealias People = CollectionDataProvider<Person>

    private func onEach(
        _ backend: FollowedBackend, _ body: @MainActor (any FollowingScene) async throws -> Void
    ) async throws {
        try await backend.open { scene, _ in try await body(scene) }
    }

    private let ann = Person(id: "1", name: "Ann")
    private let bob = Person(id: "2", name: "Bob")

    @Test("A write of its own that follows a deletion by others is not undone by what comes late")
    func writesAfterDeletions() async throws {
        try await onEach(.sqlite) { scene in
            for byManager in [false, true] {
                let person = DataProvider<Person>(dataModelManager: scene.manager)
                person.setData(bob)
                try await scene.settle()
                if byManager { scene.other.deleteModel(bob) } else { try scene.delete("2") }
                person.setData(Person(id: "2", name: "back"))
                try await scene.settle()
                let shown = person.data
                #expect(try shown == scene.person("2"))
            }
        }
    }

    @Test("After a flush what was committed before is shown, however late those who follow are told")
    func flushAwaitsTelling() async throws {
        /// Keeps the queue of events busy with the commit of another.
        final class BusyObserver: CacheObserver {
            let gate = DispatchSemaphore(value: 0)
            func cacheDidCommit(_ changes: ChangeSet) { gate.wait() }
        }
        let observer = BusyObserver()
        let cache = try MemoryCache(observer: observer)
        let manager = DataModelManager(cacheDelegate: cache)
        let person = DataProvider<Person>(dataModelManager: manager)
        try await cache.write(ann)
        observer.gate.signal()
        _ = try await person.fetchDataFromCache(withCacheKey: "Person:1")
        try await cache.write(Person(id: "1", name: "by another"))
        var isFlushed = false
        let flush = Task {
            await manager.flush()
            isFlushed = true
        }
        for _ in 0..<3 {
            await manager.consistencyManager.flush()
            try await cache.flush()
        }
        #expect(!isFlushed)
        observer.gate.signal()
        await flush.value
        #expect(person.data?.name == "by another")
    }

    @Test("A stream that waits for a model that was deleted hears when others write it again")
    func waitingStream() async throws {
        try await onEach(.memory) { scene in
            var events = scene.manager.consistencyManager.changes(of: ann).makeAsyncIterator()
            try scene.delete("1")
            try await scene.settle()
            try scene.put([Person(id: "1", name: "back")])
            try await scene.settle()
            scene.manager.updateModel(Person(id: "1", name: "end"), updateCache: false)
            var names: [String?] = []
            while names.last != "end", let event = await events.next() { names.append(event.model?.name) }
            #expect(names == [nil, "back", "end"])
        }
    }

    @Test("Lists are told what others inserted, and an edit is of what is shown, the evicted included")
    func lists() async throws {
        try await onEach(.sqlite) { scene in
            let list = People(dataModelManager: scene.manager)
            let screen = Screen()
            list.setData((0..<200).map { Person(id: "\($0)") }, cacheKey: "people")
            try await scene.settle()
            list.delegate = screen
            try scene.insert([Person(id: "new"), Person(id: "newer")], at: 100)
            try await scene.settle()
            #expect(list.data.map(\.id) == (0..<100).map { "\($0)" } + ["new", "newer"] + (100..<200).map { "\($0)" })
            #expect(screen.changes == [.changes([.insert(index: 100), .insert(index: 101)])])
            try scene.evict("5")
            try scene.remove(list: "people")
            try await scene.settle()
            #expect(list.count == 202)
            // An edit of its own is of what it shows, and everybody else shows that.
            list.remove(at: 0)
            try await scene.settle()
            #expect(scene.people().map(\.id) == list.data.map(\.id))
        }
    }

    @Test("Emptying the cache does not empty what was set since", arguments: FollowedBackend.allCases)
    func wipes(backend: FollowedBackend) async throws {
        try await onEach(backend) { scene in
            for writer in [FollowedWriter.typedCall, .otherManager] {
                let (held, since) = (
                    DataProvider<Person>(dataModelManager: scene.manager),
                    DataProvider<Person>(dataModelManager: scene.manager)
                )
                held.setData(ann)
                since.setData(bob)
                try await scene.settle()
                try await scene.change(.wipe, by: writer, nil)
                since.setData(bob)
                try await scene.settle()
                #expect(held.data == nil)
                #expect(since.data == bob)
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
            try scene.put(Message(id: "1", text: "again", sender: ann))
            try await scene.settle()
            // The sender is stored as it was: it is in no change set.
            #expect(held.data == Message(id: "1", text: "again", sender: Person(id: "1", name: "draft")))
            try scene.evict("1")
            try scene.renameText("1", "third")
            try await scene.settle()
            #expect(held.data?.text == "third")
        }
    }

    @Test(
        "What others changed and is not whole in the cache stays as it was, its owner is told, and it is shown when the rest is there",
        arguments: [FollowedWriter.typedCall, .provider, .otherManager])
    func notWhole(writer: FollowedWriter) async throws {
        try await onEach(.memory) { scene in
            let held = DataProvider<Message>(dataModelManager: scene.manager)
            let (list, rest) = (People(dataModelManager: scene.manager), People(dataModelManager: scene.manager))
            func missing(_ state: ProviderState) -> String? {
                if case .missing(let miss) = state { miss.identifier.rawValue } else { nil }
            }
            held.setData(Message(id: "1", text: "hello", sender: ann))
            list.setData([ann], cacheKey: "people")
            rest.setData([ann, bob], cacheKey: "rest")
            try await scene.settle()
            _ = try await rest.fetchDataFromCache(withCacheKey: "rest", missing: .skip)
            let nine = Person(id: "9", name: "Nine")
            try scene.putAndForget(
                Message(id: "1", text: "new", sender: nine), lists: ["people", "rest"], [ann, nine])
            try await scene.settle()
            #expect(held.data?.text == "hello")
            #expect(missing(held.state) == "Person:9")
            #expect(list.data == [ann])
            #expect(missing(list.state) == "Person:9")
            // Who skips what is missing shows the rest.
            #expect(rest.data == [ann])
            #expect(missing(rest.state) == nil)
            // What others brought back as it was is whole too.
            try scene.put(Message(id: "1", text: "hello", sender: ann))
            try await scene.settle()
            #expect(missing(held.state) == nil)
            try scene.putAndForget(Message(id: "1", text: "new", sender: nine), lists: [], [])
            try await scene.settle()
            #expect(missing(held.state) == "Person:9")
            switch writer {
            case .typedCall: try scene.put([nine])
            case .provider: DataProvider<Person>(dataModelManager: scene.manager).setData(nine)
            default: scene.other.updateModel(nine)
            }
            try await scene.settle()
            #expect(held.data == Message(id: "1", text: "new", sender: nine))
            #expect(missing(held.state) == nil)
            #expect(list.data == [ann, nine])
            #expect(rest.data == [ann, nine])
        }
    }

    @Test("What is evicted and still in memory is not missing, when anything may have changed")
    func evictedInMemory() async throws {
        try await onEach(.sqlite) { scene in
            let held = DataProvider<Message>(dataModelManager: scene.manager)
            held.setData(Message(id: "1", text: "hello", sender: ann))
            try await scene.settle()
            try scene.evict("1")
            try scene.suspend()
            try scene.resume()
            try await scene.settle()
            #expect(held.data?.sender == ann)
            if case .missing = held.state { Issue.record("nothing is missing on screen") }
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
            try scene.insert([Person(id: "new")], at: 50)
            try await scene.settle()
            #expect(list.count == 102)
            #expect(scene.people() == list.data)
            try scene.put([Person(id: "900")])
            try await scene.settle()
            #expect(list.data.first?.id == "900")
            #expect(scene.people() == list.data)
        }
    }

    @Test(
        "What was committed right before a suspension shows after it, and a wipe then is one",
        arguments: FollowedBackend.allCases)
    func suspensions(backend: FollowedBackend) async throws {
        try await onEach(backend) { scene in
            let held = DataProvider<Person>(dataModelManager: scene.manager)
            held.setData(ann)
            try scene.put([Person(id: "1", name: "Anna")])
            try scene.suspend()
            await scene.manager.flush()
            try scene.resume()
            try await scene.settle()
            #expect(held.data?.name == "Anna")
            held.setData(Person(id: "1", name: "saved"))
            try scene.suspend()
            try scene.resume()
            try await scene.settle()
            #expect(try scene.person("1")?.name == "saved")
            try await scene.change(.wipe, by: .typedCall, nil)
            try scene.suspend()
            await scene.manager.flush()
            try scene.resume()
            try await scene.settle()
            #expect(held.data == nil)
        }
    }

    @Test(
        "What was edited in a message while the cache was suspended is stored, though the message has another sender since",
        arguments: FollowedBackend.allCases, [false, true])
    func editedAndLeft(backend: FollowedBackend, isResumed: Bool) async throws {
        try await onEach(backend) { scene in
            let held = DataProvider<Message>(dataModelManager: scene.manager)
            let sender = DataProvider<Person>(dataModelManager: scene.manager)
            held.setData(Message(id: "0", text: "first", sender: Person(id: "2", name: "old")))
            sender.setData(Person(id: "2", name: "old"))
            try await scene.settle()
            try scene.suspend()
            held.setData(Message(id: "0", text: "second", sender: Person(id: "2", name: "edited")))
            await scene.manager.flush()
            if isResumed { try scene.resume() }
            held.setData(Message(id: "0", text: "third", sender: ann))
            await scene.manager.flush()
            if !isResumed { try scene.resume() }
            // What was refused is told once.
            try? await scene.settle()
            try await scene.settle()
            #expect(held.data?.text == "third")
            #expect(sender.data?.name == "edited")
            #expect(try scene.person("2")?.name == "edited")
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

    @Test("What held a model that was deleted goes, also if the model is written again at once")
    func deletedAndWrittenAgain() async throws {
        let scene = Scene(try MemoryCache())
        let shown = DataProvider<Message>(dataModelManager: scene.manager)
        let sender = DataProvider<Person>(dataModelManager: scene.manager)
        for delay in 0..<20 {
            shown.setData(Message(id: "34", sender: Person(id: "1", name: "Ann")))
            try await scene.settle()
            try scene.delete("1")
            for _ in 0..<delay { await Task.yield() }
            sender.setData(Person(id: "1", name: "Ben"))
            for _ in 0..<3 { try await scene.settle() }
            #expect(shown.data == nil && sender.data?.name == "Ben")
            #expect(try scene.message("34") == nil)
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

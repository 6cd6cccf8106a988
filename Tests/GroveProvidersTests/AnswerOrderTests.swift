import Grove
import GroveCache
import GroveMemory
import Testing

/// Three sources, one order: a call is where it was made, an answer where its request was sent.
@MainActor
@Suite("An answer of the network is as old as its request")
struct AnswerOrderTests {
    /// Where the cache decides too, and where it is only a delegate.
    enum Kind: CaseIterable {
        case followed, delegate
    }

    struct NoNetwork: Error {}

    let inner: MemoryCache
    let held: HeldCache
    let server = Server<Message?>()
    let lists = Server<[Person]>()
    let ann = Person(id: "1", name: "Ann")

    init() throws {
        held = try HeldCache()
        inner = held.inner
    }

    private func manager(_ kind: Kind) -> DataModelManager {
        DataModelManager(cacheDelegate: kind == .followed ? inner : held, cacheTimeout: 3_600)
    }

    private func load(_ provider: DataProvider<Message>, reload: Bool = false, retry: LoadRetry = .never) -> Task<
        Message?, any Error
    > {
        Task {
            try await provider.load(withCacheKey: "Message:34", reload: reload, retry: retry) { [server] in
                try await server.ask()
            }
        }
    }

    private func message(_ text: String, _ sender: Person? = nil) -> Message {
        Message(id: "34", text: text, sender: sender ?? ann)
    }

    /// Lets everything come to rest.
    private func rest(_ managers: DataModelManager...) async throws {
        for _ in 0..<4 {
            for manager in managers { await manager.flush() }
            try await inner.flush()
        }
    }

    private func stored() throws -> Message? { try inner.model("Message:34", as: Message.self) }

    // MARK: Edits

    @Test("An edit on the same screen is not undone, on screen or on disk", arguments: Kind.allCases)
    func ownEdit(kind: Kind) async throws {
        let manager = manager(kind)
        let provider = DataProvider<Message>(dataModelManager: manager)
        provider.setData(message("old"))
        try await rest(manager)
        let refresh = load(provider)
        await server.receives(1)
        provider.setData(message("liked"))
        await server.answer(0, message("old", Person(id: "1", name: "Anna")))
        #expect(try await refresh.value?.text == "liked")
        try await rest(manager)
        #expect(provider.data == message("liked", Person(id: "1", name: "Anna")))
        #expect(try stored() == message("liked", Person(id: "1", name: "Anna")))
        guard case .cached = provider.state else { return #expect(Bool(false), "the state is \(provider.state)") }
    }

    @Test(
        "An edit by the manager, a child's through another tree, and an edit by the cache are not undone",
        arguments: 0..<4)
    func editsElsewhere(writer: Int) async throws {
        let manager = manager(.followed)
        let provider = DataProvider<Message>(dataModelManager: manager)
        provider.setData(message("old"))
        try await rest(manager)
        let refresh = load(provider)
        await server.receives(1)
        let new = Person(id: "1", name: "new")
        switch writer {
        case 0: manager.updateModel(new)
        case 1: DataProvider<Person>(dataModelManager: manager).setData(new)
        case 2: DataProvider<Message>(dataModelManager: manager).setData(Message(id: "35", sender: new))
        default: try await inner.write(new)
        }
        if writer == 3 { try await rest(manager) }
        await server.answer(0, message("network"))
        _ = try await refresh.value
        try await rest(manager)
        #expect(provider.data == message("network", new))
        #expect(try stored() == message("network", new))
    }

    @Test("A deletion since the request wins: of the model, and of what it cannot be without", arguments: Kind.allCases)
    func deletion(kind: Kind) async throws {
        let manager = manager(kind)
        let provider = DataProvider<Message>(dataModelManager: manager)
        provider.setData(message("old"))
        try await rest(manager)
        for victim in [ann, nil] {
            let refresh = load(provider)
            let number = server.sent
            await server.receives(number + 1)
            manager.deleteModel(victim ?? message("old"))
            await server.answer(number, message("network"))
            _ = try? await refresh.value
            try await rest(manager)
            #expect(provider.data == nil)
            #expect(try stored() == nil)
        }
    }

    @Test("A child that nobody holds and that was changed since is taken from the cache")
    func unheldChild() async throws {
        let manager = manager(.followed)
        let provider = DataProvider<Message>(dataModelManager: manager)
        let refresh = load(provider)
        await server.receives(1)
        try await inner.write(Person(id: "1", name: "new"))
        try await rest(manager)
        await server.answer(0, message("network"))
        #expect(try await refresh.value == message("network", Person(id: "1", name: "new")))
        try await rest(manager)
        #expect(try stored() == message("network", Person(id: "1", name: "new")))
        #expect(server.sent == 1)
    }

    @Test("Over a delegate, what was changed and nobody holds is asked for again")
    func unheldOverDelegate() async throws {
        let manager = manager(.delegate)
        let provider = DataProvider<Message>(dataModelManager: manager)
        let refresh = load(provider)
        await server.receives(1)
        manager.updateModel(Person(id: "1", name: "new"))
        await server.answer(0, message("network"))
        await server.answer(1, message("again", Person(id: "1", name: "newer")))
        #expect(try await refresh.value == message("again", Person(id: "1", name: "newer")))
        #expect(server.sent == 2)
    }

    // MARK: Requests

    @Test("Of two requests the one sent last counts, whichever is answered first", arguments: Kind.allCases)
    func reversed(kind: Kind) async throws {
        let manager = manager(kind)
        let (one, two) = (
            DataProvider<Message>(dataModelManager: manager), DataProvider<Message>(dataModelManager: manager)
        )
        let first = load(one)
        await server.receives(1)
        let second = load(two, reload: true)
        await server.receives(2)
        await server.answer(1, message("second"))
        #expect(try await second.value?.text == "second")
        await server.answer(0, message("first"))
        _ = try await first.value
        try await rest(manager)
        #expect(one.data == message("second") && two.data == message("second"))
        #expect(try stored() == message("second"))
    }

    @Test(
        "Of a retry the try that is answered counts: an edit made before it was sent loses, one made after it stays",
        arguments: Kind.allCases)
    func retry(kind: Kind) async throws {
        let manager = manager(kind)
        let provider = DataProvider<Message>(dataModelManager: manager)
        provider.setData(message("old"))
        try await rest(manager)
        let refresh = load(provider, retry: LoadRetry(2, after: .zero))
        await server.waits(0)
        let before = Person(id: "1", name: "before")
        manager.updateModel(before)
        server.answer(0, .failure(NoNetwork()))
        await server.waits(1)
        provider.setData(message("after", before))
        await server.answer(1, message("network", Person(id: "1", name: "network")))
        let settled = message("after", Person(id: "1", name: "network"))
        #expect(try await refresh.value == settled)
        try await rest(manager)
        #expect(provider.data == settled)
        #expect(try stored() == settled)
        guard case .cached = provider.state else { return #expect(Bool(false), "the state is \(provider.state)") }
    }

    @Test("An answer that was asked for after an edit wins over it")
    func askedAfter() async throws {
        let manager = manager(.followed)
        let provider = DataProvider<Message>(dataModelManager: manager)
        provider.setData(message("edited"))
        let refresh = load(provider)
        await server.answer(0, message("network"))
        #expect(try await refresh.value?.text == "network")
        try await rest(manager)
        #expect(try stored()?.text == "network")
        guard case .fresh = provider.state else { return #expect(Bool(false), "the state is \(provider.state)") }
    }

    @Test("A push says as of when it speaks; without that it is a call like any other")
    func pushes() async throws {
        let manager = manager(.followed)
        let provider = DataProvider<Message>(dataModelManager: manager)
        provider.setData(message("old"))
        let asked = manager.place()
        provider.setData(message("edited"))
        try manager.updateModel(message("pushed", Person(id: "1", name: "pushed")), asOf: asked)
        try await rest(manager)
        #expect(provider.data == message("edited", Person(id: "1", name: "pushed")))
        #expect(try stored() == message("edited", Person(id: "1", name: "pushed")))
        manager.updateModel(message("pushed"))
        try await rest(manager)
        #expect(provider.data?.text == "pushed")
        #expect(try stored()?.text == "pushed")
    }

    @Test("A request that is stored late does not beat a newer one, of another manager")
    func storedLate() async throws {
        let asked = inner.place()
        try await inner.write(message("newer"), asOf: inner.place())
        try await inner.write(message("older", Person(id: "2", name: "Bob")), asOf: asked)
        #expect(try stored() == message("newer"))
        #expect(try inner.model("Person:2", as: Person.self)?.name == "Bob")
        try await inner.delete("Person:2")
        try await inner.write(Person(id: "2", name: "back"), asOf: asked)
        #expect(try inner.model("Person:2", as: Person.self) == nil)
    }

    @Test("What is written of another projection since is no reason to drop an answer")
    func projections() async throws {
        let manager = manager(.followed)
        let provider = DataProvider<Message>(dataModelManager: manager)
        provider.setData(message("old"))
        try await rest(manager)
        let asked = inner.place()
        try await inner.write(MessageText(id: "34", text: "another projection's"))
        try await inner.write(message("answer", Person(id: "1", name: "new")), asOf: asked)
        #expect(try stored()?.sender.name == "new")
        #expect(try stored()?.text == "answer", "per projection, not per field")
    }

    @Test(
        "In memory too, what is written of another projection is no reason to drop an answer", arguments: Kind.allCases)
    func projectionsInMemory(kind: Kind) async throws {
        let manager = manager(kind)
        let (provider, part) = (
            DataProvider<Message>(dataModelManager: manager), DataProvider<MessageText>(dataModelManager: manager)
        )
        provider.setData(message("old"))
        part.setData(MessageText(id: "34", text: "old"))
        try await rest(manager)
        let refresh = load(provider)
        await server.receives(1)
        manager.updateModel(MessageText(id: "34", text: "another projection's"))
        let answer = message("answer", Person(id: "1", name: "new"))
        await server.answer(0, answer)
        #expect(try await refresh.value == answer)
        guard case .fresh = provider.state else { return #expect(Bool(false), "the state is \(provider.state)") }
        try await rest(manager)
        #expect(provider.data == answer)
        #expect(try stored() == answer)
        #expect(server.sent == 1)
    }

    @Test("An answer that was refused, and saved after a newer one, leaves the newer one on screen, all of it")
    func savedBehindANewer() async throws {
        for round in 0..<60 {
            try await inner.wipe()
            let manager = manager(.followed)
            let provider = DataProvider<Message>(dataModelManager: manager)
            let other = DataProvider<Person>(dataModelManager: manager)
            let (id, first) = ("Message:34", server.sent)
            func load(_ key: String) -> Task<Message?, any Error> {
                Task {
                    try await provider.load(withCacheKey: key, reload: true) { [server] in try await server.ask() }
                }
            }
            try await inner.suspend()
            let older = load("pinned\(round)")
            await server.receives(first + 1)
            await server.answer(first, message("older", Person(id: "1", name: "older")))
            _ = try? await older.value
            other.setData(Person(id: "2", name: "kept"))
            let newer = load(id)
            await server.receives(first + 2)
            try await inner.resume()
            if round % 3 > 0 { for _ in 0..<round % 7 { await Task.yield() } }
            await server.answer(first + 1, message("newer", Person(id: "1", name: "newer")))
            _ = try? await newer.value
            // What was refused is told once.
            try? await inner.flush()
            for _ in 0..<2 { try await rest(manager) }
            #expect(try stored() == message("newer", Person(id: "1", name: "newer")))
            #expect(provider.data == (try stored()), "round \(round)")
        }
    }

    @Test("A page beside a refresh: what an edit changed stays in both, and the page stays if its list does")
    func pages() async throws {
        let manager = manager(.followed)
        let list = CollectionDataProvider<Person>(dataModelManager: manager)
        func people(_ ids: String..., name: String) -> [Person] { ids.map { Person(id: $0, name: name) } }
        func more() -> Task<Int?, any Error> {
            Task { try await list.loadMore { [lists] _ in try await lists.ask() } }
        }
        list.setData(people("1", "2", name: "old"), cacheKey: "people")
        try await rest(manager)
        let dropped = more()
        await lists.receives(1)
        let refresh = Task { try await list.load(withCacheKey: "people") { [lists] in try await lists.ask() } }
        await lists.receives(2)
        manager.updateModel(Person(id: "1", name: "edited"))
        await lists.answer(1, people("1", "2", name: "refreshed"))
        #expect(try await refresh.value.map(\.name) == ["edited", "refreshed"])
        // It is a page of the list that was replaced.
        await lists.answer(0, people("2", "3", name: "page"))
        #expect(try await dropped.value == nil)
        try await rest(manager)
        #expect(list.data.map(\.name) == ["edited", "refreshed"])
        #expect(try inner.collection("people", of: Person.self) == list.data)
        let page = more()
        await lists.receives(3)
        let first = Task {
            try await list.load(withCacheKey: "people", part: .firstPage, reload: true) { [lists] in
                try await lists.ask()
            }
        }
        await lists.receives(4)
        manager.updateModel(Person(id: "2", name: "edited"))
        await lists.answer(2, people("2", "3", name: "page"))
        #expect(try await page.value == 2)
        #expect(list.data.map(\.name) == ["edited", "edited", "page"])
        await lists.answer(3, people("1", "2", name: "again"))
        #expect(try await first.value.map(\.name) == ["again", "edited", "page"])
        try await rest(manager)
        #expect(list.data.map(\.name) == ["again", "edited", "page"])
        #expect(try inner.collection("people", of: Person.self) == list.data)
        // A page that was there before the refresh was asked for stays too, if the first rows reach it.
        for (first, all) in [
            (people("0", "1", name: "new"), ["0", "1", "2", "3"]), (people("8", "9", name: "new"), ["8", "9"]),
        ] {
            let shown = try await list.load(withCacheKey: "people", part: .firstPage, reload: true) { first }
            #expect(shown.map(\.id) == all)
            try await rest(manager)
            #expect(list.data.map(\.id) == all)
            #expect(try inner.collection("people", of: Person.self) == list.data)
        }
    }

    @Test("Two overlapping refreshes of a list: the one sent last counts")
    func reversedLists() async throws {
        let manager = manager(.followed)
        let list = CollectionDataProvider<Person>(dataModelManager: manager)
        func refresh() -> Task<[Person], any Error> {
            Task { try await list.load(withCacheKey: "people", reload: true) { [lists] in try await lists.ask() } }
        }
        let first = refresh()
        await lists.receives(1)
        let second = refresh()
        await lists.answer(1, [Person(id: "2"), Person(id: "3")])
        _ = try await second.value
        await lists.answer(0, [Person(id: "1")])
        _ = try await first.value
        try await rest(manager)
        #expect(list.data.map(\.id) == ["2", "3"])
        #expect(try inner.collection("people", of: Person.self)?.map(\.id) == ["2", "3"])
    }

    @Test("Beyond 65,536 changes a request is sent again, and no model is kept for it")
    func bound() async throws {
        let manager = manager(.followed)
        let provider = DataProvider<Message>(dataModelManager: manager)
        let refresh = load(provider)
        await server.receives(1)
        for start in stride(from: 0, to: 70_000, by: 10_000) {
            manager.updateModels((start..<start + 10_000).map { Person(id: "p\($0)") }, updateCache: false)
        }
        await server.answer(0, message("first"))
        await server.answer(1, message("again"))
        #expect(try await refresh.value?.text == "again")
    }

    /// Who changes so much.
    enum Crowd: CaseIterable {
        /// The manager, in memory.
        case manager
        /// The cache, by commits that the manager is told of.
        case cache
    }

    private func change(_ count: Int, by crowd: Crowd, _ manager: DataModelManager) async throws {
        for start in stride(from: 0, to: count, by: 10_000) {
            let people = (start..<start + 10_000).map { Person(id: "p\($0)", name: "\(count)") }
            switch crowd {
            case .manager: manager.updateModels(people, updateCache: false)
            case .cache: try await inner.write(contentsOf: people)
            }
        }
        try await rest(manager)
    }

    @Test(
        "After up to 60,000 changes an answer is taken, and after 100,000 it is asked for again",
        arguments: Crowd.allCases)
    func withinBound(crowd: Crowd) async throws {
        let manager = manager(.followed)
        let provider = DataProvider<Message>(dataModelManager: manager)
        let list = CollectionDataProvider<Person>(dataModelManager: manager)
        for (count, requests) in [(60_000, 1), (100_000, 2)] {
            let (sent, sentLists) = (server.sent, lists.sent)
            let refresh = load(provider, reload: true)
            let page = Task {
                try await list.load(withCacheKey: "people", reload: true) { [lists] in try await lists.ask() }
            }
            await server.receives(sent + 1)
            await lists.receives(sentLists + 1)
            try await change(count, by: crowd, manager)
            for number in 0..<requests {
                await server.answer(sent + number, message("\(count)"))
                await lists.answer(sentLists + number, [Person(id: "\(count)")])
            }
            #expect(try await refresh.value?.text == "\(count)")
            #expect(try await page.value.map(\.id) == ["\(count)"])
            #expect(server.sent == sent + requests && lists.sent == sentLists + requests)
        }
    }

    @Test(
        "A push beyond the bound: a cache of Grove decides, and over a delegate nothing is taken",
        arguments: Kind.allCases)
    func pushBeyondBound(kind: Kind) async throws {
        let manager = manager(kind)
        let (provider, other) = (
            DataProvider<Message>(dataModelManager: manager), DataProvider<Person>(dataModelManager: manager)
        )
        provider.setData(message("old"))
        other.setData(Person(id: "2", name: "old"))
        try await rest(manager)
        let asked = manager.place()
        provider.setData(message("edited"))
        try await change(70_000, by: .manager, manager)
        try manager.updateModels([message("pushed"), Person(id: "2", name: "pushed")], asOf: asked)
        try await rest(manager)
        #expect(provider.data?.text == "edited")
        #expect(try stored()?.text == "edited")
        let name = kind == .followed ? "pushed" : "old"
        #expect(other.data?.name == name)
        #expect(try inner.model("Person:2", as: Person.self)?.name == name)
    }

    // MARK: Joining

    @Test(
        "A later load joins an older request only if nothing that is shown was changed since", arguments: Kind.allCases)
    func joining(kind: Kind) async throws {
        let manager = manager(kind)
        let providers = (0..<4).map { _ in DataProvider<Message>(dataModelManager: manager) }
        providers[0].setData(message("old"))
        try await rest(manager)
        let first = load(providers[0])
        await server.receives(1)
        manager.updateModel(Person(id: "9", name: "of no interest"))
        let second = load(providers[1])
        for _ in 0..<3 { await manager.flush() }
        #expect(server.sent == 1)
        manager.updateModel(Person(id: "1", name: "edited"))
        let third = load(providers[2])
        await server.receives(2)
        let pulled = load(providers[3], reload: true)
        await server.receives(3)
        await server.answer(0, message("a"))
        #expect(try await first.value?.sender.name == "edited")
        #expect(try await second.value?.sender.name == "edited")
        for (number, text) in [(1, "b"), (2, "c")] { await server.answer(number, message(text)) }
        _ = try await (third.value, pulled.value)
        try await rest(manager)
        #expect(providers.allSatisfy { $0.data == message("c") })
    }

    @Test("A later load of a list joins an older request only if nobody has changed the list since")
    func joiningLists() async throws {
        let scene = Scene(try MemoryCache())
        let lists = (0..<4).map { _ in CollectionDataProvider<Person>(dataModelManager: scene.manager) }
        let server = Server<[Person]>()
        try await scene.cache.writeCollection([ann, Person(id: "2")], as: "people")
        _ = try await lists[0].fetchDataFromCache(withCacheKey: "people") as [Person]?
        func load(_ list: CollectionDataProvider<Person>) -> Task<[Person], any Error> {
            Task { Array(try await list.load(withCacheKey: "people") { try await server.ask() }) }
        }
        let first = load(lists[1])
        await server.receives(1)
        let second = load(lists[2])
        for _ in 0..<3 { await scene.manager.flush() }
        #expect(server.sent == 1)
        try await scene.cache.remove("Person:2", fromCollection: "people")
        try await scene.settle()
        let third = load(lists[3])
        for _ in 0..<20 where server.sent == 1 { await scene.manager.flush() }
        #expect(server.sent == 2)
        for number in 0..<server.sent { await server.answer(number, [ann]) }
        _ = try await (first.value, second.value, third.value)
    }

    @Test("A later load of a list joins an older request only if no row, and nothing in one, was changed since")
    func joiningRows() async throws {
        let manager = manager(.followed)
        let lists = (0..<4).map { _ in CollectionDataProvider<Message>(dataModelManager: manager) }
        let server = Server<[Message]>()
        lists[0].setData([message("old"), Message(id: "35", sender: Person(id: "2"))], cacheKey: "inbox")
        try await rest(manager)
        func load(_ list: CollectionDataProvider<Message>) -> Task<[Message], any Error> {
            Task { try await list.load(withCacheKey: "inbox") { try await server.ask() } }
        }
        var loads = [load(lists[0])]
        await server.receives(1)
        manager.updateModel(Person(id: "9", name: "of no interest"))
        loads.append(load(lists[1]))
        for _ in 0..<3 { await manager.flush() }
        #expect(server.sent == 1)
        manager.updateModel(message("edited"))
        loads.append(load(lists[2]))
        await server.receives(2)
        // In a row of the list, below its root.
        manager.updateModel(Person(id: "2", name: "edited"))
        loads.append(load(lists[3]))
        await server.receives(3)
        for number in 0..<3 { await server.answer(number, [message("\(number)")]) }
        for load in loads { _ = try await load.value }
        #expect(lists[3].data == [message("2")])
    }

    @Test("A load that shows nothing joins only if nothing was edited")
    func joiningNothing() async throws {
        let manager = manager(.followed)
        let providers = (0..<3).map { _ in DataProvider<Message>(dataModelManager: manager) }
        let first = load(providers[0])
        await server.receives(1)
        let second = load(providers[1])
        for _ in 0..<3 { await manager.flush() }
        #expect(server.sent == 1)
        manager.updateModel(ann)
        let third = load(providers[2])
        await server.receives(2)
        for number in 0..<2 { await server.answer(number, message("\(number)")) }
        _ = try await (first.value, second.value, third.value)
        #expect(providers[2].data?.text == "1")
    }
}

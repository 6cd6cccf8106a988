import Grove
import GroveCache
import GroveProviders
import Observation
import Testing
import TestSupport

@MainActor
@Suite("States of providers")
struct ProviderStateTests {
    typealias People = CollectionDataProvider<Person>

    struct NoNetwork: Error {}

    let cache: HeldCache
    let manager: DataModelManager
    let provider: DataProvider<Person>
    let list: People
    let ann = Person(id: "1", name: "Ann")

    init() throws {
        cache = try HeldCache()
        manager = DataModelManager(cacheDelegate: cache, cacheTimeout: 3_600)
        provider = DataProvider(dataModelManager: manager)
        list = People(dataModelManager: manager)
    }

    @Test("A fetch is loading, then cached, or missing, or failed")
    func fetches() async throws {
        #expect(name(provider.state) == "idle" && name(list.state) == "idle")
        try await cache.inner.write(ann)
        try await cache.inner.writeCollection([ann], as: "people")
        cache.hold()
        provider.fetchDataFromCache(withCacheKey: "Person:1", completion: { _, _ in })
        list.fetchDataFromCache(withCacheKey: "people", completion: { _, _ in })
        #expect(name(provider.state) == "loading" && name(list.state) == "loading")
        await waitUntil { cache.waiting >= 2 }
        cache.release()
        await waitUntil { provider.data != nil && list.count > 0 }
        #expect(name(provider.state) == "cached" && name(list.state) == "cached")
        _ = try await provider.fetchDataFromCache(withCacheKey: "Person:9")
        _ = try await list.fetchDataFromCache(withCacheKey: "nowhere")
        #expect(name(provider.state) == #"absent: "Person:9""# && name(list.state) == #"absent: "nowhere""#)
        #expect(provider.data == ann && list.data == [ann])
        cache.inner.close()
        _ = try? await provider.fetchDataFromCache(withCacheKey: "Person:8")
        _ = try? await list.fetchDataFromCache(withCacheKey: "elsewhere")
        #expect(name(provider.state) == "closed" && name(list.state) == "closed")
    }

    @Test("Over a cache that is followed, a miss names the node that is missing, of a list too")
    func misses() async throws {
        let manager = DataModelManager(cacheDelegate: cache.inner)
        try await cache.inner.write(Message(id: "34", sender: ann))
        try await cache.inner.writeCollection([ann, Person(id: "2")], as: "people")
        try await cache.inner.evict("Person:1")
        let message = DataProvider<Message>(dataModelManager: manager)
        let list = People(dataModelManager: manager)
        _ = try await message.fetchDataFromCache(withCacheKey: "Message:34")
        _ = try await list.fetchDataFromCache(withCacheKey: "people")
        #expect(name(message.state) == #"absent: "Person:1""#)
        #expect(name(list.state) == #"absent: "Person:1""#)
        _ = try await list.fetchDataFromCache(withCacheKey: "people", missing: .skip)
        #expect(name(list.state) == "cached")
        _ = try await list.fetchDataFromCache(withCacheKey: "nowhere")
        #expect(name(list.state) == #"absent: "nowhere""#)
    }

    @Test("A list that is shown, and is read again, says nothing of another one that was asked for and is missing")
    func missesOfAnother() async throws {
        let manager = DataModelManager(cacheDelegate: cache.inner)
        try await cache.inner.writeCollection([ann, Person(id: "2")], as: "people")
        try await cache.inner.evict("Person:1")
        for _ in 0..<50 {
            let list = People(dataModelManager: manager)
            await withCheckedContinuation { continuation in
                list.fetchDataFromCache(withCacheKey: "people", missing: .skip) { _, _ in
                    list.fetchDataFromCache(withCacheKey: "nowhere") { _, _ in continuation.resume() }
                }
            }
            await manager.flush()
            #expect(name(list.state) == #"absent: "nowhere""#)
        }
    }

    @Test("A list that lacks an element says so, and then that it is whole, though another one was asked for before")
    func lackingAfterAnother() async throws {
        let manager = DataModelManager(cacheDelegate: cache.inner)
        try await cache.inner.writeCollection([ann, Person(id: "2")], as: "people")
        let list = People(dataModelManager: manager)
        _ = try await list.fetchDataFromCache(withCacheKey: "people")
        _ = try await list.fetchDataFromCache(withCacheKey: "nowhere")
        func rest() async throws {
            for _ in 0..<3 {
                try await cache.inner.flush()
                await manager.flush()
            }
        }
        // An element comes and is forgotten in one commit, so that the list is not whole.
        try await cache.inner.write { tx in
            try tx.append([Person(id: "3")], toCollection: "people")
            try tx.evict("Person:3")
        }
        try await rest()
        #expect(name(list.state) == #"absent: "Person:3""#)
        try await cache.inner.remove("Person:3", fromCollection: "people")
        try await rest()
        #expect(name(list.state) == "cached" && list.count == 2)
    }

    @Test("A load is loading until the network has answered, then fresh, or failed beside what the cache had")
    func loads() async throws {
        try await cache.inner.write(ann)
        try await cache.inner.writeCollection([ann], as: "people")
        let gate = Gate()
        let one = await begun {
            try await provider.load(withCacheKey: "Person:1") {
                await gate.wait()
                return Person(id: "1", name: "network")
            }
        }
        let many = await begun {
            try await list.load(withCacheKey: "people") {
                await gate.wait()
                return [Person(id: "2")]
            }
        }
        await waitUntil { provider.data != nil && list.count > 0 }
        #expect(name(provider.state) == "loading" && name(list.state) == "loading")
        gate.open()
        _ = try await (one.value, many.value)
        #expect(name(provider.state) == "fresh" && name(list.state) == "fresh")
        await #expect(throws: NoNetwork.self) {
            _ = try await provider.load(withCacheKey: "Person:1") { throw NoNetwork() }
        }
        await #expect(throws: NoNetwork.self) {
            _ = try await list.load(withCacheKey: "people") { throw NoNetwork() }
        }
        #expect(name(provider.state) == "NoNetwork" && name(list.state) == "NoNetwork")
        #expect(provider.data?.name == "network" && list.data.map(\.id) == ["2"])
        _ = try await provider.load(withCacheKey: "Person:1", maxAge: 100_000) { throw NoNetwork() }
        _ = try await list.load(withCacheKey: "people", maxAge: 100_000) { throw NoNetwork() }
        #expect(name(provider.state) == "fresh" && name(list.state) == "fresh")
        _ = try await provider.load(withCacheKey: "Person:9") { nil }
        #expect(name(provider.state) == #"absent: "Person:9""#)
    }

    @Test("What is set is fresh; what others do shows in the state where data come or go; a wipe ends all")
    func changes() async throws {
        provider.setData(ann)
        list.setData([ann], cacheKey: "people")
        #expect(name(provider.state) == "fresh" && name(list.state) == "fresh")
        manager.deleteModel(ann)
        await manager.flush()
        #expect(name(provider.state) == #"deleted: "Person:1""#)
        #expect(list.count == 0 && name(list.state) == "fresh")
        manager.updateModel(Person(id: "1", name: "back"))
        await manager.flush()
        #expect(name(provider.state) == "cached")
        provider.setData(nil)
        #expect(name(provider.state) == "idle")
        provider.setData(ann)
        try await manager.wipe()
        #expect(name(provider.state) == "idle" && name(list.state) == "idle")
        list.append([ann])
        #expect(name(list.state) == "cached")
    }

    @Test(
        "What is set while a load goes on leaves it loading; its answer, and its failure, end that",
        arguments: [true, false])
    func setWhileLoading(isAnswered: Bool) async throws {
        provider.setData(ann)
        list.setData([ann], cacheKey: "people")
        let gates = [Gate(), Gate()]
        @Sendable func answer<Value: Sendable>(_ value: Value, _ number: Int) async throws -> Value {
            await gates[number].wait()
            guard isAnswered else { throw NoNetwork() }
            return value
        }
        let one = await begun { try await provider.load(withCacheKey: "Person:1") { try await answer(ann, 0) } }
        let many = await begun { try await list.load(withCacheKey: "people") { try await answer([ann], 1) } }
        for gate in gates { await gate.arrived() }
        let edited = Person(id: "1", name: "edited")
        provider.setData(edited)
        list.setData([edited], cacheKey: "people")
        #expect(name(provider.state) == "loading" && name(list.state) == "loading")
        for gate in gates { gate.open() }
        _ = await (one.result, many.result)
        let expected = isAnswered ? "cached" : "NoNetwork"
        #expect(name(provider.state) == expected && name(list.state) == expected)
        #expect(provider.data == edited && list.data == [edited])
        provider.setData(ann)
        list.setData([ann], cacheKey: "people")
        #expect(name(provider.state) == "fresh" && name(list.state) == "fresh")
    }

    @Test(
        "What is set while a load goes on is fresh if that is cancelled, and a list of another key ends it for the screen"
    )
    func setAndCancelled() async throws {
        provider.setData(ann)
        list.setData([ann], cacheKey: "people")
        let gate = Gate()
        func load() async -> [Task<Void, any Error>] {
            await [
                begun {
                    _ = try await provider.load(withCacheKey: "Person:1") {
                        await gate.wait()
                        return ann
                    }
                },
                begun {
                    _ = try await list.load(withCacheKey: "people") {
                        await gate.wait()
                        return [ann]
                    }
                },
            ]
        }
        var loads = await load()
        provider.setData(Person(id: "1", name: "edited"))
        list.setData([Person(id: "1", name: "edited")], cacheKey: "people")
        for load in loads {
            load.cancel()
            _ = await load.result
        }
        #expect(name(provider.state) == "fresh" && name(list.state) == "fresh")
        loads = await load()
        provider.setData(Person(id: "2"))
        list.setData([Person(id: "2")], cacheKey: "others")
        #expect(name(provider.state) == "fresh" && name(list.state) == "fresh")
        gate.open()
        for load in loads { _ = await load.result }
        #expect(name(provider.state) == "fresh" && name(list.state) == "fresh")
        #expect(provider.data?.id == "2" && list.data.map(\.id) == ["2"])
    }

    @Test("An edit of some rows leaves the state of the rest as it is, before, during and after a load")
    func editedRows() async throws {
        try await cache.inner.writeCollection([ann], as: "people")
        _ = try await list.fetchDataFromCache(withCacheKey: "people")
        list.append([Person(id: "2")])
        #expect(name(list.state) == "cached")
        let gate = Gate()
        let loading = await begun {
            try await list.load(withCacheKey: "people") {
                await gate.wait()
                return [ann, Person(id: "2"), Person(id: "3")]
            }
        }
        await gate.arrived()
        list.remove("Person:2")
        list.insert([Person(id: "4")], at: .first)
        #expect(name(list.state) == "loading")
        gate.open()
        _ = try await loading.value
        #expect(list.data.map(\.id) == ["4", "1", "3"])
        #expect(name(list.state) == "cached", "Rows of the answer lost to the user's.")
        _ = try await list.load(withCacheKey: "people", reload: true) { [ann] }
        #expect(name(list.state) == "fresh")
        list.append([Person(id: "5")])
        #expect(name(list.state) == "fresh")
    }

    @Test("What another provider shows, by itself or in a list, is there in the same turn")
    func sameTurn() async throws {
        let other = DataProvider<Person>(dataModelManager: manager)
        other.setData(ann, updateCache: false)
        list.setData([Person(id: "2", name: "Bob"), Person(id: "3")], cacheKey: "people")
        await manager.flush()
        let screen = Screen()
        provider.delegate = screen
        provider.fetchDataFromCache(withCacheKey: "Person:1", completion: { _, _ in })
        #expect(provider.data == ann && name(provider.state) == "loading")
        let again = DataProvider<Person>(dataModelManager: manager)
        again.fetchDataFromCache(withCacheKey: "Person:2", completion: { _, _ in })
        #expect(again.data?.name == "Bob")
        list.insert([Person(id: "4", name: "Dan")], at: 0)
        let late = DataProvider<Person>(dataModelManager: manager)
        late.fetchDataFromCache(withCacheKey: "Person:4", completion: { _, _ in })
        #expect(late.data?.name == "Dan")
        let sibling = People(dataModelManager: manager)
        sibling.fetchDataFromCache(withCacheKey: "people", completion: { _, _ in })
        #expect(sibling.rows.map(\.model.id) == ["4", "2", "3"] && name(sibling.state) == "cached")
        // The cache does not have it, but it is there; so it is listened to, and no delegate is told.
        await waitUntil { name(provider.state) != "loading" }
        #expect(provider.data == ann && name(provider.state) == "cached" && screen.told.isEmpty)
        manager.updateModel(Person(id: "1", name: "Anna"), updateCache: false)
        await manager.flush()
        #expect(provider.data?.name == "Anna" && screen.told.count == 1)
    }

    @Test("What is shown in the same turn and was deleted already goes, and what was changed already comes")
    func borrowed() async throws {
        let (other, third) = (
            DataProvider<Person>(dataModelManager: manager), DataProvider<Person>(dataModelManager: manager)
        )
        other.setData(ann, updateCache: false)
        third.setData(Person(id: "2"), updateCache: false)
        await manager.flush()
        // Both providers show the old for as long as this turn goes on.
        manager.deleteModel(ann)
        manager.updateModel(Person(id: "2", name: "new"), updateCache: false)
        let second = DataProvider<Person>(dataModelManager: manager)
        provider.fetchDataFromCache(withCacheKey: "Person:1", completion: { _, _ in })
        second.fetchDataFromCache(withCacheKey: "Person:2", completion: { _, _ in })
        #expect(provider.data == ann && second.data?.name == "")
        await waitUntil { name(provider.state) != "loading" && name(second.state) != "loading" }
        #expect(provider.data == nil && second.data?.name == "new")
    }

    @Test("A view that reads the state is told when it changes, and not of data")
    func observed() async throws {
        let told = Count()
        withObservationTracking {
            _ = provider.state
        } onChange: {
            told.add()
        }
        provider.setData(ann)
        #expect(told.value == 1)
        withObservationTracking {
            _ = provider.state
        } onChange: {
            told.add()
        }
        provider.setData(Person(id: "1", name: "Anna"))
        #expect(told.value == 1)
    }
}

/// A state in a word.
private func name(_ state: ProviderState) -> String {
    switch state {
    case .idle: "idle"
    case .loading: "loading"
    case .cached: "cached"
    case .fresh: "fresh"
    case .missing(let miss): "\(miss)"
    case .unsaved(let error): "unsaved: \(error.code)"
    case .failed(let error as CacheError): "\(error.code)"
    case .failed(let error): "\(type(of: error))"
    }
}

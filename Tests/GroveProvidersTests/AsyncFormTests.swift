import Grove
import GroveMemory
import Testing

/// `try await` picks the form for tasks in each place where it may stand.
@MainActor
@Suite("Forms for tasks")
struct AsyncFormTests {
    typealias People = CollectionDataProvider<Person>

    private let cache: HeldCache
    private let manager: DataModelManager
    private let ann = Person(id: "1", name: "Ann")

    init() async throws {
        cache = try HeldCache()
        manager = DataModelManager(cacheDelegate: cache)
        try await cache.inner.writeCollection([ann], as: "people")
    }

    // The form with a completion returns before the cache has answered.

    @Test("A fetch of a model has its data when it returns")
    func models() async throws {
        func provider() -> DataProvider<Person> { DataProvider(dataModelManager: manager) }
        let (a, b, c, d, e, f, g) = (
            provider(), provider(), provider(), provider(), provider(), provider(), provider()
        )
        try await a.fetchDataFromCache(withCacheKey: "Person:1")
        #expect(a.data == ann)
        _ = try await b.fetchDataFromCache(withCacheKey: "Person:1")
        #expect(b.data == ann)
        let found = try await c.fetchDataFromCache(withCacheKey: "Person:1")
        #expect(found == ann)
        #expect(try await Task { try await d.fetchDataFromCache(withCacheKey: "Person:1") }.value == ann)
        async let e1 = e.fetchDataFromCache(withCacheKey: "Person:1")
        #expect(try await e1 == ann)
        _ = try? await f.fetchDataFromCache(withCacheKey: "Person:1")
        #expect(f.data == ann)
        let task = Task {
            try await g.fetchDataFromCache(withCacheKey: "Person:1")
            return g.data
        }
        #expect(try await task.value == ann)
        let h = provider()
        try await h.fetchDataFromCache(withCacheKey: "Person:1", listenToModelIdentifier: "Person:1")
        #expect(h.data == ann)
    }

    @Test("A fetch of a list has its data when it returns")
    func lists() async throws {
        func list() -> People { People(dataModelManager: manager) }
        func fresh() async throws -> People {
            // Siblings show one list: it is to be asked for each time.
            People(dataModelManager: DataModelManager(cacheDelegate: cache))
        }
        let (a, b, c, d, e, f) = (
            try await fresh(), try await fresh(), try await fresh(), try await fresh(), try await fresh(),
            try await fresh()
        )
        try await a.fetchDataFromCache(withCacheKey: "people")
        #expect(a.data == [ann])
        _ = try await b.fetchDataFromCache(withCacheKey: "people")
        #expect(b.data == [ann])
        let found = try await c.fetchDataFromCache(withCacheKey: "people")
        #expect(found == [ann])
        #expect(try await Task { try await d.fetchDataFromCache(withCacheKey: "people") }.value == [ann])
        async let e1 = e.fetchDataFromCache(withCacheKey: "people")
        #expect(try await e1 == [ann])
        _ = try? await f.fetchDataFromCache(withCacheKey: "people")
        #expect(f.data == [ann])
    }

    // The form with a completion throws nothing.

    @Test("A static edit throws if there is no such list")
    func staticEdits() async throws {
        await misses { try await People.insert([ann], at: { _ in 0 }, cacheKey: "none", dataModelManager: manager) }
        await misses { try await People.update(ann, at: { _ in 0 }, cacheKey: "none", dataModelManager: manager) }
        await misses { try await People.removeAtIndex({ _ in 0 }, cacheKey: "none", dataModelManager: manager) }
        await misses {
            _ = try await People.insert([ann], at: { _ in 0 }, cacheKey: "none", dataModelManager: manager)
        }
        await misses {
            let nothing: Void = try await People.insert(
                [ann], at: { _ in 0 }, cacheKey: "none", dataModelManager: manager)
            return nothing
        }
        await misses {
            try await People.insert([ann], at: { _ in 0 }, cacheKey: "none", dataModelManager: manager)
            try Task.checkCancellation()
        }
        await misses {
            return try await People.insert([ann], at: { _ in 0 }, cacheKey: "none", dataModelManager: manager)
        }
        await misses {
            try await Task {
                try await People.insert([ann], at: { _ in 0 }, cacheKey: "none", dataModelManager: manager)
            }.value
        }
        await misses {
            try await Task { @MainActor in
                try await People.removeAtIndex({ _ in 0 }, cacheKey: "none", dataModelManager: manager)
                try Task.checkCancellation()
            }.value
        }
        await misses {
            async let edit: Void = People.insert(
                [ann], at: { _ in 0 }, cacheKey: "none", dataModelManager: manager)
            try await edit
        }
        await misses {
            try await withThrowingTaskGroup { group in
                group.addTask {
                    try await People.insert([ann], at: { _ in 0 }, cacheKey: "none", dataModelManager: manager)
                }
                try await group.waitForAll()
            }
        }
        await #expect(throws: CacheMiss.self) {
            try await People.insert([ann], at: { _ in 0 }, cacheKey: "none", dataModelManager: manager)
        }
        #expect(
            (try? await People.insert([ann], at: { _ in 0 }, cacheKey: "none", dataModelManager: manager)) == nil)
        try await People.append([Person(id: "2")], cacheKey: "new", dataModelManager: manager)
        await manager.flush()
        #expect(try cache.inner.collection("new", of: Person.self)?.count == 1)
    }

    private func misses(
        _ body: @MainActor () async throws -> Void, _ location: SourceLocation = #_sourceLocation
    ) async {
        await #expect(throws: CacheMiss.self, sourceLocation: location) { try await body() }
    }

    @Test("Without `await`, the form with a completion is called, which has one to leave out")
    func withoutAwait() {
        edit()
    }

    private func edit() {
        People.insert([ann], at: { _ in 0 }, cacheKey: "people", dataModelManager: manager)
        People.append([ann], cacheKey: "people", dataModelManager: manager)
    }
}

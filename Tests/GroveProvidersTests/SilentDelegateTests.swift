import Grove
import GroveCache
import TestSupport
import Testing

/// A cache that is only a delegate has a limited time for an answer.
@MainActor
@Suite("Delegates that do not answer")
struct SilentDelegateTests {
    typealias People = CollectionDataProvider<Person>

    let ann = Person(id: "1", name: "Ann")
    let held: HeldCache
    let manager: DataModelManager

    init() throws {
        held = try HeldCache()
        manager = DataModelManager(cacheDelegate: held, cacheTimeout: 3)
    }

    /// The code with which `body` fails.
    private func code<Value>(_ body: @MainActor () async throws -> Value) async throws -> CacheError.Code? {
        do {
            _ = try await body()
            return nil
        } catch let error as CacheError {
            return error.code
        }
    }

    @Test("A list that is never answered does not block those who ask after it")
    func lists() async throws {
        try await held.inner.writeCollection([ann], as: "people")
        let (first, second) = (People(dataModelManager: manager), People(dataModelManager: manager))
        held.hold()
        #expect(try await code { try await first.fetchDataFromCache(withCacheKey: "people") } == .locked)
        guard case .failed = first.state else { return #expect(Bool(false), "\(first.state)") }
        held.release()
        #expect(try await second.fetchDataFromCache(withCacheKey: "people") == [ann])
    }

    @Test("An edit of a list that is being loaded is stored when a flush returns")
    func flushedEdits() async throws {
        let ben = Person(id: "2", name: "Ben")
        try await held.inner.writeCollection([ann], as: "people")
        // However long the other tests have the main actor.
        let manager = DataModelManager(cacheDelegate: held, cacheTimeout: 600)
        let list = People(dataModelManager: manager)
        held.hold()
        list.fetchDataFromCache(withCacheKey: "people") { _, _ in }
        list.append([ben])
        let flushed = Task { [held] in
            await manager.flush()
            return try held.inner.collection("people", of: Person.self)
        }
        // Turns enough for a flush that does not wait.
        await waitUntil { held.waiting == 1 }
        for _ in 0..<100 { await manager.consistencyManager.flush() }
        held.release()
        #expect(try await flushed.value == [ann, ben])
    }

    @Test("Nor does a model; the answer that comes at last is of no use")
    func models() async throws {
        try await held.inner.write(ann)
        let (first, second) = (
            DataProvider<Person>(dataModelManager: manager), DataProvider<Person>(dataModelManager: manager)
        )
        held.hold()
        #expect(try await code { try await first.fetchDataFromCache(withCacheKey: "Person:1") } == .locked)
        guard case .failed = first.state else { return #expect(Bool(false), "\(first.state)") }
        held.release()
        for _ in 0..<3 { await manager.flush() }
        #expect(first.data == nil)
        #expect(try await second.fetchDataFromCache(withCacheKey: "Person:1") == ann)
        #expect(try await first.fetchDataFromCache(withCacheKey: "Person:1") == ann)
    }

    @Test("Whoever asked is told once, also if the provider is gone, and siblings that wait with it")
    func goneProviders() async throws {
        try await held.inner.writeCollection([ann], as: "people")
        held.hold()
        var told: [String: [CacheError.Code?]] = [:]
        weak var (gone, goneList): (DataProvider<Person>?, People?)
        let sibling = People(dataModelManager: manager)
        do {
            let (model, list) = (DataProvider<Person>(dataModelManager: manager), People(dataModelManager: manager))
            (gone, goneList) = (model, list)
            model.fetchDataFromCache(withCacheKey: "Person:1") {
                told["model", default: []].append(($1 as? CacheError)?.code)
            }
            list.fetchDataFromCache(withCacheKey: "people") {
                told["list", default: []].append(($1 as? CacheError)?.code)
            }
            sibling.fetchDataFromCache(withCacheKey: "people") {
                told["sibling", default: []].append(($1 as? CacheError)?.code)
            }
        }
        #expect(gone == nil && goneList == nil, "a fetch keeps no provider")
        await waitUntil { told.count >= 3 }
        held.release()
        for _ in 0..<3 { await manager.flush() }
        #expect(told == ["model": [.locked], "list": [.locked], "sibling": [.locked]])
        #expect(try await sibling.fetchDataFromCache(withCacheKey: "people") == [ann])
    }

    @Test("One that drops what it is to answer with is given up too, for a model, a list or their ages")
    func forgetfulDelegate() async throws {
        let manager = DataModelManager(cacheDelegate: ForgetfulCache(), cacheTimeout: 3)
        let (model, list) = (DataProvider<Person>(dataModelManager: manager), People(dataModelManager: manager))
        await #expect(throws: CacheError.self) { _ = try await model.fetchDataFromCache(withCacheKey: "Person:1") }
        await #expect(throws: CacheError.self) { _ = try await list.fetchDataFromCache(withCacheKey: "people") }
        _ = try await model.load(withCacheKey: "Person:1", maxAge: 100_000) { [ann] in ann }
        _ = try await list.load(withCacheKey: "people", maxAge: 100_000) { [ann] in [ann] }
        #expect(model.data == ann && list.data == [ann])
    }
}

/// A cache that answers nothing and lets go of what it was to answer with.
private struct ForgetfulCache: ExpiringCacheDelegate {
    func modelForKey<T: SimpleModel>(
        _ cacheKey: String?, context: (any Sendable)?, completion: @escaping @Sendable (T?, (any Error)?) -> Void
    ) {}

    func modelForKey<T: SimpleModel>(
        _ cacheKey: String?, maxAge: Double, context: (any Sendable)?,
        completion: @escaping @Sendable (T?, (any Error)?) -> Void
    ) {}

    func setModel(_ model: any SimpleModel, forKey cacheKey: String, context: (any Sendable)?) {}

    func collectionForKey<T: SimpleModel>(
        _ cacheKey: String?, context: (any Sendable)?, completion: @escaping @Sendable ([T]?, (any Error)?) -> Void
    ) {}

    func collectionForKey<T: SimpleModel>(
        _ cacheKey: String?, maxAge: Double, context: (any Sendable)?,
        completion: @escaping @Sendable ([T]?, (any Error)?) -> Void
    ) {}

    func setCollection(_ collection: [any SimpleModel], forKey cacheKey: String, context: (any Sendable)?) {}

    func deleteModel(_ model: any SimpleModel, forKey cacheKey: String?, context: (any Sendable)?) {}
}

import Grove
import GroveCache
import GroveMemory
import Testing

/// Every name and argument label that RocketData and ConsistencyManager had and Grove keeps, used as an application
/// would; Docs/Guides/MovingFromRocketData.md lists them.
@MainActor
@Suite("Names that stay")
struct NamesTests {
    let ann = Person(id: "1", name: "Ann")

    // MARK: ConsistencyManager

    @MainActor
    final class Controller: ConsistencyManagerListener, ConsistencyManagerUpdatesListener, ConsistencyManagerDelegate,
        BatchListenerDelegate
    {
        var model: Person?
        var calls: [String] = []

        init(_ model: Person?) { self.model = model }

        func currentModel() -> (any ConsistencyManagerModel)? { model }

        func modelUpdated(_ model: (any ConsistencyManagerModel)?, updates: ModelUpdates, context: (any Sendable)?) {
            self.model = model as? Person
            calls.append("modelUpdated \(updates.changedModelIds.count) \(updates.deletedModelIds.count)")
        }

        func consistencyManager(
            _ consistencyManager: ConsistencyManager, updatedModel model: any ConsistencyManagerModel,
            changes: [ModelIdentifier: ModelChange], context: (any Sendable)?
        ) {
            for change in changes.values {
                switch change {
                case .updated(let models): calls.append("updated \(models.count)")
                case .deleted: calls.append("deleted")
                }
            }
        }

        func consistencyManager(
            _ consistencyManager: ConsistencyManager, willReplaceModel oldModel: any ConsistencyManagerModel,
            withModel newModel: (any ConsistencyManagerModel)?, context: (any Sendable)?
        ) { calls.append("willReplace") }

        func consistencyManager(_ consistencyManager: ConsistencyManager, failedWithCriticalError error: any Error) {
            calls.append("failed")
        }

        func batchListener(
            _ batchListener: BatchListener, hasUpdatedListeners updatedListeners: [any ConsistencyManagerListener],
            updates: ModelUpdates, context: (any Sendable)?
        ) { calls.append("batch \(updatedListeners.count)") }
    }

    @Test("ConsistencyManager, its listeners, delegate, batches and updates")
    func consistencyManager() async {
        let manager = ConsistencyManager()
        let (controller, other, watcher) = (Controller(ann), Controller(ann), Controller(nil))
        manager.delegate = watcher
        manager.garbageCollectionInterval = 60
        manager.addListener(controller)
        manager.addListener(controller, to: ann)
        manager.pauseListener(controller)
        #expect(manager.isListenerPaused(controller))
        manager.updateModel(Person(id: "1", name: "B"), context: nil)
        manager.updateModel(BatchUpdateModel(models: [Person(id: "1", name: "C"), nil], modelIdentifier: nil))
        await manager.flush()
        manager.resumeListener(controller)
        #expect(controller.model?.name == "C")
        manager.addModelUpdatesListener(watcher)
        manager.deleteModel(ann, context: nil)
        await manager.flush()
        manager.removeModelUpdatesListener(watcher)
        #expect(watcher.calls == ["willReplace", "willReplace", "willReplace", "deleted"])
        other.model = ann
        let batch = BatchListener(listeners: [other], consistencyManager: manager)
        batch.delegate = watcher
        batch.addListener(manager)
        batch.listenerHasUpdatedModel(other, consistencyManager: manager)
        batch.listenerHasUpdatedModel(ann, consistencyManager: manager)
        manager.updateModel(Person(id: "1", name: "D"))
        await manager.flush()
        #expect(watcher.calls.last == "batch 1")
        manager.removeListener(controller)
        manager.cleanMemory()
        await withCheckedContinuation { done in manager.clearListenersAndCancelAllTasks { done.resume() } }
        #expect(
            ModelUpdates(changedModelIds: ["a"], deletedModelIds: [])
                == ModelUpdates(changedModelIds: ["a"], deletedModelIds: []))
    }

    @Test("Models: identifier, map, forEach, equality, merge, projection")
    func models() {
        let message = Message(id: "m", sender: ann)
        let model: any ConsistencyManagerModel = message
        #expect(model.modelIdentifier == "Message:m")
        var seen = 0
        model.forEach { _ in seen += 1 }
        #expect(seen == 1)
        #expect(message.map { $0 } == message)
        #expect(model.isEqual(to: message))
        #expect(message.merge(message).isEqual(to: message))
        #expect(message.projectionIdentifier == "Message")
        let simple: any SimpleModel = ann
        #expect(simple.modelIdentifier == "Person:1")
    }

    // MARK: RocketData

    @MainActor
    final class Log: LogDelegate {
        func assertionFailure(_ message: String, file: StaticString, function: StaticString, line: UInt) {}
    }

    @Test("DataModelManager")
    func dataModelManager() async throws {
        let cache: any CacheDelegate = try MemoryCache()
        let manager = DataModelManager(cacheDelegate: cache)
        let log = Log()
        manager.logDelegate = log
        manager.updateModel(ann, updateCache: true, context: nil)
        manager.updateModels([ann], updateCache: true, context: nil)
        manager.cacheModel(ann, forKey: "me", context: nil)
        manager.cacheCollection([ann], forKey: "people", context: nil)
        let model: (value: Person?, error: (any Error)?) = await answer { completion in
            manager.modelFromCache("me", context: nil, completion: completion)
        }
        #expect(model.value == ann)
        let collection: (value: [Person]?, error: (any Error)?) = await answer { completion in
            manager.collectionFromCache("people", context: nil, completion: completion)
        }
        #expect(collection.value == [ann])
        manager.deleteModel(ann, updateCache: true, context: nil)
        await manager.consistencyManager.flush()
        _ = manager.cacheDelegate
    }

    @Test("DataProvider and its delegate, batches of providers")
    func dataProvider() async throws {
        let manager = DataModelManager(cacheDelegate: try MemoryCache())
        let provider = DataProvider<Person>(dataModelManager: manager)
        let screen = Screen()
        provider.delegate = screen
        provider.modelIdentifier = "Person:1"
        provider.setData(ann, updateCache: true, context: nil)
        provider.isPaused = true
        provider.isPaused = false
        #expect(provider.data == ann)
        #expect(provider.lastUpdated != nil)
        let one: (value: Person?, error: (any Error)?) = await answer { completion in
            provider.fetchDataFromCache(withCacheKey: "Person:1", context: nil, completion: completion)
        }
        let two: (value: Person?, error: (any Error)?) = await answer { completion in
            provider.fetchDataFromCache(
                withCacheKey: "Person:1", listenToModelIdentifier: "Person:1", context: nil, completion: completion)
        }
        #expect([one.value, two.value] == [ann, ann])
        let batch = BatchDataProviderListener(dataProviders: [provider], dataModelManager: manager)
        batch.delegate = screen
        batch.isPaused = true
        manager.updateModel(Person(id: "1", name: "B"))
        await manager.flush()
        batch.isPaused = false
        #expect(screen.batches.count == 1)
        #expect(screen.told.count == 1)
    }

    @Test("CollectionDataProvider, its delegate, its changes and its static edits")
    func collectionDataProvider() async throws {
        typealias People = CollectionDataProvider<Person>
        let manager = DataModelManager(cacheDelegate: try MemoryCache())
        let (list, screen) = (People(dataModelManager: manager), Screen())
        list.delegate = screen
        list.setData([ann], cacheKey: "people", shouldCache: true, context: nil)
        list.insert([Person(id: "2")], at: 0, shouldCache: true, context: nil)
        list.append([Person(id: "3")], shouldCache: true, context: nil)
        list.update(Person(id: "3", name: "three"), at: 2, shouldCache: true, context: nil)
        list.remove(at: 0, shouldCache: true, context: nil)
        list.removeAtIndex(1, shouldCache: true, context: nil)
        list.isPaused = false
        #expect((list.data, list.count, list[0], list.cacheKey) == ([ann], 1, ann, "people"))
        let fetched: (value: [Person]?, error: (any Error)?) = await answer { completion in
            list.fetchDataFromCache(withCacheKey: "people", context: nil, completion: completion)
        }
        #expect(fetched.value == [ann])
        var completions = 0
        func done(_ error: (any Error)?) { completions += error == nil ? 1 : 0 }
        People.setData(
            [Person(id: "1", name: "Anna")], cacheKey: "people", dataModelManager: manager, context: nil,
            completion: { done($0) })
        People.insert(
            [Person(id: "4")], at: { $0.count }, cacheKey: "people", dataModelManager: manager, context: nil,
            completion: { done($0) })
        People.append(
            [Person(id: "5")], cacheKey: "people", dataModelManager: manager, context: nil, completion: { done($0) })
        People.update(
            Person(id: "5", name: "five"), at: { $0.count - 1 }, cacheKey: "people", dataModelManager: manager,
            context: nil, completion: { done($0) })
        People.removeAtIndex(
            { _ in 1 }, cacheKey: "people", dataModelManager: manager, context: nil, completion: { done($0) })
        await manager.flush()
        #expect(completions == 5)
        #expect(list.data.map(\.id) == ["1", "5"])
        #expect(screen.changes.first == .reset)
        var changes: [CollectionChangeInformation] = []
        for case .changes(let list) in screen.changes { changes += list }
        #expect(changes == [.insert(index: 1), .insert(index: 2), .update(index: 2), .delete(index: 1)])
        #expect(changes.numberOfInsertedElements() == 2)
        #expect(changes.numberOfDeletedElements() == 1)
        #expect(changes.numberOfUpdatedElements() == 1)
        #expect(changes.deltaNumberOfElements() == 1)
    }
}

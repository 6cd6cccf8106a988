import GroveConsistency
import GroveModel
import Testing

@MainActor
@Suite("Listeners")
struct ListenerTests {
    let manager = ConsistencyManager()

    @Test("Updates apply and arrive in the order of the calls, from any thread")
    func order() async {
        let listener = Listener(Node(id: "a"))
        manager.addListener(listener)
        for value in 1...500 { manager.updateModel(Node(id: "a", value: value)) }
        await manager.flush()
        #expect(listener.told.compactMap { $0.model?.value } == Array(1...500))
    }

    @Test("Everybody affected by one update is told in one turn of the main actor")
    func oneTurn() async {
        let listeners = (0..<100).map { Listener(Node(id: "r\($0)", children: [Node(id: "s")])) }
        listeners.forEach(manager.addListener)
        await manager.flush()
        let hops = manager.mainActorMeasures.hops
        manager.updateModel(Node(id: "s", value: 1))
        await withCheckedContinuation { continuation in
            listeners[99].onUpdate = { continuation.resume() }
        }
        #expect(listeners.allSatisfy { $0.told.count == 1 })
        #expect(manager.mainActorMeasures.hops <= hops + 1)
    }

    @Test("What was under way to a listener that set its own model is not delivered")
    func neverOlder() async {
        let listener = Listener(Node(id: "a", children: [Node(id: "b")]))
        manager.addListener(listener)
        manager.updateModel(Node(id: "b", value: 1))
        listener.model = Node(id: "a", children: [Node(id: "b", value: 2)])
        manager.addListener(listener)
        await manager.flush()
        #expect(listener.told.isEmpty)
        manager.updateModel(Node(id: "b", value: 3))
        await manager.flush()
        #expect(listener.model?.children[0].value == 3)
    }

    @Test("A paused listener is told once, of everything, when it is resumed")
    func pause() async {
        let listener = Listener(Node(id: "a", children: [Node(id: "b"), Node(id: "c")]))
        manager.addListener(listener)
        manager.pauseListener(listener)
        #expect(manager.isListenerPaused(listener))
        manager.updateModel(Node(id: "b", value: 1), context: "first")
        manager.deleteModel(Node(id: "c"), context: "last")
        await manager.flush()
        #expect(listener.told.isEmpty)
        manager.resumeListener(listener)
        #expect(!manager.isListenerPaused(listener))
        #expect(listener.told.count == 1)
        #expect(listener.told.first?.updates.changedModelIds == ["a", "b"])
        #expect(listener.told.first?.updates.deletedModelIds == ["c"])
        #expect(listener.told.first?.context == "last")
        #expect(listener.model == Node(id: "a", children: [Node(id: "b", value: 1)]))
    }

    @Test("A paused listener whose model changed back is not told")
    func pauseAndBack() async {
        let listener = Listener(Node(id: "a"))
        manager.addListener(listener)
        manager.pauseListener(listener)
        manager.updateModel(Node(id: "a", value: 1))
        manager.updateModel(Node(id: "a", value: 0))
        await manager.flush()
        manager.resumeListener(listener)
        #expect(listener.told.isEmpty)
    }

    @Test(
        "A listener that let go of its model without adding itself again is not given it back",
        arguments: [nil, Node(id: "z")])
    func letGo(of other: Node?) async {
        let (listener, sibling) = (Listener(Node(id: "a", children: [Node(id: "b")])), Listener(Node(id: "b")))
        let delegate = PauseTests.BatchDelegate()
        let batch = BatchListener(listeners: [listener, sibling], consistencyManager: manager)
        batch.delegate = delegate
        listener.model = other
        manager.updateModel(Node(id: "b", value: 1))
        await manager.flush()
        #expect(listener.told.isEmpty)
        #expect(listener.model == other)
        #expect(sibling.told.count == 1)
        #expect(delegate.told.map(\.count) == [1])
        #expect(delegate.told.map(\.updates.changedModelIds) == [["b"]])

        // It shows the model again, in whatever version: it is told of the next change.
        listener.model = Node(id: "a", children: [Node(id: "b")])
        manager.updateModel(Node(id: "b", value: 2))
        await manager.flush()
        #expect(listener.model?.children[0].value == 2)

        listener.model = other
        manager.deleteModel(Node(id: "a"))
        await manager.flush()
        #expect(listener.told.count == 1)
        #expect(listener.model == other)
    }

    @Test("A listener that let go while an update was under way is not given its model back either")
    func letGoMeanwhile() async {
        let listener = Listener(Node(id: "a"))
        manager.addListener(listener)
        manager.updateModel(Node(id: "a", value: 1))
        listener.model = Node(id: "z")
        await manager.flush()
        #expect(listener.told.isEmpty)
        // What it adds itself with is older than what it was not told of. It listens to that, and not to what it held.
        listener.model = Node(id: "a")
        manager.addListener(listener)
        manager.updateModel(Node(id: "a", value: 1))
        await manager.flush()
        #expect(listener.model?.value == 1)
    }

    @Test("A removed listener is told nothing, not even what is under way")
    func remove() async {
        let listener = Listener(Node(id: "a"))
        let other = Listener(Node(id: "a"))
        manager.addListener(listener)
        manager.addListener(other)
        manager.updateModel(Node(id: "a", value: 1))
        manager.removeListener(listener)
        await manager.flush()
        #expect(listener.told.isEmpty)
        #expect(other.told.count == 1)
    }

    @Test("A batch is told once per update, after its listeners, of those that changed")
    func batch() async {
        final class Delegate: BatchListenerDelegate {
            var told: [([ObjectIdentifier], ModelUpdates, String?)] = []
            var toldListeners: [Int] = []
            func batchListener(
                _ batch: BatchListener, hasUpdatedListeners updated: [any ConsistencyManagerListener],
                updates: ModelUpdates, context: (any Sendable)?
            ) {
                told.append((updated.map { ObjectIdentifier($0) }, updates, context as? String))
                toldListeners.append(updated.compactMap { ($0 as? Listener<Node>)?.told.count }.reduce(0, +))
            }
        }
        let first = Listener(Node(id: "a", children: [Node(id: "s")]))
        let second = Listener(Node(id: "b", children: [Node(id: "s")]))
        let third = Listener(Node(id: "c"))
        let delegate = Delegate()
        let batch = BatchListener(listeners: [first, second, third], consistencyManager: manager)
        batch.delegate = delegate
        manager.updateModel(Node(id: "s", value: 1), context: "one")
        await manager.flush()
        #expect(delegate.told.count == 1)
        #expect(
            delegate.told[0].0 == [ObjectIdentifier(first), ObjectIdentifier(second)]
                || delegate.told[0].0 == [ObjectIdentifier(second), ObjectIdentifier(first)])
        #expect(delegate.told[0].1.changedModelIds == ["a", "b", "s"])
        #expect(delegate.toldListeners == [2])

        manager.pauseListener(batch)
        #expect(manager.isListenerPaused(batch))
        manager.updateModel(Node(id: "s", value: 2), context: "two")
        manager.updateModel(Node(id: "c", value: 2), context: "three")
        await manager.flush()
        #expect(delegate.told.count == 1)
        manager.resumeListener(batch)
        #expect(delegate.told.count == 2)
        #expect(delegate.told[1].0.count == 3)
        #expect(delegate.told[1].2 == "three")

        first.model = Node(id: "n")
        batch.listenerHasUpdatedModel(first, consistencyManager: manager)
        manager.updateModel(Node(id: "n", value: 2))
        await manager.flush()
        #expect(delegate.told.count == 3)
    }

    @Test("A listener may post, delete and remove from within its callback")
    func reentrance() async {
        let first = Listener(Node(id: "a"))
        let second = Listener(Node(id: "b"))
        manager.addListener(first)
        manager.addListener(second)
        first.onUpdate = { [manager] in
            guard first.told.count < 10 else { return }
            manager.updateModel(Node(id: "b", value: first.told.count))
        }
        second.onUpdate = { [manager] in manager.updateModel(Node(id: "a", value: second.told.count + 1)) }
        manager.updateModel(Node(id: "a", value: 1))
        for _ in 0..<25 { await manager.flush() }
        #expect(first.told.count == 10)
        #expect(second.told.count == 9)
    }

    @Test("After clearing nobody is told, and the completion is called")
    func clear() async {
        let listener = Listener(Node(id: "a"))
        manager.addListener(listener)
        manager.updateModel(Node(id: "a", value: 1))
        await withCheckedContinuation { continuation in
            manager.clearListenersAndCancelAllTasks { continuation.resume() }
        }
        manager.updateModel(Node(id: "a", value: 2))
        await manager.flush()
        #expect(listener.told.isEmpty)
        manager.addListener(listener)
        manager.updateModel(Node(id: "a", value: 3))
        await manager.flush()
        #expect(listener.told.count == 1)
    }

    @Test("Listeners, models and the manager are gone with their owners, also when paused")
    func leaks() async {
        final class Mark: Sendable {}
        struct Marked: Model {
            let mark: Mark
            var modelIdentifier: ModelIdentifier? { "m" }
            func map(_ transform: (any Model) -> (any Model)?) -> Marked? { self }
            func forEach(_ visit: (any Model) -> Void) {}
            func isEqual(to model: any SimpleModel) -> Bool { (model as? Marked)?.mark === mark }
        }
        weak var weakListener: Listener<Marked>?
        weak var weakPaused: Listener<Marked>?
        weak var weakMark: Mark?
        weak var weakManager: ConsistencyManager?
        do {
            let manager = ConsistencyManager()
            weakManager = manager
            do {
                let mark = Mark()
                let listener = Listener(Marked(mark: mark))
                let paused = Listener(Marked(mark: mark))
                manager.addListener(listener)
                manager.addListener(paused)
                manager.pauseListener(paused)
                manager.updateModel(Marked(mark: Mark()))
                await manager.flush()
                (weakListener, weakPaused, weakMark) = (listener, paused, listener.model?.mark)
                #expect(weakMark != nil)
            }
            #expect(weakListener == nil)
            #expect(weakPaused == nil)
            manager.cleanMemory()
            await manager.flush()
            #expect(weakMark == nil)
        }
        await Task.yield()
        #expect(weakManager == nil)
    }
}

import GroveConsistency
import GroveModel
import TestSupport
import Testing

@MainActor
@Suite("Pauses")
struct PauseTests {
    let manager = ConsistencyManager()

    final class BatchDelegate: BatchListenerDelegate {
        var told: [(count: Int, updates: ModelUpdates, context: String?)] = []
        func batchListener(
            _ batch: BatchListener, hasUpdatedListeners updated: [any ConsistencyManagerListener],
            updates: ModelUpdates, context: (any Sendable)?
        ) { told.append((updated.count, updates, context as? String)) }
    }

    @Test("A listener of a batch that is resumed tells its batch, at once")
    func memberOfBatch() async {
        let (first, second, delegate) = (Listener(Node(id: "a")), Listener(Node(id: "b")), BatchDelegate())
        let batch = BatchListener(listeners: [first, second], consistencyManager: manager)
        batch.delegate = delegate
        manager.pauseListener(first)
        manager.updateModel(Node(id: "a", value: 1), context: "missed")
        await manager.flush()
        #expect(first.told.isEmpty)
        #expect(delegate.told.isEmpty)
        manager.resumeListener(first)
        #expect(first.told.count == 1)
        #expect(delegate.told.map(\.count) == [1])
        #expect(delegate.told.map(\.context) == ["missed"])
        #expect(delegate.told.map(\.updates) == [ModelUpdates(changedModelIds: ["a"], deletedModelIds: [])])
        manager.updateModel(Node(id: "b", value: 1))
        await manager.flush()
        #expect(delegate.told.map(\.count) == [1, 1])
        #expect(delegate.told.last?.updates.changedModelIds == ["b"])
    }

    @Test("A paused batch is told nothing, also where one of its listeners is resumed")
    func memberOfPausedBatch() async {
        let (first, second, delegate) = (Listener(Node(id: "a")), Listener(Node(id: "b")), BatchDelegate())
        let batch = BatchListener(listeners: [first, second], consistencyManager: manager)
        batch.delegate = delegate
        manager.pauseListener(batch)
        manager.updateModel(Node(id: "a", value: 1), context: "missed")
        await manager.flush()
        manager.resumeListener(first)
        #expect(first.told.count == 1)
        manager.updateModel(Node(id: "a", value: 2), context: "live")
        await manager.flush()
        #expect(first.told.count == 2)
        #expect(delegate.told.isEmpty)
        manager.resumeListener(batch)
        #expect(delegate.told.map(\.count) == [1])
        #expect(delegate.told.map(\.context) == ["live"])

        // A batch that is removed while it is paused is not paused when it is added again.
        manager.pauseListener(batch)
        manager.removeListener(batch)
        batch.addListener(manager)
        #expect(!manager.isListenerPaused(batch))
        manager.updateModel(Node(id: "b", value: 2))
        await manager.flush()
        #expect(delegate.told.count == 2)
    }

    @Test("What was deleted in a pause and came back is not deleted, what changed back did not change")
    func thereAndBack() async {
        let listener = Listener(
            Node(
                id: "r",
                children: [Node(id: "a"), Node(id: "b"), Node(id: "c"), Node(id: "d", optional: [Node(id: "e")])])
        )
        manager.addListener(listener)
        manager.pauseListener(listener)
        manager.deleteModel(Node(id: "a"))
        manager.updateModel(Node(id: "b", value: 1))
        manager.deleteModel(Node(id: "b"))
        manager.updateModel(Node(id: "c", value: 1))
        manager.updateModel(Node(id: "c", value: 0))
        manager.deleteModel(Node(id: "e"))
        manager.updateModel(Node(id: "d", optional: [Node(id: "e")]))
        manager.updateModel(Node(id: "d", value: 1, children: [Node(id: "a", value: 7)], optional: [Node(id: "e")]))
        await manager.flush()
        manager.resumeListener(listener)
        #expect(listener.model?.children.map(\.id) == ["c", "d"])
        #expect(
            listener.told.map(\.updates)
                == [ModelUpdates(changedModelIds: ["r", "a", "d"], deletedModelIds: ["b"])])
    }

    @Test("A root that was deleted in a pause is deleted, and nothing in it changed")
    func deletedRoot() async {
        let listener = Listener(Node(id: "r", required: [Node(id: "a")]))
        manager.addListener(listener)
        manager.pauseListener(listener)
        manager.updateModel(Node(id: "a", value: 1))
        manager.deleteModel(Node(id: "a"))
        await manager.flush()
        manager.resumeListener(listener)
        #expect(listener.model == nil)
        #expect(listener.told.map(\.updates) == [ModelUpdates(changedModelIds: [], deletedModelIds: ["r", "a"])])
    }

    @Test("A model that went from one listener of a paused batch to another is not deleted from the batch")
    func movedInBatch() async {
        let first = Listener(Node(id: "a", children: [Node(id: "m")]))
        let second = Listener(Node(id: "b"))
        let delegate = BatchDelegate()
        let batch = BatchListener(listeners: [first, second], consistencyManager: manager)
        batch.delegate = delegate
        manager.pauseListener(batch)
        manager.deleteModel(Node(id: "m"))
        manager.updateModel(Node(id: "b", children: [Node(id: "m", value: 1)]))
        await manager.flush()
        manager.resumeListener(batch)
        #expect(first.told.last?.updates == ModelUpdates(changedModelIds: ["a"], deletedModelIds: ["m"]))
        #expect(second.told.last?.updates == ModelUpdates(changedModelIds: ["b"], deletedModelIds: []))
        #expect(
            delegate.told.map(\.updates) == [ModelUpdates(changedModelIds: ["a", "b", "m"], deletedModelIds: [])])
    }

    @Test("A listener that let go of its model while paused is not given it back")
    func modelBecameNil() async {
        let listener = Listener(Node(id: "a"))
        manager.addListener(listener)
        manager.pauseListener(listener)
        manager.updateModel(Node(id: "a", value: 1))
        await manager.flush()
        let other = Listener(Node(id: "a", value: 1))
        manager.addListener(other)
        manager.pauseListener(other)
        (listener.model, other.model) = (nil, nil)
        manager.resumeListener(listener)
        manager.resumeListener(other)
        #expect(listener.told.isEmpty)
        manager.updateModel(Node(id: "a", value: 2))
        await manager.flush()
        #expect(listener.told.isEmpty)
        #expect(other.told.isEmpty)
        #expect(listener.model == nil)
    }

    @Test("A listener that went to another model while paused is not given the old one back")
    func anotherModel() async {
        let listener = Listener(Node(id: "a"))
        let delegate = BatchDelegate()
        let batch = BatchListener(listeners: [listener], consistencyManager: manager)
        batch.delegate = delegate
        manager.pauseListener(batch)
        manager.updateModel(Node(id: "a", value: 1))
        await manager.flush()
        listener.model = Node(id: "z")
        manager.resumeListener(batch)
        #expect(listener.told.isEmpty)
        #expect(listener.model == Node(id: "z"))
        #expect(delegate.told.isEmpty)
        listener.model = Node(id: "a")
        manager.addListener(listener)
        manager.updateModel(Node(id: "a", value: 1))
        await manager.flush()
        #expect(listener.model?.value == 1)
    }

    @Test("A listener that brought itself up to date while paused, and adds itself with the old version, has that")
    func backAfterPause() async {
        let listener = Listener(Node(id: "a"))
        manager.addListener(listener)
        manager.pauseListener(listener)
        manager.updateModel(Node(id: "a", value: 1))
        await manager.flush()
        listener.model = Node(id: "a", value: 1)
        manager.resumeListener(listener)
        #expect(listener.told.isEmpty)
        listener.model = Node(id: "a")
        manager.addListener(listener)
        manager.updateModel(Node(id: "a", value: 1))
        await manager.flush()
        #expect(listener.model?.value == 1)
    }

    @Test("A projection that changed in a pause is a change, also where another projection did not")
    func projections() async {
        let person = Listener(Person(id: "1", name: "Ann", age: 3))
        let badge = Listener(Badge(id: "1", name: "Ann"))
        let delegate = BatchDelegate()
        let batch = BatchListener(listeners: [person, badge], consistencyManager: manager)
        batch.delegate = delegate
        manager.pauseListener(batch)
        manager.updateModel(Person(id: "1", name: "Ann", age: 4))
        await manager.flush()
        manager.resumeListener(batch)
        #expect(badge.told.isEmpty)
        #expect(person.told.map(\.updates.changedModelIds) == [["Person:1"]])
        #expect(delegate.told.map(\.updates.changedModelIds) == [["Person:1"]])
    }

    @Test("A listener without a model of its own, added to one, is told of it after a pause too")
    func withoutModel() async {
        let listener = Listener<Node>(nil)
        manager.addListener(listener, to: Node(id: "a"))
        manager.pauseListener(listener)
        manager.updateModel(Node(id: "a", value: 1))
        await manager.flush()
        manager.resumeListener(listener)
        #expect(listener.model?.value == 1)
        #expect(listener.told.map(\.updates.changedModelIds) == [["a"]])
    }

    @Test(
        "After any pause the updates are what the trees before and after say",
        arguments: 0..<200 as Range<UInt64>)
    func comparesTrees(seed: UInt64) async {
        var world = RandomizedTests.World(random: SeededGenerator(seed: seed))
        var tree = world.coherent(Int.random(in: 0..<4, using: &world.random))
        let listener = Listener(tree)
        manager.addListener(listener)
        for pause in 0..<6 {
            manager.pauseListener(listener)
            let (before, toldBefore) = (tree, listener.told.count)
            var (after, deleted) = (tree as Node?, Set<ModelIdentifier>())
            for _ in 0..<Int.random(in: 1...6, using: &world.random) {
                switch Int.random(in: 0..<6, using: &world.random) {
                case 0, 1:
                    let id = "\(Int.random(in: 1..<12, using: &world.random))"
                    manager.deleteModel(Node(id: id))
                    deleted.formUnion(after?.deletions(of: id) ?? [])
                    after = after?.without(id)
                case 2:
                    // What changed goes back.
                    manager.updateModel(before)
                    after = after?.grafted(before.versions)
                default:
                    let posted = world.coherent(Int.random(in: 0..<12, using: &world.random))
                    manager.updateModel(posted)
                    after = after?.grafted(posted.versions)
                }
            }
            await manager.flush()
            #expect(listener.told.count == toldBefore, "seed \(seed), pause \(pause)")
            manager.resumeListener(listener)
            #expect(listener.model == after, "seed \(seed), pause \(pause)")
            if after == before {
                #expect(listener.told.count == toldBefore, "seed \(seed), pause \(pause)")
            } else {
                let (old, new) = (before.versions, after?.versions ?? [:])
                let updates = listener.told.last?.updates
                #expect(updates?.changedModelIds == before.changes(to: after), "seed \(seed), pause \(pause)")
                let gone = deleted.filter { old[$0.rawValue] != nil && new[$0.rawValue] == nil }
                #expect(updates?.deletedModelIds == gone, "seed \(seed), pause \(pause)")
            }
            tree = after ?? world.coherent(0)
            guard after == nil else { continue }
            listener.model = tree
            manager.addListener(listener)
        }
    }
}

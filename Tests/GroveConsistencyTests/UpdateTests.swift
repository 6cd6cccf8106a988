import GroveConsistency
import GroveModel
import Testing

@MainActor
@Suite("Updates")
struct UpdateTests {
    let manager = ConsistencyManager()
    let tree = Node(id: "a", children: [Node(id: "b", value: 1), Node(id: "c", children: [Node(id: "b", value: 1)])])

    @Test("A change reaches every place of the model, and every model above it is reported as changed")
    func grafts() async {
        let listener = Listener(tree)
        manager.addListener(listener)
        manager.updateModel(Node(id: "b", value: 2), context: "why")
        await manager.flush()
        #expect(listener.model == tree.grafted(["b": Node(id: "b", value: 2)]))
        #expect(listener.told.count == 1)
        #expect(listener.told.first?.updates == ModelUpdates(changedModelIds: ["a", "b", "c"], deletedModelIds: []))
        #expect(listener.told.first?.context == "why")
    }

    @Test("An equal model tells nobody and makes no hop")
    func unchanged() async {
        let listener = Listener(tree)
        manager.addListener(listener)
        await manager.flush()
        let hops = manager.mainActorMeasures.hops
        for _ in 0..<5 { manager.updateModel(tree) }
        manager.updateModel(Node(id: "b", value: 1))
        await manager.flush()
        #expect(listener.told.isEmpty)
        #expect(manager.mainActorMeasures.hops == hops + 1)
    }

    @Test("A model that nobody listens to changes nothing")
    func unrelated() async {
        let listener = Listener(tree)
        manager.addListener(listener)
        manager.updateModel(Node(id: "z", value: 2))
        await manager.flush()
        #expect(listener.told.isEmpty)
    }

    @Test("New children are listened to")
    func newChildren() async {
        let listener = Listener(tree)
        manager.addListener(listener)
        manager.updateModel(Node(id: "b", value: 2, children: [Node(id: "n", value: 1)]))
        manager.updateModel(Node(id: "n", value: 7))
        await manager.flush()
        #expect(listener.told.count == 2)
        #expect(listener.model?.children[0].children == [Node(id: "n", value: 7)])
        #expect(listener.model?.children[1].children[0].children == [Node(id: "n", value: 7)])
    }

    @Test("A model that changes and moves within a tree is reported as changed")
    func moves() async {
        func tree(_ left: [Node], _ right: [Node], value: Int) -> Node {
            Node(id: "r", children: [Node(id: "x", value: value, children: left), Node(id: "y", children: right)])
        }
        let (old, new) = (Node(id: "m", children: [Node(id: "n")]), Node(id: "m", children: [Node(id: "n", value: 1)]))
        let listener = Listener(tree([old], [], value: 0))
        manager.addListener(listener)
        manager.updateModel(tree([], [new], value: 1))
        // In one update of two models; back, unchanged; below a model without an identifier, which is made again.
        manager.updateModel(
            BatchUpdateModel(models: [Node(id: "y"), Node(id: "x", value: 2, children: [old])]))
        manager.updateModel(tree([], [old], value: 2))
        manager.updateModel(tree([], [Node(), Node(children: [new])], value: 2))
        manager.updateModel(tree([], [Node(children: [old])], value: 2))
        await manager.flush()
        #expect(
            listener.told.map(\.updates.changedModelIds) == [
                ["r", "x", "y", "m", "n"], ["r", "x", "y", "m", "n"], ["r", "x", "y"], ["r", "y", "m", "n"],
                ["r", "y", "m", "n"],
            ])
    }

    @Test("Children that are gone are listened to no more")
    func goneChildren() async {
        let listener = Listener(tree)
        manager.addListener(listener)
        manager.updateModel(Node(id: "c"))
        manager.updateModel(Node(id: "b", value: 2))
        manager.updateModel(Node(id: "a"))
        manager.updateModel(Node(id: "b", value: 3))
        await manager.flush()
        #expect(listener.told.count == 3)
        #expect(listener.model == Node(id: "a"))
    }

    @Test("A batch reaches a listener in one update, of two versions the later one")
    func batch() async {
        let listener = Listener(tree)
        manager.addListener(listener)
        let models = [Node(id: "b", value: 2), Node(id: "c", value: 9), Node(id: "b", value: 3)]
        manager.updateModel(BatchUpdateModel(models: models), context: nil)
        await manager.flush()
        #expect(listener.told.count == 1)
        #expect(listener.model == Node(id: "a", children: [Node(id: "b", value: 3), Node(id: "c", value: 9)]))
        #expect(listener.told.first?.updates.changedModelIds == ["a", "b", "c"])
    }

    @Test("A deleted child is dropped, and what cannot be without it is deleted too")
    func deletes() async {
        let model = Node(
            id: "a", children: [Node(id: "b"), Node(id: "c", required: [Node(id: "d")])], optional: [Node(id: "d")])
        let listener = Listener(model)
        let lower = Listener(Node(id: "c", required: [Node(id: "d")]))
        manager.addListener(listener)
        manager.addListener(lower)
        manager.deleteModel(Node(id: "d"), context: "gone")
        await manager.flush()
        #expect(listener.model == Node(id: "a", children: [Node(id: "b")]))
        #expect(listener.told.first?.updates == ModelUpdates(changedModelIds: ["a"], deletedModelIds: ["c", "d"]))
        #expect(lower.told.count == 1)
        #expect(lower.model == nil)
        manager.updateModel(Node(id: "b", value: 4))
        manager.updateModel(Node(id: "c", value: 4))
        await manager.flush()
        #expect(listener.model?.children == [Node(id: "b", value: 4)])
        #expect(lower.told.count == 1)
    }

    @Test("Projections of one model are merged, each in its own type")
    func projections() async {
        let person = Listener(Person(id: "1", name: "Ann", age: 40))
        let badge = Listener(Badge(id: "1", name: "Ann"))
        manager.addListener(person)
        manager.addListener(badge)
        manager.updateModel(Badge(id: "1", name: "Anna"))
        await manager.flush()
        #expect(person.model == Person(id: "1", name: "Anna", age: 40))
        #expect(badge.model == Badge(id: "1", name: "Anna"))
        manager.updateModel(Person(id: "1", name: "Anna", age: 41))
        await manager.flush()
        #expect(person.model?.age == 41)
        #expect(badge.told.count == 1)
    }

    @Test("Identifiers that Unicode calls equal stay two models")
    func identity() async {
        let listener = Listener(Node(id: "a", children: [Node(id: "\u{E9}"), Node(id: "e\u{301}")]))
        manager.addListener(listener)
        manager.updateModel(Node(id: "\u{E9}", value: 5))
        await manager.flush()
        #expect(listener.model?.children.map(\.value) == [5, 0])
    }

    @Test("A tree of more than a million paths is refused promptly, to the delegate")
    func tooManyPaths() async {
        final class Delegate: ConsistencyManagerDelegate {
            var errors: [any Error] = []
            func consistencyManager(_ manager: ConsistencyManager, failedWithCriticalError error: any Error) {
                errors.append(error)
            }
            func consistencyManager(
                _ manager: ConsistencyManager, willReplaceModel old: any ConsistencyManagerModel,
                withModel new: (any ConsistencyManagerModel)?, context: (any Sendable)?
            ) {}
        }
        let delegate = Delegate()
        manager.delegate = delegate
        var diamond = Node(id: "0")
        for level in 1...40 { diamond = Node(id: "\(level)", children: [diamond, diamond]) }
        manager.updateModel(diamond)
        manager.deleteModel(Node())
        await manager.flush()
        #expect(delegate.errors.compactMap { ($0 as? CacheError)?.code } == [.tooManyPaths, .unidentified])
    }

    @Test("A chain of 1,000 levels is kept consistent")
    func deep() async {
        var chain = Node(id: "0")
        for level in 1..<1_000 { chain = Node(id: "\(level)", children: [chain]) }
        let listener = Listener(chain)
        manager.addListener(listener)
        manager.updateModel(Node(id: "0", value: 1))
        await manager.flush()
        #expect(listener.told.first?.updates.changedModelIds.count == 1_000)
    }

    @Test("The delegate is told what is replaced, before the listeners")
    func willReplace() async {
        final class Delegate: ConsistencyManagerDelegate {
            var replaced: [(Node?, Node?)] = []
            var toldBefore = -1
            let listener: Listener<Node>
            init(_ listener: Listener<Node>) { self.listener = listener }
            func consistencyManager(
                _ manager: ConsistencyManager, willReplaceModel old: any ConsistencyManagerModel,
                withModel new: (any ConsistencyManagerModel)?, context: (any Sendable)?
            ) {
                replaced.append((old as? Node, new as? Node))
                toldBefore = listener.told.count
            }
            func consistencyManager(_ manager: ConsistencyManager, failedWithCriticalError error: any Error) {}
        }
        let listener = Listener(Node(id: "a", children: [Node(id: "b")]))
        let delegate = Delegate(listener)
        manager.delegate = delegate
        manager.addListener(listener)
        manager.updateModel(Node(id: "b", value: 2))
        await manager.flush()
        #expect(delegate.toldBefore == 0)
        #expect(delegate.replaced.count == 1)
        #expect(delegate.replaced.first?.0 == Node(id: "b"))
        #expect(delegate.replaced.first?.1 == Node(id: "b", value: 2))
    }

    @Test("An updates listener is told of everything that is posted and deleted")
    func updatesListener() async {
        final class Updates: ConsistencyManagerUpdatesListener {
            var told: [(Set<ModelIdentifier>, Bool)] = []
            func consistencyManager(
                _ manager: ConsistencyManager, updatedModel model: any ConsistencyManagerModel,
                changes: [ModelIdentifier: ModelChange], context: (any Sendable)?
            ) {
                let isDelete = changes.values.contains { if case .deleted = $0 { true } else { false } }
                told.append((Set(changes.keys), isDelete))
            }
        }
        let updates = Updates()
        manager.addModelUpdatesListener(updates)
        manager.updateModel(tree)
        manager.deleteModel(Node(id: "x"))
        await manager.flush()
        manager.removeModelUpdatesListener(updates)
        manager.updateModel(tree)
        await manager.flush()
        #expect(updates.told.map(\.0) == [["a", "b", "c"], ["x"]])
        #expect(updates.told.map(\.1) == [false, true])
    }

    @Test("An updates listener is given one version of each projection, the last, however often the tree holds it")
    func updatesListenerProjections() async {
        final class Updates: ConsistencyManagerUpdatesListener {
            var told: [[ModelIdentifier: [any ConsistencyManagerModel]]] = []
            func consistencyManager(
                _ manager: ConsistencyManager, updatedModel model: any ConsistencyManagerModel,
                changes: [ModelIdentifier: ModelChange], context: (any Sendable)?
            ) {
                told.append(changes.compactMapValues { if case .updated(let models) = $0 { models } else { nil } })
            }
        }
        let updates = Updates()
        manager.addModelUpdatesListener(updates)
        manager.updateModel(Node(id: "r", children: [Node(id: "c"), Node(id: "c"), Node(id: "d")]))
        manager.updateModel(Node(id: "r", children: [Node(id: "c", value: 1), Node(id: "c", value: 2)]))
        manager.updateModel(
            BatchUpdateModel(models: [
                Person(id: "1", name: "Ann", age: 1), Badge(id: "1", name: "Ann"), Person(id: "1", name: "Ann", age: 2),
            ]))
        await manager.flush()
        #expect(updates.told.map { $0["c"]?.count } == [1, 1, nil])
        #expect(updates.told.map { $0["r"]?.count } == [1, 1, nil])
        #expect((updates.told[1]["c"]?.first as? Node)?.value == 2)
        let people = updates.told[2]["Person:1"]
        #expect(people?.count == 2)
        #expect((people?.first as? Person)?.age == 2)
        #expect(people?.last is Badge)
    }

    @Test("Simple models of two types with one identifier, posted together, are two projections")
    func simpleProjections() async {
        struct Name: SimpleModel, Equatable {
            var name: String
            var modelIdentifier: ModelIdentifier? { "p" }
        }
        struct Age: SimpleModel, Equatable {
            var age: Int
            var modelIdentifier: ModelIdentifier? { "p" }
        }
        final class Updates: ConsistencyManagerUpdatesListener {
            var told: [Int] = []
            func consistencyManager(
                _ manager: ConsistencyManager, updatedModel model: any ConsistencyManagerModel,
                changes: [ModelIdentifier: ModelChange], context: (any Sendable)?
            ) {
                for case .updated(let models) in changes.values { told.append(models.count) }
            }
        }
        let updates = Updates()
        manager.addModelUpdatesListener(updates)
        let (name, age) = (Leaf.node(Name(name: "Ann")), Leaf.node(Age(age: 3)))
        manager.updateModel(BatchUpdateModel(models: [name, age, name]))
        await manager.flush()
        #expect(updates.told == [2])
    }
}

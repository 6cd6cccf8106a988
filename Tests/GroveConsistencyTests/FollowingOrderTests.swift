import Foundation
import GroveConsistency
import GroveModel
import Synchronization
import Testing

/// Models that were told of.
private final class Told: Sendable {
    private let all = Mutex<Set<ModelIdentifier>>([])
    var models: Set<ModelIdentifier> { all.withLock { $0 } }
    func add(_ models: Set<ModelIdentifier>) { all.withLock { $0.formUnion(models) } }
}

/// Commits are read and shown in their order, even if a listener is removed meanwhile.
@MainActor
@Suite("The order of what is followed")
struct FollowingOrderTests {
    let manager = ConsistencyManager()

    private struct Changes: CommittedChanges {
        let names: Set<ModelIdentifier>

        init(_ names: Set<ModelIdentifier>) { self.names = names }

        var extent: ChangeExtent { .named }
        var count: Int { names.count }
        var beginsLife: Bool { false }
        var deletedModelIds: Set<ModelIdentifier> { [] }
        var changedLists: Set<ModelIdentifier>? { [] }

        func changed(
            among held: some Collection<ModelIdentifier>, isHeld: (ModelIdentifier) -> Bool
        ) -> [ModelIdentifier] { names.filter(isHeld) }
    }

    /// A read of what a commit changed, which has begun.
    private struct Read {
        let place: Turn
        let held: ConsistencyManager.HeldChanges
    }

    private func begin(_ names: Set<ModelIdentifier>, named: Set<ModelIdentifier> = []) async -> Read {
        var place = Turn.zero
        let held = await withCheckedContinuation { continuation in
            place = manager.beginFollowing(Changes(names), named: named) { held, _ in
                continuation.resume(returning: held)
            }
        }
        return Read(place: place, held: held)
    }

    private func end(_ read: Read, _ found: [ModelIdentifier: Node], except ahead: Set<ModelIdentifier> = []) {
        manager.endFollowing(
            read.place, read.held,
            read.held.wanted.map { wanted in found[wanted.identifier].map { .model($0) } ?? .unknown }, except: ahead,
            onRewritten: { _, _ in })
    }

    @Test("A tree that nobody holds any more brings no older version of what it holds")
    func leftTree() async {
        func message(_ text: Int, _ sender: Int) -> Node {
            Node(id: "message", value: text, children: [Node(id: "sender", value: sender)])
        }
        let (screen, left) = (Listener(Node(id: "sender", value: 1)), Listener(message(1, 1)))
        manager.addListener(screen)
        manager.addListener(left)
        await manager.flush()
        // Three commits, which are all stored when the first of them is read.
        let first = await begin(["message"])
        let second = await begin(["sender"])
        let third = await begin(["message", "sender"])
        let stored: [ModelIdentifier: Node] = ["message": message(2, 2), "sender": Node(id: "sender", value: 2)]
        end(first, stored)
        end(second, stored)
        left.model = Node(id: "another")
        manager.addListener(left)
        end(third, stored)
        await manager.flush()
        #expect(screen.told.map(\.model?.value) == [2])
    }

    @Test("Below a model that is newer in memory, what was read is shown, and not what the model holds")
    func belowWhatIsAhead() async {
        func tree(_ value: Int, _ below: Int) -> Node {
            let message = Node(id: "message", value: value, children: [Node(id: "sender", value: below)])
            return Node(id: "channel", value: value, children: [message])
        }
        let (screen, sender) = (Listener(tree(2, 2)), Listener(Node(id: "sender", value: 2)))
        manager.addListener(screen)
        manager.addListener(sender)
        await manager.flush()
        let read = await begin(["channel", "message", "sender"])
        let message = Node(id: "message", value: 1, children: [Node(id: "sender", value: 3)])
        end(
            read, ["sender": Node(id: "sender", value: 3), "message": message, "channel": tree(1, 3)],
            except: ["message"])
        await manager.flush()
        #expect(sender.told.last?.model?.value == 3)
        let shown = screen.told.last?.model
        #expect(shown?.value == 1 && shown?.children.first?.value == 2)
        #expect(shown?.children.first?.children.first?.value == 3)
    }

    @Test("What is read again before somebody holds it is told to the read that brings an older version")
    func rereadBeforeJoined() async {
        let told = Told()
        manager.onStale { models, _, _ in told.add(models) }
        let fetch = manager.beginFetch()
        // The model is read again by name. No listener holds it, so nothing is shown.
        let read = await begin(["late"], named: ["late"])
        #expect(read.held.wanted.isEmpty)
        manager.joinFetched(fetch, nil, [(0, Node(id: "late", value: 1)), (1, Node(id: "other", value: 1))])
        await manager.flush()
        #expect(told.models == ["late"])
    }

    /// Notes what it is told.
    private final class Screen: DeliveryReceiver {
        private(set) var told: [Int?] = []

        func receive(_ delivery: Delivery) {
            guard case .tree(let model) = delivery.content else { return }
            told.append(model.flatMap { Leaf.base($0) as? Node }?.value)
        }

        func finishUpdate(context: (any Sendable)?) {}
    }

    @Test("Who waits for a model is told when another begins to hold it, by itself or in a tree")
    func heldByAnother() async {
        for isInTree in [false, true] {
            let (waiting, other) = (Screen(), Screen())
            let keys = [waiting, other].map { manager.subscribe($0, to: Node.self) }
            let model = Node(id: "awaited \(isInTree)", value: 1)
            if let identifier = model.modelIdentifier {
                manager.listen(keys[0], toIdentifier: identifier, generation: 0)
            }
            await manager.flush()
            #expect(waiting.told.isEmpty)
            manager.listen(keys[1], to: isInTree ? Node(id: "tree", children: [model]) : model, generation: 0)
            await manager.flush()
            #expect(waiting.told == [1] && other.told.isEmpty)
            for key in keys { manager.unsubscribe(key) }
        }
    }

    @Test("What was deleted before a request was sent, and is read again meanwhile, is no reason to drop its answer")
    func deletedBefore() async {
        for isHeld in [false, true] {
            let (waiting, holding) = (Screen(), Screen())
            let keys = [waiting, holding].map { manager.subscribe($0, to: Node.self) }
            let model = Node(id: "gone \(isHeld)", value: 1)
            guard let name = model.modelIdentifier else { return }
            manager.listen(keys[0], toIdentifier: name, generation: 0)
            if isHeld { manager.listen(keys[1], to: model, generation: 0) }
            let asked = manager.beginRequest()
            let read = await begin([name])
            manager.endFollowing(
                read.place, read.held, read.held.wanted.map { _ in .deleted }, onRewritten: { _, _ in })
            let lost =
                await withCheckedContinuation { continuation in
                    manager.settle(
                        [model], asked: asked, isList: false, found: nil, isStored: true, context: nil, at: Date(),
                        isOver: { false }
                    ) { outcome in
                        guard case .taken(let taken) = outcome else { return continuation.resume(returning: nil) }
                        continuation.resume(returning: taken.lost)
                        manager.endAnswer(taken)
                    }
                } as Set<ModelIdentifier>?
            #expect(lost == [], "held: \(isHeld)")
            manager.endRequest(asked)
            for key in keys { manager.unsubscribe(key) }
        }
    }

    @Test("What the cache has of a model that an answer lost to is as old as the read that found it")
    func foundNode() async {
        for wasThere in [true, false] {
            let model = Node(id: "found \(wasThere)", value: 1)
            guard let name = model.modelIdentifier else { return }
            let asked = manager.beginRequest()
            manager.updateModel(Node(id: model.id, value: 2))
            #expect(await values(of: [model], asked: asked, found: nil) == nil)
            var found = FoundNodes(asOf: manager.beginFetch())
            found.nodes[name] = wasThere ? .model(Node(id: model.id, value: 2)) : .deleted
            manager.updateModel(Node(id: model.id, value: 3))
            let shown = await values(of: [model], asked: asked, found: found)
            #expect(shown == (wasThere ? [3] : nil), "there: \(wasThere)")
            manager.endRequest(asked)
        }
    }

    @Test("What is read while a request is under way does not date its answer: its writer was told of, or it is older")
    func readMeanwhile() async {
        for isLearned in [false, true] {
            let screen = Screen()
            let key = manager.subscribe(screen, to: Node.self)
            let model = Node(id: "read \(isLearned)", value: 1)
            guard let name = model.modelIdentifier else { return }
            manager.listen(key, to: model, generation: 0)
            let asked = manager.beginRequest()
            if isLearned { manager.learn(Changes([name])) }
            let read = await begin([name])
            end(read, [name: Node(id: model.id, value: 2)])
            let shown = await values(of: [Node(id: model.id, value: 3)], asked: asked, found: nil)
            #expect(shown == [isLearned ? 2 : 3], "learned: \(isLearned)")
            manager.endRequest(asked)
            manager.unsubscribe(key)
        }
    }

    @Test(
        "An answer that waits for what the cache has is not undone by an older one meanwhile, if the cache stores it",
        arguments: [true, false])
    func olderMeanwhile(isStored: Bool) async {
        let key = manager.subscribe(Screen(), to: Node.self)
        let (model, other) = (Node(id: "answered", value: 1), Node(id: "lacked", value: 1))
        guard let name = model.modelIdentifier else { return }
        manager.listen(key, to: Node(id: model.id, value: 0), generation: 0)
        let (first, second) = (manager.beginRequest(), manager.beginRequest())
        manager.updateModel(Node(id: other.id, value: 2))
        #expect(await values(of: [model, other], asked: second, found: nil, isStored: isStored) == nil)
        // The cache, if it has stored it, is read.
        if isStored { end(await begin([name]), [name: model]) }
        let shown = await values(of: [Node(id: model.id, value: 5)], asked: first, found: nil)
        #expect(shown == [isStored ? 1 : 5])
        for turn in [first, second] { manager.endRequest(turn) }
        manager.unsubscribe(key)
    }

    /// What an answer comes to; `nil` if something is to be looked up first.
    private func values(of models: [Node], asked: Turn, found: FoundNodes?, isStored: Bool = true) async -> [Int?]? {
        await withCheckedContinuation { continuation in
            manager.settle(
                models, asked: asked, isList: false, found: found, isStored: isStored, context: nil, at: Date(),
                isOver: { false }
            ) { [manager] outcome in
                guard case .taken(let taken) = outcome else { return continuation.resume(returning: nil) }
                manager.endAnswer(taken)
                continuation.resume(returning: taken.models.map { ($0.map { Leaf.base($0) } as? Node)?.value })
            }
        }
    }
}

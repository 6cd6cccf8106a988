import GroveConsistency
import GroveModel
import Testing

/// What callbacks do to the manager that called them.
@MainActor
@Suite("Re-entrancy")
struct ReentrancyTests {
    let manager = ConsistencyManager()

    func listeners(_ count: Int) -> [Listener<Node>] {
        let listeners = (0..<count).map { Listener(Node(id: "r\($0)", children: [Node(id: "s")])) }
        listeners.forEach(manager.addListener)
        return listeners
    }

    @Test("Listeners that answer each other leave turns of the main actor to others")
    func fairness() async {
        let pair = [Listener(Node(id: "a")), Listener(Node(id: "b"))]
        pair.forEach(manager.addListener)
        var isOver = false
        for (number, listener) in pair.enumerated() {
            listener.onUpdate = { [manager] in
                guard !isOver else { return }
                manager.updateModel(Node(id: number == 0 ? "b" : "a", value: listener.told.count + 1))
            }
        }
        manager.updateModel(Node(id: "a", value: 1))
        for _ in 0..<200 { await manager.flush() }
        isOver = true
        await manager.flush()
        #expect(pair[0].told.count > 20)
    }

    @Test("Clearing from within a callback drops everything that is behind it")
    func clearWithin() async {
        let all = listeners(20)
        final class Updates: ConsistencyManagerUpdatesListener {
            var told = 0
            func consistencyManager(
                _ manager: ConsistencyManager, updatedModel model: any ConsistencyManagerModel,
                changes: [ModelIdentifier: ModelChange], context: (any Sendable)?
            ) { told += 1 }
        }
        let updates = Updates()
        manager.addModelUpdatesListener(updates)
        for listener in all {
            listener.onUpdate = { [manager] in manager.clearListenersAndCancelAllTasks() }
        }
        for value in 1...50 { manager.updateModel(Node(id: "s", value: value)) }
        await manager.flush()
        await manager.flush()
        #expect(all.map(\.told.count).reduce(0, +) == 1)
        #expect(updates.told <= 1)
    }

    @Test("A listener that is removed while others are told is not told")
    func removeWithin() async {
        let all = listeners(20)
        for listener in all {
            listener.onUpdate = { [manager] in
                for other in all where other !== listener { manager.removeListener(other) }
            }
        }
        manager.updateModel(Node(id: "s", value: 1))
        await manager.flush()
        #expect(all.map(\.told.count).reduce(0, +) == 1)
    }

    @Test("Listeners that die while others are told are not missed")
    func dieWithin() async {
        final class Holder { var listeners: [Listener<Node>] = [] }
        let holder = Holder()
        holder.listeners = listeners(20)
        var told = 0
        for listener in holder.listeners {
            listener.onUpdate = {
                told += 1
                holder.listeners = []
            }
        }
        manager.updateModel(Node(id: "s", value: 1))
        await manager.flush()
        manager.updateModel(Node(id: "s", value: 2))
        await manager.flush()
        #expect(told == 1)
    }

    @Test("A listener that adds itself again unchanged still gets what is under way, also when paused")
    func addAgain() async {
        let (listener, paused) = (Listener(Node(id: "a")), Listener(Node(id: "a")))
        manager.addListener(listener)
        manager.addListener(paused)
        manager.pauseListener(paused)
        manager.updateModel(Node(id: "a", value: 1))
        manager.addListener(listener)
        manager.addListener(paused)
        await manager.flush()
        manager.addListener(paused)
        #expect(listener.model?.value == 1)
        manager.resumeListener(paused)
        #expect(paused.model?.value == 1)
    }

    @Test("A batch that is paused again from within its resuming stays paused as a whole")
    func pauseWithin() async {
        let all = listeners(3)
        let batch = BatchListener(listeners: all, consistencyManager: manager)
        manager.pauseListener(batch)
        manager.updateModel(Node(id: "s", value: 1))
        await manager.flush()
        for listener in all { listener.onUpdate = { [manager] in manager.pauseListener(batch) } }
        manager.resumeListener(batch)
        #expect(manager.isListenerPaused(batch))
        #expect(all.allSatisfy(manager.isListenerPaused))
        #expect(all.map(\.told.count).reduce(0, +) == 1)
        for listener in all { listener.onUpdate = nil }
        manager.resumeListener(batch)
        #expect(all.map { $0.model?.children[0].value } == [1, 1, 1])
    }

    @Test("A new listener at the address of a paused one that is gone is not paused")
    func address() {
        var addresses: Set<ObjectIdentifier> = []
        for _ in 0..<100 {
            let listener = Listener(Node(id: "a"))
            #expect(!manager.isListenerPaused(listener))
            addresses.insert(ObjectIdentifier(listener))
            manager.pauseListener(listener)
        }
        #expect(addresses.count < 100, "No address was used twice, so that nothing was tested.")
    }

    @Test("A refused tree leaves nothing behind, neither for conditions nor for updates listeners")
    func refusal() async {
        var diamond = Node(id: "0")
        for level in 1...40 { diamond = Node(id: "\(level)", children: [diamond, diamond]) }
        var told = 0
        let token = manager.addListener(for: Node.self, where: { _ in true }) { _ in told += 1 }
        manager.updateModel(diamond)
        await manager.flush()
        #expect(told == 0)
        _ = token
    }
}

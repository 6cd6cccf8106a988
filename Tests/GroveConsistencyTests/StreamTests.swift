import GroveConsistency
import GroveModel
import Testing

@Suite("Streams")
struct StreamTests {
    let manager = ConsistencyManager()

    @Test("A stream gives every change after the call, without the main actor")
    func changes() async {
        let stream = manager.changes(of: Node(id: "a", children: [Node(id: "b")]))
        manager.updateModel(Node(id: "b", value: 1), context: "one")
        manager.deleteModel(Node(id: "b"))
        manager.deleteModel(Node(id: "a"))
        manager.updateModel(Node(id: "a", value: 9))
        var iterator = stream.makeAsyncIterator()
        let first = await iterator.next()
        #expect(first?.model == Node(id: "a", children: [Node(id: "b", value: 1)]))
        #expect(first?.context as? String == "one")
        #expect(await iterator.next()?.model == Node(id: "a"))
        let gone = await iterator.next()
        #expect(gone != nil && gone?.model == nil)
        #expect(await iterator.next()?.model == Node(id: "a", value: 9))
    }

    @Test("An identifier can be listened to before its model exists")
    func awaited() async {
        let stream = manager.changes(of: "later", as: Node.self)
        manager.updateModel(Node(id: "x", children: [Node(id: "later", value: 3)]))
        manager.updateModel(Node(id: "later", value: 4))
        var iterator = stream.makeAsyncIterator()
        #expect(await iterator.next()?.model?.value == 3)
        #expect(await iterator.next()?.model?.value == 4)
    }

    @Test("A condition is told what begins and ceases to satisfy it")
    func predicate() async {
        let stream = manager.models(of: Node.self) { $0.value > 10 }
        manager.updateModel(Node(id: "x", children: [Node(id: "a", value: 11), Node(id: "b", value: 1)]))
        manager.updateModel(Node(id: "a", value: 11))
        manager.updateModel(Node(id: "a", value: 12))
        manager.updateModel(Node(id: "b", value: 12))
        manager.updateModel(Node(id: "a", value: 2))
        manager.deleteModel(Node(id: "b"))
        var seen: [String] = []
        for await change in stream {
            switch change {
            case .began(let node): seen.append("began \(node.id ?? "")")
            case .changed(let node): seen.append("changed \(node.value)")
            case .ended(let identifier): seen.append("ended \(identifier)")
            }
            if seen.count == 5 { break }
        }
        #expect(seen == ["began a", "changed 12", "began b", "ended a", "ended b"])
    }

    @Test("A condition on the main actor ends with its token")
    @MainActor
    func predicateListener() async {
        var count = 0
        var token: PredicateListener? = manager.addListener(for: Node.self, where: { $0.value > 0 }) { _ in count += 1 }
        manager.updateModel(Node(id: "a", value: 1))
        await manager.flush()
        #expect(count == 1)
        _ = token
        token = nil
        manager.updateModel(Node(id: "b", value: 1))
        await manager.flush()
        #expect(count == 1)
    }

    @Test("A stream retains neither the manager nor goes on after it")
    func leak() async {
        weak var weakManager: ConsistencyManager?
        var stream: AsyncStream<ModelEvent<Node>>?
        do {
            let manager = ConsistencyManager()
            weakManager = manager
            stream = manager.changes(of: Node(id: "a"))
            await manager.flush()
        }
        if let stream { for await _ in stream {} }
        #expect(weakManager == nil)
    }
}

import GroveConsistency
import GroveModel
import TestSupport
import Testing

/// Trees that hold two versions of one model: the last in their own order counts everywhere, as in a cache.
@MainActor
@Suite("Contradictions")
struct ContradictionTests {
    let manager = ConsistencyManager()

    func pair(_ first: Int, _ second: Int) -> Node {
        Node(
            id: "a",
            children: [
                Node(id: "x", children: [Node(id: "b", value: first)]), Node(id: "b", value: second),
            ])
    }

    @Test(
        "Of two versions of one model in a posted tree the last counts, in every place, whatever was held",
        arguments: [(1, 2), (2, 1), (2, 3), (3, 2), (1, 1), (2, 2)])
    func posted(first: Int, second: Int) async {
        let (tree, other) = (Listener(pair(1, 1)), Listener(Node(id: "b", value: 1)))
        let new = Listener<Node>(nil)
        manager.addListener(tree)
        manager.addListener(other)
        manager.updateModel(pair(first, second))
        await manager.flush()
        #expect(tree.model == pair(second, second))
        #expect(other.model == Node(id: "b", value: second))
        new.model = pair(second, second)
        manager.addListener(new)
        manager.updateModel(Node(id: "b", value: 9))
        await manager.flush()
        #expect([tree.model, new.model] == [pair(9, 9), pair(9, 9)])
    }

    @Test("The same of a model that nobody held before")
    func unknown() async {
        let tree = Listener(Node(id: "a"))
        manager.addListener(tree)
        manager.updateModel(pair(1, 2))
        await manager.flush()
        #expect(tree.model == pair(2, 2))
        #expect(tree.told.count == 1)
    }

    @Test("The same of a stream of random trees", arguments: 0..<300 as Range<UInt64>)
    func random(seed: UInt64) async {
        var random = SeededGenerator(seed: seed)
        func tree(_ depth: Int) -> Node {
            let id = Int.random(in: depth * 3..<depth * 3 + 3, using: &random)
            let count = depth == 3 ? 0 : Int.random(in: 0...3, using: &random)
            let value = Int.random(in: 0..<3, using: &random)
            return Node(id: "\(id)", value: value, children: (0..<count).map { _ in tree(depth + 1) })
        }
        /// By the definition: one version for each identifier, the last in pre-order, and what that holds.
        func settled(_ posted: Node, _ held: Node) -> Node {
            var last: [String: Node] = [:]
            for node in posted.nodes { if let id = node.id { last[id] = node } }
            func fix(_ node: Node) -> Node {
                var copy = node.id.flatMap { last[$0] } ?? node
                copy.children = copy.children.map(fix)
                return copy
            }
            return fix(held)
        }
        let listener = Listener(Node(id: "0"))
        var expected = Node(id: "0")
        manager.addListener(listener)
        for _ in 0..<6 {
            let posted = tree(0)
            manager.updateModel(posted)
            expected = settled(posted, expected)
        }
        await manager.flush()
        #expect(listener.model == expected, "seed \(seed)")
    }
}

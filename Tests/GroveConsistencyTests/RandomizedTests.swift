import GroveConsistency
import GroveModel
import TestSupport
import Testing

@MainActor
@Suite("Randomized")
struct RandomizedTests {
    /// Versions of 12 models, each holding models of higher numbers only.
    struct World {
        var random: SeededGenerator
        var version = 0

        mutating func node(_ number: Int) -> Node {
            version += 1
            var node = Node(id: number % 5 == 4 ? nil : "\(number)", value: version)
            var next = number
            while next < 12, Int.random(in: 0..<3, using: &random) > 0 {
                next += Int.random(in: 1...4, using: &random)
                guard next < 12 else { break }
                switch Int.random(in: 0..<6, using: &random) {
                case 0: node.required.append(self.node(next))
                case 1: node.optional = [self.node(next)]
                default: node.children.append(self.node(next))
                }
            }
            return node
        }

        /// A tree in which each identifier has one value.
        mutating func coherent(_ number: Int, with known: [String: Node] = [:]) -> Node {
            let raw = node(number)
            var values = known
            func fix(_ node: Node) -> Node {
                if let id = node.id, let value = values[id] { return value }
                var copy = node
                copy.required = node.required.map(fix)
                copy.optional = node.optional.map(fix)
                copy.children = node.children.map(fix)
                if let id = node.id { values[id] = copy }
                return copy
            }
            return fix(raw)
        }
    }

    @Test(
        "Whatever is posted and deleted, every listener has what the definition gives",
        arguments: 0..<150 as Range<UInt64>)
    func matchesDefinition(seed: UInt64) async {
        var world = World(random: SeededGenerator(seed: seed))
        let manager = ConsistencyManager()
        var listeners: [Listener<Node>] = []
        var expected: [Node?] = []
        func add(_ node: Node) {
            let listener = Listener(node)
            listeners.append(listener)
            expected.append(node)
            manager.addListener(listener)
        }
        for _ in 0..<6 {
            let node = world.coherent(Int.random(in: 0..<6, using: &world.random))
            add(node)
            if Bool.random(using: &world.random) { add(node) }
        }
        for step in 0..<40 {
            switch Int.random(in: 0..<10, using: &world.random) {
            case 0:
                let id = "\(Int.random(in: 0..<12, using: &world.random))"
                manager.deleteModel(Node(id: id))
                expected = expected.map { $0?.without(id) }
            case 1:
                add(world.coherent(Int.random(in: 0..<6, using: &world.random)))
            case 2:
                let position = Int.random(in: 0..<listeners.count, using: &world.random)
                await manager.flush()
                let node = world.coherent(Int.random(in: 0..<6, using: &world.random))
                listeners[position].model = node
                expected[position] = node
                manager.addListener(listeners[position])
            default:
                let posted = world.coherent(Int.random(in: 0..<12, using: &world.random))
                manager.updateModel(posted)
                var change: [String: Node] = [:]
                for node in posted.nodes { if let id = node.id { change[id] = node } }
                expected = expected.map { $0?.grafted(change) }
            }
            if step % 7 == 0 { await manager.flush() }
        }
        await manager.flush()
        for (listener, expected) in zip(listeners, expected) {
            #expect(listener.model == expected, "seed \(seed)")
        }
    }

    @Test("Each update names what differs between the trees before and after", arguments: 0..<150 as Range<UInt64>)
    func namesWhatDiffers(seed: UInt64) async {
        var world = World(random: SeededGenerator(seed: seed))
        let manager = ConsistencyManager()
        var tree = world.coherent(0)
        let listener = Listener(tree)
        manager.addListener(listener)
        for step in 0..<30 {
            let told = listener.told.count
            var (after, deleted) = (tree as Node?, Set<ModelIdentifier>())
            if Int.random(in: 0..<5, using: &world.random) == 0 {
                let id = "\(Int.random(in: 1..<12, using: &world.random))"
                manager.deleteModel(Node(id: id))
                deleted = tree.deletions(of: id)
                after = tree.without(id)
            } else {
                // What is known goes elsewhere, changed or not.
                let known = Bool.random(using: &world.random) ? tree.versions : [:]
                let posted = world.coherent(
                    Int.random(in: 0..<6, using: &world.random), with: known.filter { Int($0.key) ?? 0 > 5 })
                manager.updateModel(posted)
                after = tree.grafted(posted.versions)
            }
            await manager.flush()
            #expect(listener.model == after, "seed \(seed), step \(step)")
            if after == tree {
                #expect(listener.told.count == told, "seed \(seed), step \(step)")
            } else {
                var changed = listener.told.last?.updates.changedModelIds ?? []
                // What changed by a deletion may then go with a model above it.
                if !deleted.isEmpty { changed = changed.filter { after?.versions[$0.rawValue] != nil } }
                #expect(changed == tree.changes(to: after), "seed \(seed), step \(step)")
                #expect(listener.told.last?.updates.deletedModelIds == deleted, "seed \(seed), step \(step)")
            }
            tree = after ?? world.coherent(0)
            guard after == nil else { continue }
            listener.model = tree
            manager.addListener(listener)
        }
    }
}

import Foundation
import GroveConsistency
import GroveModel
import Testing

/// The workloads of the issue, measured: run with GROVE_BENCHMARK=1 in a release build.
@MainActor
@Suite("Benchmarks", .serialized, .enabled(if: ProcessInfo.processInfo.environment["GROVE_BENCHMARK"] != nil))
struct ConsistencyBenchmarks {
    /// A child as a generated model would be: a stored identifier, no existential on the way.
    struct Leaf: Model, Equatable {
        var modelIdentifier: ModelIdentifier?
        var value = 0
        func map(_ transform: (any Model) -> (any Model)?) -> Leaf? { self }
        func forEach(_ visit: (any Model) -> Void) {}
    }

    struct Wide: Model, Equatable {
        var modelIdentifier: ModelIdentifier?
        var children: [Leaf]
        func map(_ transform: (any Model) -> (any Model)?) -> Wide? {
            Wide(modelIdentifier: modelIdentifier, children: children.compactMap { transform($0) as? Leaf })
        }
        func forEach(_ visit: (any Model) -> Void) { for child in children { visit(child) } }
        func replacingChild(at position: Int, with child: any Model) -> Wide? {
            guard let child = child as? Leaf else { return nil }
            var copy = self
            copy.children[position] = child
            return copy
        }
    }

    func wide(_ name: String, _ count: Int) -> Wide {
        Wide(
            modelIdentifier: ModelIdentifier(name),
            children: (0..<count).map { Leaf(modelIdentifier: "\(name).\($0)") })
    }

    /// The median of `runs` times, in milliseconds, until everybody was told.
    func measure(_ name: String, _ manager: ConsistencyManager, runs: Int = 15, _ body: (Int) -> Void) async {
        var times: [Double] = []
        let before = manager.mainActorMeasures
        for run in 1...runs {
            let start = ContinuousClock.now
            body(run)
            await manager.flush()
            times.append((ContinuousClock.now - start) / .milliseconds(1))
        }
        let after = manager.mainActorMeasures
        let held = (after.held - before.held) / .microseconds(1) / Double(runs)
        let text = String(format: "%8.3f ms, main actor held %8.1f µs", times.sorted()[runs / 2], held)
        print("BENCH \(name.padding(toLength: 44, withPad: " ", startingAt: 0)) \(text)")
    }

    @Test(arguments: [1_000, 10_000, 100_000])
    func wideTree(count: Int) async {
        let manager = ConsistencyManager()
        let tree = wide("w", count)
        let listener = Listener(tree)
        await measure("wide \(count): add", manager, runs: 1) { _ in manager.addListener(listener) }
        await measure("wide \(count): one change", manager) { run in
            manager.updateModel(Leaf(modelIdentifier: "w.7", value: run))
        }
        await measure("wide \(count): the same posted whole", manager) { _ in
            if let model = listener.model { manager.updateModel(model) }
        }
        await measure("wide \(count): posted whole, one changed", manager) { run in
            guard var model = listener.model else { return }
            model.children[count / 2].value = -run
            manager.updateModel(model)
        }
    }

    @Test func depth() async {
        let manager = ConsistencyManager()
        var number = 0
        func tree(_ depth: Int) -> Node {
            number += 1
            return Node(id: "d\(number)", children: depth == 1 ? [] : (0..<2).map { _ in tree(depth - 1) })
        }
        let listener = Listener(tree(10))
        manager.addListener(listener)
        await measure("depth 10, 1,023 nodes: one change", manager) { run in
            manager.updateModel(Node(id: "d10", value: run))
        }
    }

    @Test(arguments: [(1_000, 4), (200, 499)])
    func manyOnOne(count: Int, children: Int) async {
        let manager = ConsistencyManager()
        let tree = wide("t", children)
        let listeners = (0..<count).map { _ in Listener(tree) }
        await measure("\(count) listeners on \(children + 1): add", manager, runs: 1) { _ in
            listeners.forEach(manager.addListener)
        }
        await measure("\(count) listeners on \(children + 1): one change", manager) { run in
            manager.updateModel(Leaf(modelIdentifier: "t.1", value: run))
        }
    }

    @Test func distinct() async {
        let manager = ConsistencyManager()
        let listeners = (0..<10_000).map { Listener(wide("x\($0)", 4)) }
        await measure("10,000 distinct: add", manager, runs: 1) { _ in listeners.forEach(manager.addListener) }
        await measure("10,000 distinct: one affected", manager) { run in
            manager.updateModel(Leaf(modelIdentifier: "x5000.1", value: run))
        }
    }
}

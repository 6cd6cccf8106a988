import GroveCoding
import GroveModel
import Testing

@Suite("The order in which a tree's nodes are stored")
struct StoreOrderTests {
    /// A tree with a node for each of `names`, of as many types as there are lists.
    private func tree(_ names: [[String]]) -> NodeTree {
        let tree = NodeTree()
        for (number, names) in names.enumerated() {
            let type = tree.type(recordName: "Record\(number)", projection: "Record\(number)")
            for name in names { add(name, type, to: tree) }
        }
        return tree
    }

    private func add(_ name: String, _ type: Int, to tree: NodeTree) {
        let body = [UInt8](repeating: 7, count: type + 1)
        unsafe Array(name.utf8).withUnsafeBytes { name in
            let node = unsafe tree.begin(name)
            unsafe body.withUnsafeBytes {
                try? unsafe tree.add(
                    $0, identifier: node.identifier, type: type, order: node.order, holdsReferences: false)
            }
        }
    }

    private func name(_ tree: NodeTree, _ index: Int32) -> [UInt8] { unsafe Array(tree.key(Int(index)).dropFirst()) }

    @Test("Nodes of a type come together, by their identifiers' bytes, and each once")
    func keys() throws {
        var generator = SystemRandomNumberGenerator()
        let shared = ["", "a", "ab", "ab\0", "ab\0\0", "abcdefgh", "abcdefghi", "abcdefgh\0", "\u{10FFFF}", "é"]
        let numbered = (0..<200).map { "Person:\($0 * 37 % 500)" }
        let long = (0..<40).map { "Message:the same for more than eight bytes:\($0)" }
        let tree = tree([numbered.shuffled(using: &generator), shared.shuffled(), long.shuffled(using: &generator)])
        let order = try #require(tree.storeOrder())
        #expect(order.sorted() == tree.entries.indices.map(Int32.init))
        for (left, right) in zip(order, order.dropFirst()) {
            let types = (tree.entries[Int(left)].type, tree.entries[Int(right)].type)
            #expect(types.0 <= types.1)
            if types.0 == types.1 { #expect(name(tree, left).lexicographicallyPrecedes(name(tree, right))) }
        }
    }

    @Test("A few nodes are stored as they come")
    func few() {
        #expect(tree([["b", "a"], ["c"]]).storeOrder() == nil)
    }

    @Test("Projections of one record are stored in pre-order, so that the later wins")
    func projections() throws {
        let tree = NodeTree()
        let types = ["Whole", "Part"].map { tree.type(recordName: "Person", projection: $0) }
        // Roots begin before their children and are added after them.
        for number in 0..<50 {
            try unsafe Array("Person:\(number)".utf8).withUnsafeBytes { name in
                let (outer, inner) = unsafe (tree.begin(name), tree.begin(name))
                let body = unsafe UnsafeRawBufferPointer(rebasing: name[..<1])
                for (node, type) in [(inner, types[number % 2]), (outer, types[1 - number % 2])] {
                    try unsafe tree.add(
                        body, identifier: node.identifier, type: type, order: node.order, holdsReferences: false)
                }
            }
        }
        let order = try #require(tree.storeOrder())
        #expect(order != Array(0..<100))
        #expect(order.map { tree.order(Int($0)) } == Array(0..<100))
    }
}

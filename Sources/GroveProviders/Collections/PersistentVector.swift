/// An array whose copies share what they have in common: a 64-ary tree.
///
/// Reading and replacing an element cost O(log₆₄ *n*), whoever holds an older copy; appending too. Inserting and
/// removing elsewhere cost a linear copy of what follows.
struct PersistentVector<Element: Sendable>: Sendable {
    private static var width: Int { 64 }

    private enum Node: Sendable {
        case leaf([Element])
        case branch([Node])
    }

    private var root: Node = .leaf([])
    /// How many elements a full subtree at the root has, divided by 64.
    private var span = 1
    private(set) var count = 0

    init() {}

    init(_ elements: some Sequence<Element>) {
        for element in elements { append(element) }
    }

    subscript(index: Int) -> Element {
        get {
            precondition(index >= 0 && index < count, "An index is outside of the collection.")
            var node = root
            var span = span
            var index = index
            while true {
                switch node {
                case .leaf(let elements): return elements[index]
                case .branch(let nodes):
                    node = nodes[index / span]
                    index %= span
                    span /= Self.width
                }
            }
        }
        set {
            precondition(index >= 0 && index < count, "An index is outside of the collection.")
            Self.set(&root, span, index, newValue)
        }
    }

    mutating func append(_ element: Element) {
        if count == span * Self.width {
            root = .branch([root])
            span *= Self.width
        }
        Self.append(&root, span, count, element)
        count += 1
    }

    /// Replaces what is from `start` on, up to `end`, by `elements`.
    ///
    /// O(*n* − `start`), or O(elements) at the end.
    mutating func replace(_ start: Int, _ end: Int, with elements: [Element]) {
        let tail = slice(end, count)
        truncate(to: start)
        for element in elements { append(element) }
        for element in tail { append(element) }
    }

    /// The elements from `start` up to `end`, as an array.
    func slice(_ start: Int, _ end: Int) -> [Element] {
        var found: [Element] = []
        found.reserveCapacity(end - start)
        var index = start
        while index < end {
            let leaf = leaf(at: index)
            let from = index % Self.width
            let to = min(leaf.count, from + end - index)
            found.append(contentsOf: leaf[from..<to])
            index += to - from
        }
        return found
    }

    private func leaf(at index: Int) -> [Element] {
        var node = root
        var span = span
        var index = index
        while true {
            switch node {
            case .leaf(let elements): return elements
            case .branch(let nodes):
                node = nodes[index / span]
                index %= span
                span /= Self.width
            }
        }
    }

    private mutating func truncate(to count: Int) {
        guard count < self.count else { return }
        Self.truncate(&root, span, count)
        self.count = count
    }

    private static func set(_ node: inout Node, _ span: Int, _ index: Int, _ element: Element) {
        switch node {
        case .leaf(var elements):
            node = .leaf([])
            elements[index] = element
            node = .leaf(elements)
        case .branch(var nodes):
            node = .leaf([])
            set(&nodes[index / span], span / width, index % span, element)
            node = .branch(nodes)
        }
    }

    private static func append(_ node: inout Node, _ span: Int, _ index: Int, _ element: Element) {
        switch node {
        case .leaf(var elements):
            node = .leaf([])
            elements.append(element)
            node = .leaf(elements)
        case .branch(var nodes):
            node = .leaf([])
            let position = index / span
            if position == nodes.count {
                nodes.append(single(element, span / width))
            } else {
                append(&nodes[position], span / width, index % span, element)
            }
            node = .branch(nodes)
        }
    }

    private static func single(_ element: Element, _ span: Int) -> Node {
        span <= 1 ? .leaf([element]) : .branch([single(element, span / width)])
    }

    private static func truncate(_ node: inout Node, _ span: Int, _ count: Int) {
        switch node {
        case .leaf(let elements): node = .leaf(Array(elements.prefix(count)))
        case .branch(var nodes):
            node = .leaf([])
            let whole = count / span
            nodes.removeLast(nodes.count - min(nodes.count, count % span == 0 ? whole : whole + 1))
            if count % span != 0 { truncate(&nodes[whole], span / width, count % span) }
            node = .branch(nodes)
        }
    }
}

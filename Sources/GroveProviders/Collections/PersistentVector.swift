/// An array whose copies share what they have in common: leaves of up to 512 elements, side by side.
///
/// With *n* elements, reading one costs O(log *n*). Replacing, inserting and removing elements cost those elements, a
/// leaf at either end, and O(*n* / 256) for the places of the leaves. That is some 400 words for 100,000 elements,
/// whether or not an older copy is held.
struct PersistentVector<Element: Sendable>: Sendable {
    /// The most elements of a leaf, and how many one has when it is made.
    private static var most: Int { 512 }
    private static var usual: Int { 256 }

    /// None of them is empty.
    private var leaves: [[Element]] = []
    /// Where each leaf begins.
    private var starts: [Int] = []
    private(set) var count = 0

    init() {}

    init(_ elements: some Sequence<Element>) {
        let elements = Array(elements)
        leaves = Self.leaves(of: elements[...])
        place(from: 0)
    }

    subscript(index: Int) -> Element {
        get {
            precondition(index >= 0 && index < count, "An index is outside of the collection.")
            let leaf = leaf(of: index)
            return leaves[leaf][index - starts[leaf]]
        }
        set {
            precondition(index >= 0 && index < count, "An index is outside of the collection.")
            let leaf = leaf(of: index)
            leaves[leaf][index - starts[leaf]] = newValue
        }
    }

    mutating func append(_ element: Element) { replace(count, count, with: [element]) }

    /// Replaces what is from `start` on, up to `end`, by `elements`.
    mutating func replace(_ start: Int, _ end: Int, with elements: [Element]) {
        guard start < end || !elements.isEmpty else { return }
        guard !leaves.isEmpty else {
            self = PersistentVector(elements)
            return
        }
        // The leaf in which the change begins; behind the last element that is the last one.
        let first = leaf(of: min(start, count - 1))
        let last = end > start ? leaf(of: end - 1) : first
        let (from, to) = (start - starts[first], end - starts[last])
        if first == last, leaves[first].count + elements.count - (to - from) <= Self.most,
            leaves[first].count + elements.count > to - from
        {
            leaves[first].replaceSubrange(from..<to, with: elements)
        } else {
            let new = leaves[first][..<from] + elements + leaves[last][to...]
            leaves.replaceSubrange(first...last, with: Self.leaves(of: new))
        }
        place(from: first)
    }

    /// The elements from `start` up to `end`, as an array.
    func slice(_ start: Int, _ end: Int) -> [Element] {
        guard start < end else { return [] }
        var found: [Element] = []
        found.reserveCapacity(end - start)
        var leaf = leaf(of: start)
        while leaf < leaves.count, starts[leaf] < end {
            let from = max(start - starts[leaf], 0)
            found.append(contentsOf: leaves[leaf][from..<min(end - starts[leaf], leaves[leaf].count)])
            leaf += 1
        }
        return found
    }

    /// The leaf of the element at `index`.
    private func leaf(of index: Int) -> Int {
        var (low, high) = (0, starts.count)
        while low < high {
            let middle = (low + high) / 2
            if starts[middle] <= index { low = middle + 1 } else { high = middle }
        }
        return low - 1
    }

    /// Notes where the leaves from `leaf` on begin.
    private mutating func place(from leaf: Int) {
        if starts.count > leaves.count { starts.removeLast(starts.count - leaves.count) }
        var start = leaf > 0 ? starts[leaf - 1] + leaves[leaf - 1].count : 0
        for leaf in leaf..<max(leaves.count, leaf) {
            if leaf < starts.count { starts[leaf] = start } else { starts.append(start) }
            start += leaves[leaf].count
        }
        count = start
    }

    private static func leaves(of elements: ArraySlice<Element>) -> [[Element]] {
        stride(from: elements.startIndex, to: elements.endIndex, by: usual).map {
            Array(elements[$0..<min($0 + usual, elements.endIndex)])
        }
    }
}

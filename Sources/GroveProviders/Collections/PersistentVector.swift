import GroveModel

/// An array whose copies share their common parts: leaves of up to 512 elements, side by side.
///
/// With *n* elements, reading one costs O(log *n*). Replacing, inserting and removing elements cost those elements, a
/// leaf at either end, and O(*n* / 256) for the places of the leaves. That is some 400 words for 100,000 elements,
/// whether or not an older copy is held.
struct PersistentVector<Element: Sendable>: Sendable {
    /// The most elements of a leaf, and the number of elements of a new one.
    private static var most: Int { 512 }
    private static var usual: Int { 256 }

    /// The leaves; none is empty.
    private var leaves: [[Element]] = []
    /// The index at which each leaf begins.
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

    /// Replaces the elements from `start` up to `end` by `elements`.
    mutating func replace(_ start: Int, _ end: Int, with elements: [Element]) {
        guard start < end || !elements.isEmpty else { return }
        guard !leaves.isEmpty else {
            self = PersistentVector(elements)
            return
        }
        // The leaf in which the change begins; at the end of the array, the last leaf.
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

    func slice(_ range: Range<Int>) -> [Element] { slice(range.lowerBound, range.upperBound) }

    /// The parts in which this may differ from `old`, in order: those whose leaves are not the same.
    ///
    /// - Complexity: linear in the leaves.
    func parts(differingFrom old: PersistentVector) -> [(old: Range<Int>, new: Range<Int>)] {
        let (before, after) = (old.leaves.map(Self.address), leaves.map(Self.address))
        let shared = min(before.count, after.count)
        let head = (0..<shared).first { before[$0] != after[$0] } ?? shared
        let places = Dictionary(zip(before[head...], before.indices[head...])) { first, _ in first }
        var parts: [(old: Range<Int>, new: Range<Int>)] = []
        // The leaves up to these are compared.
        var (last, next) = (head, head)
        func add(_ oldEnd: Int, _ newEnd: Int) {
            guard last < oldEnd || next < newEnd else { return }
            parts.append((old.start(last)..<old.start(oldEnd), start(next)..<start(newEnd)))
        }
        for index in head..<after.count {
            guard let place = places[after[index]], place >= last else { continue }
            add(place, index)
            (last, next) = (place + 1, index + 1)
        }
        add(before.count, after.count)
        return parts
    }

    /// The index of the first element of a leaf.
    private func start(_ leaf: Int) -> Int { leaf < starts.count ? starts[leaf] : count }

    /// The address of a leaf's elements: leaves at one address are the same as long as both are held.
    private static func address(_ leaf: [Element]) -> UInt {
        unsafe leaf.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
    }

    /// The leaf of the element at `index`.
    private func leaf(of index: Int) -> Int { starts.indices.firstIndex(behind: { starts[$0] <= index }) - 1 }

    /// Notes the beginnings of the leaves from `leaf` on.
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

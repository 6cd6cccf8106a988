import GroveFloor

/// What the floor does to which records, and how many to a transaction or a view.
struct FloorPlan {
    private(set) var order: [UInt32] = []
    private var groupEnds: [Int] = []

    var groupCount: Int { groupEnds.count }

    init() {}

    /// One group for each element of `groups`.
    init(_ groups: some Sequence<[Int]>) {
        for group in groups { append(group) }
    }

    /// Groups of `size`, the last one shorter.
    init(_ indices: [Int], groupsOf size: Int) {
        var start = 0
        while start < indices.count {
            let end = min(start + size, indices.count)
            append(Array(indices[start..<end]))
            start = end
        }
    }

    /// Adds a group; an empty one is left out.
    mutating func append(_ group: [Int]) {
        guard !group.isEmpty else { return }
        order.append(contentsOf: group.map { UInt32($0) })
        groupEnds.append(order.count)
    }

    /// The indices of each group.
    var groups: [[Int]] {
        zip([0] + groupEnds, groupEnds).map { start, end in order[start..<end].map { Int($0) } }
    }

    /// Calls `body` with the plan as the floor takes it; `latencies` has room for each group, or is
    /// empty.
    func withPlan<Result>(
        _ latencies: inout [UInt64], _ body: (UnsafePointer<grove_floor_plan>) -> Result
    ) -> Result {
        unsafe latencies.withUnsafeMutableBufferPointer { latencies in
            unsafe order.withUnsafeBufferPointer { order in
                unsafe groupEnds.withUnsafeBufferPointer { ends in
                    var plan = unsafe grove_floor_plan(
                        order: order.baseAddress, operations: order.count, group: 1,
                        group_ends: ends.baseAddress, groups: ends.count,
                        latencies: latencies.isEmpty ? nil : latencies.baseAddress)
                    return unsafe body(&plan)
                }
            }
        }
    }
}

import Synchronization

/// What several callers did to one register at once, and whether one order explains it.
///
/// Wing and Gong's search, with the memory of states that Lowe added ("Testing for linearizability", 2017).
struct History: Sendable {
    /// One call, from its beginning to its end.
    struct Call: Sendable, CustomStringConvertible {
        /// What was written, or what was read; `nil` if there was nothing.
        let value: Int?
        let isWrite: Bool
        let begin: Int
        let end: Int

        var description: String {
            "\(isWrite ? "write" : "read") \(value.map(String.init) ?? "nothing") [\(begin), \(end)]"
        }
    }

    /// At most 64 calls.
    var calls: [Call]

    private struct Reached: Hashable {
        let done: UInt64
        let value: Int?
    }

    /// Whether there is an order of the calls, none before another that ended before it began, in which each read finds
    /// what was written last.
    var isLinearizable: Bool {
        var seen: Set<Reached> = []
        func search(_ done: UInt64, _ value: Int?) -> Bool {
            let left = calls.indices.filter { done & (1 << UInt64($0)) == 0 }
            guard !left.isEmpty else { return true }
            guard seen.insert(Reached(done: done, value: value)).inserted else { return false }
            let firstEnd = left.map { calls[$0].end }.min() ?? 0
            for index in left where calls[index].begin < firstEnd || calls[index].end == firstEnd {
                let call = calls[index]
                if !call.isWrite, call.value != value { continue }
                if search(done | (1 << UInt64(index)), call.isWrite ? call.value : value) { return true }
            }
            return false
        }
        return search(0, nil)
    }
}

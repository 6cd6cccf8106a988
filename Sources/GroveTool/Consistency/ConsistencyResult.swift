/// What was measured of one consistency workload: times in milliseconds, until everybody was told.
struct ConsistencyResult: Sendable {
    let workload: ConsistencyWorkload
    var add: [Double] = []
    var change: [Double] = []
    /// How long an update held the main actor, in microseconds.
    var held: [Double] = []
}

extension ConsistencyResult {
    static func table(_ results: [ConsistencyResult], roundTrip: Double) -> String {
        var table = TextTable(
            ["workload", "add ms", "change ms", "main actor us", "CM 8 add", "CM 8 change"],
            alignment: [.left, .right, .right, .right, .right, .right])
        for result in results {
            let ancestor = result.workload.ancestor
            table.append([
                result.workload.rawValue, result.add.median.fixed(3), result.change.median.fixed(4),
                result.held.median.fixed(1), ancestor.add.map { $0.fixed(0) } ?? "-",
                ancestor.change.map { $0.fixed(3) } ?? "-",
            ])
        }
        return Terminal.bold("consistency") + "\n" + table.description
            + "\ntimes are until everybody was told; an empty round trip to the main actor"
            + "\ntakes \(roundTrip.fixed(4)) ms of them; main actor: how long an update held it;"
            + "\nCM 8: ConsistencyManager 8 on another two-core machine, for orientation"
    }

    var json: JSON {
        [
            "workload": .string(workload.rawValue), "addMilliseconds": .rounded(add.median),
            "changeMilliseconds": .rounded(change.median), "mainActorMicroseconds": .rounded(held.median),
            "samples": JSON(change.count),
        ]
    }
}

/// What was measured of one consistency workload: times in milliseconds, until everybody was told.
struct ConsistencyResult: Sendable {
    let workload: ConsistencyWorkload
    var add: [Double] = []
    var change: [Double] = []
    /// How long an update held the main actor, in microseconds.
    var held: [Double] = []
    /// What the process used of its processors meanwhile, in milliseconds, which other work on the machine does not add to.
    var addProcessor: [Double] = []
    var changeProcessor: [Double] = []

    mutating func take(_ time: ConsistencyTime) {
        change.append(time.total)
        held.append(time.held)
        changeProcessor.append(time.processor)
    }
}

/// What one call took: milliseconds in all, microseconds on the main actor, milliseconds of processors.
struct ConsistencyTime {
    let total: Double
    let held: Double
    let processor: Double
}

extension ConsistencyResult {
    static func table(_ results: [ConsistencyResult], roundTrip: Double) -> String {
        var table = TextTable(
            ["workload", "add", "cpu", "change", "cpu", "main us", "CM8 add", "change"],
            alignment: [.left, .right, .right, .right, .right, .right, .right, .right])
        for result in results {
            let ancestor = result.workload.ancestor
            table.append([
                String(result.workload.rawValue.dropFirst("consistency-".count)), result.add.median.fixed(2),
                result.addProcessor.median.fixed(2), result.change.median.fixed(3),
                result.changeProcessor.median.fixed(3), result.held.median.fixed(1),
                ancestor.add.map { $0.fixed(0) } ?? "-", ancestor.change.map { $0.fixed(3) } ?? "-",
            ])
        }
        return Terminal.bold("consistency") + "\n" + table.description
            + "\nmilliseconds until everybody was told; an empty round trip to the main actor"
            + "\ntakes \(roundTrip.fixed(4)) of them; cpu: of all threads, whatever else the machine does;"
            + "\nmain us: how long an update held the main actor, in microseconds;"
            + "\nCM8: ConsistencyManager 8 on another two-core machine, for orientation"
    }

    var json: JSON {
        [
            "workload": .string(workload.rawValue), "addMilliseconds": .rounded(add.median),
            "changeMilliseconds": .rounded(change.median), "mainActorMicroseconds": .rounded(held.median),
            "addProcessorMilliseconds": .rounded(addProcessor.median),
            "changeProcessorMilliseconds": .rounded(changeProcessor.median), "samples": JSON(change.count),
        ]
    }
}

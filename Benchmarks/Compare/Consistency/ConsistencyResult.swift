/// What was measured of one consistency workload: times in milliseconds, until everybody was told.
struct ConsistencyResult: Sendable {
    let workload: ConsistencyWorkload
    var add: [Double] = []
    var change: [Double] = []
    /// How long the cache's commit took by itself, where a manager follows one.
    var commit: [Double] = []
    /// How long an update held the main actor, in microseconds.
    var held: [Double] = []
    /// What the process used of its processors meanwhile, in milliseconds, which other work on the machine does not add
    /// to.
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
        let (following, others) = (results.filter(\.workload.isFollowing), results.filter { !$0.workload.isFollowing })
        return [
            others.isEmpty ? nil : engineTable(others, roundTrip: roundTrip),
            following.isEmpty ? nil : followingTable(following),
        ].compactMap(\.self).joined(separator: "\n\n")
    }

    /// A commit, by who follows the cache.
    private static func followingTable(_ results: [ConsistencyResult]) -> String {
        var table = TextTable(
            ["workload", "commit", "told", "x alone", "cpu", "main us"],
            alignment: [.left, .right, .right, .right, .right, .right])
        let alone = results.first { $0.workload == .followAlone }?.commit.median
        for result in results {
            table.append([
                String(result.workload.rawValue.dropFirst("consistency-".count)), result.commit.median.fixed(2),
                result.change.median.fixed(2), alone.map { (result.change.median / $0).fixed(2) } ?? "-",
                result.changeProcessor.median.fixed(2), result.held.median.fixed(1),
            ])
        }
        return Terminal.bold("following a cache") + "\n" + table.description
            + "\nmilliseconds of a commit of 10,000 nodes, in memory; told: until all who hold"
            + "\none show it; x alone: that beside the commit without a manager; main us: how"
            + "\nlong the main actor was held by what was told"
    }

    private static func engineTable(_ results: [ConsistencyResult], roundTrip: Double) -> String {
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
            "commitMilliseconds": commit.isEmpty ? .null : .rounded(commit.median),
            "workload": .string(workload.rawValue), "addMilliseconds": .rounded(add.median),
            "changeMilliseconds": .rounded(change.median), "mainActorMicroseconds": .rounded(held.median),
            "addProcessorMilliseconds": .rounded(addProcessor.median),
            "changeProcessorMilliseconds": .rounded(changeProcessor.median), "samples": JSON(change.count),
        ]
    }
}

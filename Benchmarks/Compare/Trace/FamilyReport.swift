/// What the default makes of each family of traces, in points of hit ratio against LRU and S3-FIFO at equal bytes.
package struct FamilyReport {
    /// The parts of what a trace asks for that fit.
    private static let shares = [0.01, 0.03, 0.1, 0.3]

    private struct Row {
        var cells = 0
        var (sumOverLRU, leastOverLRU) = (0.0, Double.infinity)
        var (sumOverS3, leastOverS3) = (0.0, Double.infinity)
        var (sumOverBetter, leastOverBetter) = (0.0, Double.infinity)

        mutating func add(_ ours: Double, _ lru: Double, _ s3: Double) {
            cells += 1
            sumOverLRU += ours - lru
            leastOverLRU = min(leastOverLRU, ours - lru)
            sumOverS3 += ours - s3
            leastOverS3 = min(leastOverS3, ours - s3)
            sumOverBetter += ours - max(lru, s3)
            leastOverBetter = min(leastOverBetter, ours - max(lru, s3))
        }

        func texts(_ name: String) -> [String] {
            let count = Double(cells)
            return [
                name, "\(cells)", signed(sumOverLRU / count), signed(leastOverLRU), signed(sumOverS3 / count),
                signed(leastOverS3), signed(sumOverBetter / count), signed(leastOverBetter),
            ]
        }

        private func signed(_ points: Double) -> String { (points < 0 ? "" : "+") + points.fixed(1) }
    }

    private var rows: [(name: String, row: Row)] = []

    /// Replays every family.
    package init() {
        var all = Row()
        for family in TraceFamily.allCases {
            Terminal.progress(family.rawValue)
            var row = Row()
            for trace in family.traces {
                let footprint = trace.footprint
                for share in FamilyReport.shares {
                    let capacity = max(Int(Double(footprint) * share), 64)
                    func hits(_ policy: TracePolicy) -> Double {
                        Double(TraceReplay(trace, policy, capacity: capacity).hits) * 100 / Double(trace.requests.count)
                    }
                    let (ours, lru, s3) = (hits(.default), hits(.lru), hits(.s3fifo))
                    row.add(ours, lru, s3)
                    all.add(ours, lru, s3)
                }
            }
            rows.append((family.rawValue, row))
        }
        rows.append(("all", all))
        Terminal.progress("")
    }

    /// A line for each family.
    package var table: String {
        let header = ["family", "cells", "LRU", "least", "S3-FIFO", "least", "the better", "least"]
        var table = TextTable(header, alignment: header.map { $0 == "family" ? .left : .right })
        for (name, row) in rows { table.append(row.texts(name)) }
        return "Points of hit ratio of the default, against:\n\n\(table)"
    }
}

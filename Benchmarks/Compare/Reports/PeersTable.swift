/// What `make peers` measured beside Grove: what an application's author would write instead.
package struct PeersTable {
    private let contestants: [String]
    private let rows: [(measure: String, figures: [String])]

    /// Reads the table that the program prints, in Markdown.
    ///
    /// - Throws: ``ToolError`` if it is none.
    package init(_ text: String) throws(ToolError) {
        let lines = text.split(separator: "\n").filter { $0.hasPrefix("|") }.map { line in
            line.dropFirst().dropLast().split(separator: "|", omittingEmptySubsequences: false)
                .map { String($0.trimmed) }
        }
        guard lines.count > 2, lines[0].count > 1, lines.allSatisfy({ $0.count == lines[0].count }) else {
            throw .input("--peers takes the table that make peers prints")
        }
        contestants = Array(lines[0].dropFirst())
        rows = lines.dropFirst(2).map { ($0[0], Array($0.dropFirst())) }
    }

    var table: ReportTable {
        ReportTable(
            title: "What people would write instead",
            notes: [
                "Rows of GRDB as its guide says (grdb), the same rows by cached SQL (grdb-raw), JSON in SQLite, a file of JSON for each message, and two dictionaries in memory (dict). Measures that end in /s are rates; the others are costs.",
                "Medians of a run of its own, by `make peers`: compare figures of one line only.",
            ] + wins, header: ["measure"] + contestants,
            rows: rows.map { row in [.init(row.measure)] + row.figures.map { .init($0) } })
    }

    /// What each of those that keep something on disk is best at, in a sentence each.
    private var wins: [String] {
        var won: [String: [String]] = [:]
        for row in rows {
            let isRate = row.measure.hasSuffix("/s")
            guard isRate || ["us", "ms", "KB"].contains(where: row.measure.hasSuffix) else { continue }
            let figures = zip(contestants, row.figures).filter { !["grove-memory", "dict"].contains($0.0) }
                .compactMap { name, text in PeersTable.number(text).map { (name, $0) } }
            let best = isRate ? figures.max { $0.1 < $1.1 } : figures.min { $0.1 < $1.1 }
            if figures.count > 1, let best { won[best.0, default: []].append(row.measure) }
        }
        return contestants.compactMap { name in
            won[name].map { "\(name), of those on disk, is best at \(Ranking.list($0))." }
        }
    }

    /// `12.5k` as 12,500; `nil` if it is no number.
    private static func number(_ text: String) -> Double? {
        switch text.last {
        case "k": Double(text.dropLast()).map { $0 * 1e3 }
        case "M": Double(text.dropLast()).map { $0 * 1e6 }
        default: Double(text)
        }
    }
}

extension Substring {
    fileprivate var trimmed: Substring { drop { $0 == " " }.dropLast(while: { $0 == " " }) }

    private func dropLast(while isDropped: (Character) -> Bool) -> Substring {
        var rest = self
        while let last = rest.last, isDropped(last) { rest.removeLast() }
        return rest
    }
}

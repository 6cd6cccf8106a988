/// Columns of text, aligned.
package struct TextTable {
    /// Which side of its column a text stands on.
    package enum Alignment {
        case left
        case right
    }

    private let header: [String]?
    private let alignment: [Alignment]
    private var rows: [[String]] = []

    package init(_ header: [String]?, alignment: [Alignment]) {
        self.header = header
        self.alignment = alignment
    }

    package mutating func append(_ row: [String]) { rows.append(row) }
}

extension TextTable: CustomStringConvertible {
    package var description: String {
        let all = (header.map { [$0] } ?? []) + rows
        let widths = alignment.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
        let lines = all.enumerated().map { index, row in
            let cells = alignment.indices.map { column -> String in
                let space = String(repeating: " ", count: widths[column] - row[column].count)
                switch alignment[column] {
                case .right: return space + row[column]
                case .left: return column == alignment.count - 1 ? row[column] : row[column] + space
                }
            }
            let line = cells.joined(separator: "  ")
            return index == 0 && header != nil ? Terminal.faint(line) : line
        }
        return lines.joined(separator: "\n")
    }
}

extension Int {
    /// The number with a comma between groups of three digits.
    package var grouped: String {
        let digits = Array(String(magnitude))
        var text = self < 0 ? "-" : ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { text.append(",") }
            text.append(digit)
        }
        return text
    }
}

extension Double {
    /// The number with exactly `places` decimal places.
    func fixed(_ places: Int) -> String {
        guard isFinite, magnitude < 1e15 else { return "-" }
        var scale = 1.0
        for _ in 0..<places { scale *= 10 }
        let scaled = (magnitude * scale).rounded()
        let whole = Int(scaled / scale)
        let text = (self < 0 && scaled > 0 ? "-" : "") + whole.grouped
        guard places > 0 else { return text }
        let rest = String(Int(scaled - Double(whole) * scale))
        return text + "." + String(repeating: "0", count: Swift.max(places - rest.count, 0)) + rest
    }
}

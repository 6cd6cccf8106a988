/// A table in Markdown: a row for each measure, a column for each contestant, and in each cell the median.
struct MedianTable {
    private var columns: [String] = []
    private var rows: [String] = []
    private var values: [String: [String: [Double]]] = [:]

    mutating func append(_ value: Double, row: String, column: String) {
        if !columns.contains(column) { columns.append(column) }
        if !rows.contains(row) { rows.append(row) }
        values[row, default: [:]][column, default: []].append(value)
    }
}

extension MedianTable: CustomStringConvertible {
    var description: String {
        var cells: [[String]] = [[""] + columns]
        for row in rows {
            cells.append([row] + columns.map { column in values[row]?[column].map { Self.text($0.median) } ?? "–" })
        }
        let widths = cells[0].indices.map { column in cells.map { $0[column].count }.max() ?? 0 }
        // What a measure is called stands at the left, figures at the right.
        var lines = cells.map { row -> String in
            let padded = row.indices.map { column -> String in
                let space = String(repeating: " ", count: widths[column] - row[column].count)
                return column == 0 ? row[column] + space : space + row[column]
            }
            return "| \(padded.joined(separator: " | ")) |"
        }
        let rules = widths.indices.map { column in
            String(repeating: "-", count: widths[column] + 1) + (column == 0 ? "-" : ":")
        }
        lines.insert("|\(rules.joined(separator: "|"))|", at: 1)
        return lines.joined(separator: "\n")
    }

    /// Three digits or four, with k for thousands and M for millions.
    private static func text(_ value: Double) -> String {
        switch value.magnitude {
        case 999_950...: return digits(value / 1e6) + "M"
        case 9_999.5...: return digits(value / 1e3) + "k"
        default: return digits(value)
        }
    }

    /// Three digits and no more places after the point than they leave; whole numbers as they are.
    private static func digits(_ value: Double) -> String {
        let scale = value.magnitude < 10 ? 100.0 : value.magnitude < 100 ? 10.0 : 1.0
        let rounded = (value * scale).rounded() / scale
        return rounded == rounded.rounded() ? String(Int(rounded)) : String(rounded)
    }
}

/// A report as Markdown, for a page of a repository.
struct MarkdownPage {
    private let page: ReportPage

    init(_ page: ReportPage) { self.page = page }

    var text: String {
        var parts = ["# \(page.title)"] + page.answer.map(cell)
        for table in page.tables {
            // A scale without its marks says nothing.
            let columns = table.header.indices.filter { column in table.rows.contains { !$0[column].text.isEmpty } }
            parts.append("## \(table.title)")
            parts.append(table.notes.joined(separator: " "))
            parts.append(
                ([columns.map { table.header[$0] }, columns.map { $0 == 0 ? "---" : "--:" }]
                    + table.rows.map { row in columns.map { row[$0].text } })
                    .map { "| " + $0.map(cell).joined(separator: " | ") + " |" }.joined(separator: "\n"))
        }
        parts.append("## What this was measured on")
        parts += page.circumstances
        return parts.joined(separator: "\n\n") + "\n"
    }

    /// `text` as it may stand in a cell.
    private func cell(_ text: String) -> String {
        String(text.flatMap { "|<*_".contains($0) ? ["\\", $0] : [$0] })
    }
}

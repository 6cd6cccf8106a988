/// A report as one HTML page, to look at and to publish.
///
/// The page needs no script and no network. It has a light and a dark form, and fits any width; every bar and mark
/// stands beside its number.
struct HTMLPage {
    private let page: ReportPage

    init(_ page: ReportPage) { self.page = page }

    /// The text of the page.
    var text: String {
        """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>\(quoted(page.title))</title>
        <style>\(HTMLPage.style)</style>
        </head>
        <body>
        <main>
        <h1>\(quoted(page.title))</h1>
        <section class="answer">
        \(page.answer.map { "<p>\(plain($0))</p>" }.joined(separator: "\n"))
        </section>
        \(page.tables.map(section).joined(separator: "\n"))
        <section>
        <h2>What this was measured on</h2>
        \(page.circumstances.map { "<p>\(plain($0))</p>" }.joined(separator: "\n"))
        </section>
        </main>
        </body>
        </html>

        """
    }

    private func section(_ table: ReportTable) -> String {
        let head = table.header.map { "<th scope=\"col\">\(quoted($0))</th>" }.joined()
        let rows = table.rows.map { row in
            let cells = row.enumerated().map { index, cell in
                index == 0 ? "<th scope=\"row\">\(quoted(cell.text))</th>" : "<td>\(content(cell))</td>"
            }
            return "<tr>\(cells.joined())</tr>"
        }
        return """
            <section>
            <h2>\(quoted(table.title))</h2>
            \((table.notes + table.legend).map { "<p class=\"note\">\(plain($0))</p>" }.joined(separator: "\n"))
            <div class="wide" tabindex="0" role="region" aria-label="\(quoted(table.title))">
            <table><thead><tr>\(head)</tr></thead>
            <tbody>
            \(rows.joined(separator: "\n"))
            </tbody></table></div>
            </section>
            """
    }

    private func content(_ cell: ReportTable.Cell) -> String {
        var text = quoted(cell.text)
        if let share = cell.share {
            let width = (min(max(share, 0.01), 1) * 100).fixed(0)
            text += "<span class=\"bar\" aria-hidden=\"true\"><span style=\"width:\(width)%\"></span></span>"
        }
        if !cell.marks.isEmpty {
            let marks = cell.marks.map { "<i style=\"left:\(($0 * 100).fixed(1))%\"></i>" }.joined()
            text += "<span class=\"scale\" aria-hidden=\"true\">\(marks)</span>"
        }
        if !cell.columns.isEmpty {
            let columns = cell.columns.map { "<i style=\"height:\(($0 * 100).fixed(0))%\"></i>" }.joined()
            text += "<span class=\"columns\" aria-hidden=\"true\">\(columns)</span>"
        }
        return text
    }

    private func quoted(_ text: String) -> String {
        text.reduce(into: "") { result, character in
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            default: result.append(character)
            }
        }
    }

    /// `text` as HTML, with its parts between backquotes as code.
    private func plain(_ text: String) -> String {
        let parts = quoted(text).split(separator: "`", omittingEmptySubsequences: false)
        guard parts.count % 2 == 1 else { return quoted(text) }
        return parts.enumerated().map { $0.offset % 2 == 1 ? "<code>\($0.element)</code>" : String($0.element) }
            .joined()
    }

    private static let style = """
        :root{color-scheme:light dark;--full:light-dark(#1a7f37,#3fb950);--empty:light-dark(#e3e6ea,#30363d);\
        --mark:light-dark(#0550ae,#79b8ff)}
        body{font:16px/1.5 system-ui,sans-serif;margin:0;background:Canvas;color:CanvasText}
        main{max-width:70rem;margin:0 auto;padding:1rem}
        h1,h2{line-height:1.2;overflow-wrap:anywhere}
        .answer{border-left:4px solid var(--full);padding:.1rem 1rem}
        .answer p{margin:.4rem 0}
        .note{opacity:.8;margin:.2rem 0;max-width:60rem}
        .wide{overflow-x:auto;margin-top:.8rem}
        table{border-collapse:collapse;width:100%}
        th,td{padding:.25rem .6rem;border-bottom:1px solid var(--empty);text-align:right;white-space:nowrap}
        th:first-child,:is(th,td):nth-child(2){text-align:left}
        th:first-child{position:sticky;left:0;background:Canvas}
        thead th{white-space:normal;vertical-align:bottom}
        tbody th{font-weight:normal}
        .bar,.scale{display:block;height:.4rem;min-width:4rem;background:var(--empty);border-radius:.2rem;margin-top:.15rem}
        .bar span{display:block;height:100%;background:var(--full);border-radius:.2rem}
        .scale{position:relative;min-width:10rem;height:.6rem}
        .scale i{position:absolute;top:0;width:.25rem;height:100%;margin-left:-.12rem;background:var(--mark);border-radius:.1rem}
        .columns{display:flex;align-items:end;gap:1px;height:2.5rem;min-width:10rem;background:var(--empty)}
        .columns i{flex:1;background:var(--mark)}
        code{font-family:ui-monospace,monospace;font-size:.9em;overflow-wrap:anywhere}
        """
}

/// The content of ``MarkdownReport`` as one HTML page.
///
/// The page needs no script and no network. It has a light and a dark form, and fits any width.
package struct HTMLReport: Sendable {
    private let report: ConformanceReport

    /// Makes a report.
    package init(_ report: ConformanceReport) { self.report = report }

    /// The text of the page.
    package var text: String {
        let names = report.backends.map(\.backend).joined(separator: ", ")
        let sections = report.backends.map(section).joined(separator: "\n")
        let untested = Untested.sentences.map { "<li>\(plain($0))</li>" }.joined(separator: "\n")
        return """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>Conformance of \(quoted(names))</title>
            <style>\(HTMLReport.style)</style>
            </head>
            <body>
            <main>
            <h1>Conformance of \(quoted(names))</h1>
            <p>\(quoted(report.heading)).</p>
            \(sections)
            <section>
            <h2>What no rule tests</h2>
            <ul>
            \(untested)
            </ul>
            </section>
            </main>
            </body>
            </html>

            """
    }

    private func section(_ backend: BackendReport) -> String {
        var parts = ["<section>", "<h2>\(quoted(backend.backend))</h2>", HTMLReport.badge(backend)]
        if !backend.claims.isEmpty { parts.append("<p>\(quoted(backend.claims)).</p>") }
        parts.append("<p>\(quoted(backend.verdictSentence(seed: report.seed)))</p>")
        parts += FailureCause.causes(of: backend.results).map { failure($0, backend) }
        parts += ["<div class=\"wide\"><table>", "<caption>Rules by theme</caption>"]
        parts.append(
            "<thead><tr><th scope=\"col\">theme</th><th scope=\"col\">hold</th><th scope=\"col\">broken</th>"
                + "<th scope=\"col\">skipped or excused</th></tr></thead><tbody>")
        for theme in backend.themes {
            let state = theme.broken > 0 ? " class=\"broken\"" : ""
            parts.append(
                "<tr\(state)><th scope=\"row\">\(quoted(theme.name))</th><td>\(theme.passed)</td><td>\(theme.broken)</td>"
                    + "<td>\(theme.others)</td></tr>")
        }
        parts.append("</tbody></table></div>")
        let skips = backend.results.filter { $0.outcome == .skipped || $0.outcome == .excused }
        if !skips.isEmpty {
            parts.append("<details><summary>\(Prose.count(skips.count, "rule")) skipped or excused</summary><ul>")
            parts += skips.map {
                "<li>\(quoted($0.rule.id)): \(quoted($0.message))\($0.isApplicable ? "" : ", which it does not claim")</li>"
            }
            parts.append("</ul></details>")
        }
        return (parts + ["</section>"]).joined(separator: "\n")
    }

    private func failure(_ cause: FailureCause, _ backend: BackendReport) -> String {
        let result = cause.results[0]
        let text = FailureText(result.sentence)
        var terms = [(text.expected == nil ? "came" : "of", text.subject)]
        if let expected = text.expected { terms.append(("expected", expected)) }
        if let came = text.came { terms.append(("came", came)) }
        terms.append(("why", result.rule.reason))
        if let promise = result.rule.promise { terms.append(("promise", promise)) }
        let others = cause.results.dropFirst().map(\.rule.id).joined(separator: ", ")
        if !others.isEmpty { terms.append(("alike", others)) }
        let list = terms.map { "<dt>\($0.0)</dt><dd>\(plain($0.1))</dd>" }.joined(separator: "\n")
        return """
            <article>
            <h3>\(quoted(result.rule.id)) \(result.outcome.word): \(plain(result.rule.text))</h3>
            <dl>
            \(list)
            <dt>again</dt><dd><code>\(quoted(backend.replay(result, seed: report.seed)))</code></dd>
            </dl>
            </article>
            """
    }

    /// The verdict as an SVG image that can be copied out of the page.
    static func badge(_ backend: BackendReport) -> String {
        let words = backend.badge
        let (left, right) = (13 * 7 + 10, words.count * 7 + 12)
        let colour =
            switch backend.verdict {
            case .conformant: "#1a7f37"
            case .failed: "#b42318"
            case .excused, .partial, .interrupted: "#8a5a00"
            }
        return
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"\(left + right)\" height=\"22\" role=\"img\" "
            + "aria-label=\"Grove conformance: \(words)\"><rect width=\"\(left)\" height=\"22\" fill=\"#444\"/>"
            + "<rect x=\"\(left)\" width=\"\(right)\" height=\"22\" fill=\"\(colour)\"/>"
            + "<g fill=\"#fff\" font-family=\"sans-serif\" font-size=\"12\"><text x=\"6\" y=\"15\">Grove kit "
            + "\(ConformanceReport.kit)</text><text x=\"\(left + 6)\" y=\"15\">\(words)</text></g></svg>"
    }

    private func quoted(_ text: String) -> String { Quoted.xml(text) }

    /// `text` as HTML, with its parts between backquotes as code.
    private func plain(_ text: String) -> String {
        let parts = quoted(text).split(separator: "`", omittingEmptySubsequences: false)
        guard parts.count % 2 == 1 else { return quoted(text) }
        return parts.enumerated().map { $0.offset % 2 == 1 ? "<code>\($0.element)</code>" : String($0.element) }
            .joined()
    }

    private static let style = """
        :root{color-scheme:light dark}
        body{font:16px/1.5 system-ui,sans-serif;margin:0;background:Canvas;color:CanvasText}
        main{max-width:60rem;margin:0 auto;padding:1rem}
        h1,h2,h3{line-height:1.2;overflow-wrap:anywhere}
        article{border-left:4px solid #b42318;padding:0 1rem;margin:1rem 0}
        dl{display:grid;grid-template-columns:max-content minmax(0,1fr);gap:.2rem 1rem}
        dt{opacity:.75}dd{margin:0;overflow-wrap:anywhere}
        .wide{overflow-x:auto}
        table{border-collapse:collapse;width:100%}caption{text-align:left;opacity:.75}
        th,td{padding:.2rem .6rem;border-bottom:1px solid color-mix(in srgb,CanvasText 20%,Canvas);text-align:right}
        th:first-child{text-align:left;font-weight:normal}
        tr.broken th{font-weight:bold}
        code{font-family:ui-monospace,monospace;font-size:.9em}
        """
}

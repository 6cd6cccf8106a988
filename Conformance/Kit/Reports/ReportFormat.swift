/// The format of a report.
package enum ReportFormat: String, Sendable, CaseIterable {
    /// Text to read on a terminal.
    case pretty
    /// The Test Anything Protocol, version 14.
    case tap
    /// The Test Anything Protocol, version 13, for readers that know no later version.
    case tap13
    /// JUnit's XML.
    case junit
    /// JSON.
    case json
    /// A page of Markdown for a repository.
    case markdown
    /// A page of HTML in one file.
    case html
}

extension ConformanceReport {
    /// The report as text.
    package func text(_ format: ReportFormat) -> String {
        switch format {
        case .pretty: PrettyReport(self).text
        case .tap: TAPReport(self).text
        case .tap13: TAPReport(self, version: 13).text
        case .junit: JUnitReport(self).text
        case .json: JSONReport(self).text
        case .markdown: MarkdownReport(self).text
        case .html: HTMLReport(self).text
        }
    }
}

/// How a report is written.
public enum ReportFormat: String, Sendable, CaseIterable {
    /// For people.
    case pretty
    /// The Test Anything Protocol, version 14.
    case tap
    /// The same under the version 13, for consumers that know no later one.
    case tap13
    /// JUnit's XML.
    case junit
    /// JSON.
    case json
    /// A page for a repository.
    case markdown
    /// A page for a browser, in one file.
    case html
}

extension ConformanceReport {
    /// The report as text.
    public func text(_ format: ReportFormat) -> String {
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

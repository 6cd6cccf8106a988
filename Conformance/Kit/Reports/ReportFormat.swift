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
        }
    }
}

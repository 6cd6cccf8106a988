/// What a report shows, apart from how: an answer in words, tables, and what they were measured on.
package struct ReportPage {
    let title: String
    /// Sentences.
    let answer: [String]
    let tables: [ReportTable]
    /// Sentences.
    let circumstances: [String]

    /// One page without script or network.
    package var html: String { HTMLPage(self).text }

    package var markdown: String { MarkdownPage(self).text }
}

/// A table of a report that is to be published: text, numbers, and how long their bars are.
struct ReportTable {
    /// One cell.
    struct Cell {
        let text: String
        /// A part of a full bar; `nil` for none.
        var share: Double?
        /// The positions of marks on a scale from 0 to 1, in order; none for no scale.
        var marks: [Double] = []
        /// Columns beside each other, from 0 to 1 high; none for no columns.
        var columns: [Double] = []

        init(_ text: String, share: Double? = nil, marks: [Double] = [], columns: [Double] = []) {
            (self.text, self.share, self.marks, self.columns) = (text, share, marks, columns)
        }
    }

    /// What the table shows.
    let title: String
    /// What a reader has to know of it, in sentences.
    var notes: [String] = []
    /// What bars, marks and columns mean, in sentences.
    var legend: [String] = []
    let header: [String]
    /// Each begins with what it is called.
    var rows: [[Cell]] = []
}

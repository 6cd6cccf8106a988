import GroveModel

/// The rows on a window's screen: an element has one object as long as it is shown, even if it was a draft before.
@MainActor
struct ShownRows<Element: SimpleModel> {
    /// The rows in order, for a reader that is not told of changes.
    var rows: [WindowRow<Element>] = []
    /// The rows of pending elements, by their identifiers; `nil` if nothing was pending when the rows were shown last.
    var pending: [ModelIdentifier: WindowRow<Element>]?
    private var lastHandle = 0
    /// The arrangements of the rows.
    var arrangements = RowFollowers()

    /// A row for `model`: that of its draft, if it was pending.
    mutating func row(for model: Element, _ name: ModelIdentifier?) -> WindowRow<Element> {
        if let name, let row = pending?.removeValue(forKey: name) { return row }
        lastHandle += 1
        return WindowRow(model, handle: lastHandle)
    }
}

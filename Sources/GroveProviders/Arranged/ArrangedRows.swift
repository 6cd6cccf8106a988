import GroveModel
public import Observation

/// A view of a list's rows that is sorted, filtered or in sections, and follows the list.
///
/// Get one from ``RowProvider/sorted(by:_:)``, ``RowProvider/filtered(_:)`` or ``RowProvider/sections(by:_:)``; these
/// calls can be chained. Its rows are the list's own. A row follows its element, and stays the same row if it moves
/// here.
///
/// ```swift
/// let people = list.filtered(\.isOnline).sorted(by: \.name).sections(by: { $0.name.prefix(1).uppercased() })
/// ```
///
/// It is updated in the same turn as the list. The closures must depend on the element alone: changes to other values
/// that they read are not noticed. It retains the list, and the list does not retain it.
///
/// - Complexity: O(*n* log *n*), one sort of the list's *n* rows, when it is first read and when more than a quarter of
///   them changed at once. Otherwise an element that comes, goes or changes costs a binary search; the list's rows
///   beside it, up to 512, are compared.
@MainActor
@Observable
public final class ArrangedRows<Row: ProviderRow, Section: Hashable & Comparable & Sendable> {
    @ObservationIgnored let source: RowSource<Row>
    @ObservationIgnored let rules: ArrangementRules<Row.Element, Section>
    @ObservationIgnored private var isBuilt = false
    /// The number of the list that is shown here.
    @ObservationIgnored private var list = 0
    @ObservationIgnored private var entries = PersistentVector<Entry<Row.Element>>()
    @ObservationIgnored private var positions = HandlePositions()
    @ObservationIgnored private var items = PersistentVector<ArrangedItem<Row>>()
    /// The number of rows of each section, in order; no section is empty.
    @ObservationIgnored private var counts: [(id: Section, count: Int)] = []

    init(_ source: RowSource<Row>, _ rules: ArrangementRules<Row.Element, Section>) {
        (self.source, self.rules) = (source, rules)
    }

    /// The rows in order, those of all sections one after another; getting them costs nothing.
    ///
    /// A view that reads this is told when rows come, go or move. It is not told if an element changes and keeps its
    /// place.
    public var rows: ArrangedSlice<Row> {
        access(keyPath: \.rows)
        build()
        return ArrangedSlice(items: items, range: 0..<items.count)
    }

    /// The sections in order, none of them empty; no sections without ``RowProvider/sections(by:_:)``.
    ///
    /// A view that reads this is told of the same changes as a view that reads ``rows``.
    ///
    /// - Complexity: linear in the number of sections.
    public var sections: [ArrangedSection<Row, Section>] {
        access(keyPath: \.rows)
        build()
        var start = 0
        return counts.map { section in
            defer { start += section.count }
            let rows = ArrangedSlice(items: items, range: start..<start + section.count)
            return ArrangedSection(id: section.id, rows: rows)
        }
    }

    private func build() {
        guard !isBuilt else { return }
        isBuilt = true
        source.join(self)
        (list, entries) = (source.list(), source.entries())
        rebuild()
    }

    /// Arranges the whole list again.
    private func rebuild() {
        let all = entries.slice(0, entries.count)
        positions = HandlePositions(all.map(\.handle))
        let shown = all.enumerated().filter { rules.shows($0.element.model) }
            .map { ArrangedItem(entry: $0.element, row: source.row($0.element, $0.offset)) }
        items = PersistentVector(shown.sorted { isBefore($0.entry, $1.entry) })
        counts = []
        guard let section = rules.section else { return }
        for item in items.slice(0, items.count) {
            let id = section(item.entry.model)
            if counts.last?.id == id { counts[counts.count - 1].count += 1 } else { counts.append((id, 1)) }
        }
    }

    /// Whether one element is before another here; equal elements are in the list's order.
    private func isBefore(_ one: Entry<Row.Element>, _ other: Entry<Row.Element>) -> Bool {
        if let section = rules.section {
            let (first, second) = (section(one.model), section(other.model))
            if first != second { return rules.isSectionBefore(first, second) }
        }
        for isBefore in rules.orders {
            if isBefore(one.model, other.model) { return true }
            if isBefore(other.model, one.model) { return false }
        }
        return positions.position(of: one.handle) ?? 0 < positions.position(of: other.handle) ?? 0
    }

    /// The number of rows before an element.
    private func place(of entry: Entry<Row.Element>) -> Int {
        (0..<items.count).firstIndex(behind: { isBefore(items[$0].entry, entry) })
    }

    /// - Returns: false if the element is shown and was not found: then the closures do not depend on its model alone.
    private func remove(_ entry: Entry<Row.Element>, _ isMoved: inout Bool) -> Bool {
        guard rules.shows(entry.model) else { return true }
        let place = place(of: entry)
        guard place < items.count, items[place].entry.handle == entry.handle else { return false }
        items.replace(place, place + 1, with: [])
        count(entry, -1)
        isMoved = true
        return true
    }

    private func insert(_ entry: Entry<Row.Element>, _ position: Int, _ isMoved: inout Bool) {
        guard rules.shows(entry.model) else { return }
        let place = place(of: entry)
        items.replace(place, place, with: [ArrangedItem(entry: entry, row: source.row(entry, position))])
        count(entry, 1)
        isMoved = true
    }

    /// Takes another version of an element, which is at `position` in the list.
    private func update(
        _ old: Entry<Row.Element>, _ new: Entry<Row.Element>, _ position: Int, _ isMoved: inout Bool
    ) -> Bool {
        if rules.shows(old.model), rules.shows(new.model), rules.section?(old.model) == rules.section?(new.model) {
            let place = place(of: old)
            guard place < items.count, items[place].entry.handle == old.handle else { return false }
            let isAfter = place == 0 || isBefore(items[place - 1].entry, new)
            if isAfter, place == items.count - 1 || isBefore(new, items[place + 1].entry) {
                items[place] = ArrangedItem(entry: new, row: source.row(new, position))
                return true
            }
        }
        guard remove(old, &isMoved) else { return false }
        insert(new, position, &isMoved)
        return true
    }

    private func count(_ entry: Entry<Row.Element>, _ change: Int) {
        guard let id = rules.section?(entry.model) else { return }
        let place = counts.indices.firstIndex(behind: { rules.isSectionBefore(counts[$0].id, id) })
        if place == counts.count || counts[place].id != id { counts.insert((id, 0), at: place) }
        counts[place].count += change
        if counts[place].count == 0 { counts.remove(at: place) }
    }
}

extension ArrangedRows: RowFollower {
    func follow() {
        let (old, new) = (entries, source.entries())
        let changes = ListDifference(from: old, to: new)
        let isOther = list != source.list()
        let isMuch = changes.count > 32 && changes.count > new.count / 4
        (list, entries) = (source.list(), new)
        var isMoved = false
        if isOther || isMuch || positions.isFull || !take(changes, &isMoved) {
            rebuild()
            isMoved = true
        }
        // Views read the rows after this turn.
        if isMoved { withMutation(keyPath: \.rows) {} }
    }

    /// - Returns: whether all elements were found at their places.
    private func take(_ changes: ListDifference<Row.Element>, _ isMoved: inout Bool) -> Bool {
        for change in changes.updates {
            guard update(change.old, change.new, change.position, &isMoved) else { return false }
        }
        for splice in changes.splices {
            for entry in splice.removed { guard remove(entry, &isMoved) else { return false } }
        }
        // The order of the other elements is the same before and after.
        for splice in changes.splices {
            positions.note(splice.start, removed: splice.removed.count, splice.inserted.map(\.handle))
        }
        for splice in changes.splices {
            for (offset, entry) in splice.inserted.enumerated() { insert(entry, splice.start + offset, &isMoved) }
        }
        return true
    }
}

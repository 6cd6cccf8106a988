import GroveConsistency
public import GroveModel

/// A list on screen of which the rows can be shown in another order, filtered and in sections: a
/// ``CollectionDataProvider``, a ``WindowDataProvider``, or ``ArrangedRows`` of either.
@MainActor
public protocol RowProvider {
    /// The list's rows.
    associatedtype Row: ProviderRow
    /// What its sections are known by; `Never` if it has none.
    associatedtype Section: Hashable & Comparable & Sendable
    /// The rows as they are.
    var _arranged: ArrangedRows<Row, Section> { get }
}

/// A row of a list on screen, which is observed by itself.
public protocol ProviderRow: Identifiable, Sendable {
    /// The type of the list's elements.
    associatedtype Element: SimpleModel
    /// The element in its newest version.
    @MainActor var model: Element { get }
}

extension CollectionRow: ProviderRow {}

extension WindowRow: ProviderRow {}

extension RowProvider {
    /// The rows in the order of a value of their elements: by `<`, unless another order is given.
    ///
    /// Rows of one value keep the order that they had before. So of several calls the last one counts first.
    ///
    /// ```swift
    /// let rooms = list.sorted(by: \.lastActivity, >)
    /// ```
    ///
    /// Nothing is done before the rows are read; see ``ArrangedRows``.
    public func sorted<Value: Comparable>(
        by value: @escaping (Row.Element) -> Value,
        _ isBefore: @escaping (Value, Value) -> Bool = { $0 < $1 }
    ) -> ArrangedRows<Row, Section> {
        var rules = _arranged.rules
        rules.orders.insert({ isBefore(value($0), value($1)) }, at: 0)
        return ArrangedRows(_arranged.source, rules)
    }

    /// The rows whose elements meet a condition, in the same order.
    ///
    /// Nothing is done before the rows are read; see ``ArrangedRows``.
    public func filtered(
        _ isShown: @escaping (Row.Element) -> Bool
    ) -> ArrangedRows<Row, Section> {
        var rules = _arranged.rules
        rules.filters.append(isShown)
        return ArrangedRows(_arranged.source, rules)
    }

    /// The rows in sections, by a value of their elements: in the order of `<`, unless another order is given.
    ///
    /// In a section the rows keep the order that they had before. A later call replaces these sections.
    ///
    /// Nothing is done before the rows are read; see ``ArrangedRows``.
    public func sections<NewSection: Hashable & Comparable & Sendable>(
        by section: @escaping (Row.Element) -> NewSection,
        _ isBefore: @escaping (NewSection, NewSection) -> Bool = { $0 < $1 }
    ) -> ArrangedRows<Row, NewSection> {
        let former = _arranged.rules
        let rules = ArrangementRules<Row.Element, NewSection>(
            filters: former.filters, orders: former.orders, section: section, isSectionBefore: isBefore)
        return ArrangedRows(_arranged.source, rules)
    }
}

/// Which rows are shown, and in what order.
@MainActor
struct ArrangementRules<Element, Section> {
    var filters: [(Element) -> Bool] = []
    /// What counts first is first.
    var orders: [(Element, Element) -> Bool] = []
    var section: ((Element) -> Section)?
    var isSectionBefore: (Section, Section) -> Bool = { _, _ in false }

    func shows(_ element: Element) -> Bool { filters.allSatisfy { $0(element) } }
}

extension CollectionDataProvider: RowProvider {
    /// The rows as they are.
    public var _arranged: ArrangedRows<CollectionRow<T>, Never> {
        ArrangedRows(
            RowSource(
                list: { self.store.key.rawValue }, entries: { self.entries },
                row: { entry, position in
                    let id = CollectionRow<T>.ID(list: self.store.key.rawValue, handle: entry.handle)
                    return CollectionRow(id: id, provider: self, index: position, model: entry.model)
                }, join: { self.arrangements.add($0) }), ArrangementRules())
    }
}

extension WindowDataProvider: RowProvider {
    /// The rows as they are.
    public var _arranged: ArrangedRows<WindowRow<Element>, Never> {
        ArrangedRows(
            RowSource(
                list: { 0 },
                entries: {
                    PersistentVector(
                        self.shownRows.map { Entry(handle: $0.handle, revision: $0.revision, model: $0.shownModel) })
                }, row: { _, position in self.shownRows[position] }, join: { self.arrangements.add($0) }),
            ArrangementRules())
    }
}

extension ArrangedRows: RowProvider {
    /// The rows as they are.
    public var _arranged: ArrangedRows<Row, Section> { self }
}

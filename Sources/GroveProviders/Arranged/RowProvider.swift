import GroveConsistency
public import GroveModel

/// A list on screen whose rows can be sorted, filtered and put into sections.
///
/// It is a ``CollectionDataProvider``, a ``WindowDataProvider``, or an ``ArrangedRows`` of either.
@MainActor
public protocol RowProvider {
    /// The type of the list's rows.
    associatedtype Row: ProviderRow
    /// The type of the value that identifies a section; `Never` if the list has no sections.
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
    /// The rows sorted by a value of their elements, with `<` unless another order is given.
    ///
    /// Rows with equal values keep their order. So if `sorted` is called several times, the last call decides first.
    ///
    /// ```swift
    /// let rooms = list.sorted(by: \.lastActivity, >)
    /// ```
    ///
    /// No work is done before the rows are read; see ``ArrangedRows``.
    public func sorted<Value: Comparable>(
        by value: @escaping (Row.Element) -> Value,
        _ isBefore: @escaping (Value, Value) -> Bool = { $0 < $1 }
    ) -> ArrangedRows<Row, Section> {
        var rules = _arranged.rules
        rules.orders.insert({ isBefore(value($0), value($1)) }, at: 0)
        return ArrangedRows(_arranged.source, rules)
    }

    /// The rows whose elements satisfy a condition, in the same order.
    ///
    /// No work is done before the rows are read; see ``ArrangedRows``.
    public func filtered(
        _ isShown: @escaping (Row.Element) -> Bool
    ) -> ArrangedRows<Row, Section> {
        var rules = _arranged.rules
        rules.filters.append(isShown)
        return ArrangedRows(_arranged.source, rules)
    }

    /// The rows in sections, one for each value of their elements; sections are in the order of `<`, unless another
    /// order is given.
    ///
    /// In a section the rows keep their order. A later call replaces these sections.
    ///
    /// No work is done before the rows are read; see ``ArrangedRows``.
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

/// The rules by which rows are shown, ordered and put into sections.
@MainActor
struct ArrangementRules<Element, Section> {
    var filters: [(Element) -> Bool] = []
    /// The orders; the first one that tells two elements apart decides.
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
                        self.shown.rows.map { Entry(handle: $0.handle, revision: $0.revision, model: $0.shownModel) })
                }, row: { _, position in self.shown.rows[position] },
                join: { self.shown.arrangements.add($0) }), ArrangementRules())
    }
}

extension ArrangedRows: RowProvider {
    /// The rows as they are.
    public var _arranged: ArrangedRows<Row, Section> { self }
}

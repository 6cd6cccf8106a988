import GroveCoding
import GroveModel

/// A page of an answer of the network, on its way into a list.
struct ListPage {
    private let elements: StoredElements
    private let place: ListOperation.Place
    private let fit: PageFit
    private let since: ListOperation.Since
    /// The names of all of its elements.
    private let names: Set<ElementName>

    init(_ elements: StoredElements, _ place: ListOperation.Place, _ fit: PageFit, _ since: ListOperation.Since) {
        (self.elements, self.place, self.fit, self.since) = (elements, place, fit, since)
        names = Set((0..<elements.count).map { elements.name(at: $0) })
    }

    /// Its elements that were not touched since, and their positions in the list.
    private struct Rows {
        var elements = StoredElements()
        var positions: [Int?] = []
    }

    /// The part of the list that the page replaces.
    private struct Extent {
        /// The positions whose elements go, but for those put in since; gaps in it and at its ends go too.
        var range: Range<Int>
        /// The position before which the page comes.
        var start: Int
        /// The position before which a gap stays or is opened, before the page.
        var gapBefore: Int?
        /// The same behind the page.
        var gapBehind: Int?
        /// Whether the page reaches the next part in its direction.
        var isReached = false
    }

    /// The edits by position that it amounts to in a list: removals, the last first, closed gaps, insertions, and
    /// opened gaps.
    func resolved(in list: inout ElementFinder) throws(CacheError) -> [CollectionEdit] {
        // Rows that a later page put in cannot be told from rows the server had between: the page is asked for again.
        if since.hasPages { return [] }
        // It was to make the list, and another page has made it.
        if fit == .apart, case .first = place, list.count > 0 { return [] }
        // Among parts, its place is not known if the row that it is beside is gone.
        if fit != .dropping || !list.gaps.isEmpty, try isGone(&list) { return [] }
        let gap = try list.gap(place)
        if fit == .apart, hasMoved(gap, in: list) { return [] }
        var rows = Rows()
        var seen: Set<ElementName> = []
        for index in 0..<elements.count {
            let name = elements.name(at: index)
            guard !since.names.contains(name), seen.insert(name).inserted else { continue }
            let position = position(of: name, near: gap, in: &list)
            if let position, isKept(position, in: &list) { continue }
            rows.elements.append(elements[index..<index + 1])
            rows.positions.append(position)
        }
        // All of its rows were touched since.
        if rows.elements.count == 0, elements.count > 0 || fit == .apart { return [] }
        var going = Set(rows.positions.compactMap(\.self))
        let extent = fit == .dropping ? dropping(gap, rows, in: &list) : joining(gap, rows, in: &list)
        for position in extent.range where !going.contains(position) && !isKept(position, in: &list) {
            going.insert(position)
        }
        return edits(rows, going, extent, in: list)
    }

    /// Whether the row that the page is beside is gone.
    private func isGone(_ list: inout ElementFinder) throws(CacheError) -> Bool {
        switch place {
        case .first, .last: false
        case .before(let element), .after(let element): try list.find(element) == nil
        }
    }

    /// Whether rows came or went before the place, or at the end that it is at, since it was looked for.
    private func hasMoved(_ gap: Int, in list: ElementFinder) -> Bool {
        switch place {
        case .first, .last: return false
        case .before(let element): return element.position.map { $0 != gap } ?? false
        case .after(let element):
            let isLast = element.seen.map { $0.index == $0.list.count - 1 } ?? false
            return element.position.map { $0 + 1 != gap } ?? false || isLast && gap != list.count
        }
    }

    private func edits(
        _ rows: Rows, _ going: Set<Int>, _ extent: Extent, in list: ElementFinder
    ) -> [CollectionEdit] {
        // Rows that stay in their order are not put in again, so that views that show them see no change.
        let known = rows.positions.compactMap(\.self)
        let isInOrder = zip(known, known.dropFirst()).allSatisfy { $0 < $1 }
        let span = min(extent.start, known.first ?? extent.start)..<max(extent.start, (known.last ?? -1) + 1)
        let staying = isInOrder && span.allSatisfy(going.contains) ? Set(known) : []
        let gone = going.subtracting(staying)
        func left(_ position: Int, without going: Set<Int>) -> Int { position - going.count { $0 < position } }
        // Elements to put in, by the position among those that are left.
        var place = left(staying.isEmpty ? extent.start : span.lowerBound, without: gone)
        var new: [(place: Int, elements: StoredElements)] = []
        for (index, position) in rows.positions.enumerated() {
            if let position, staying.contains(position) {
                place += 1
                continue
            }
            if new.last?.place != place { new.append((place, StoredElements())) }
            new[new.count - 1].elements.append(rows.elements[index..<index + 1])
        }
        // The gaps that the list has afterwards.
        var wanted: Set<Int> = []
        if let gap = extent.gapBefore { wanted.insert(left(gap, without: going)) }
        if let gap = extent.gapBehind { wanted.insert(left(gap, without: going) + rows.positions.count) }
        for gap in list.gaps where gap < extent.range.lowerBound || gap > extent.range.upperBound {
            wanted.insert(left(gap, without: going) + (gap < extent.start ? 0 : rows.positions.count))
        }
        var edits = ranges(of: gone, list.gaps).reversed().map { range in
            CollectionEdit.replace(range, with: StoredElements())
        }
        // Elements that are put in beside a gap come before it.
        var there: Set<Int> = []
        for gap in Set(list.gaps.map { left($0, without: gone) }).sorted() {
            let later = new.reduce(gap) { $1.place <= gap ? $0 + $1.elements.count : $0 }
            if wanted.contains(later) { there.insert(later) } else { edits.append(.gap(gap, false)) }
        }
        var added = 0
        for (place, elements) in new {
            let start = place + added
            added += elements.count
            let isAtEnd = place == list.count - gone.count && !there.contains(start + elements.count)
            edits.append(isAtEnd ? .append(elements) : .replace(start..<start, with: elements))
        }
        return edits + wanted.subtracting(there).sorted().map { .gap($0, true) }
    }

    // MARK: Pages that drop what they do not reach

    /// The extent of a page: empty beside a row; at an end, all rows up to those that the page reaches.
    private func dropping(_ gap: Int, _ rows: Rows, in list: inout ElementFinder) -> Extent {
        var extent = Extent(range: gap..<gap, start: gap)
        switch place {
        case .first:
            guard elements.count > 0 else { return Extent(range: 0..<list.count, start: 0) }
            extent = joining(gap, rows, in: &list)
            if !extent.isReached {
                (extent.range, extent.gapBehind) = (extent.range.lowerBound..<list.count, nil)
            }
        case .last:
            guard elements.count > 0 else { return Extent(range: 0..<list.count, start: list.count) }
            extent = joining(gap, rows, in: &list)
            if !extent.isReached { (extent.range, extent.gapBefore) = (0..<extent.range.upperBound, nil) }
        case .before: extent.gapBefore = list.gaps.contains(gap) ? gap : nil
        case .after: extent.gapBehind = list.gaps.contains(gap) ? gap : nil
        }
        return extent
    }

    private func has(_ position: Int, of list: inout ElementFinder) -> Bool {
        (try? list.name(at: position)).map(names.contains) ?? false
    }

    // MARK: Pages that keep it behind a gap

    private func joining(_ gap: Int, _ rows: Rows, in list: inout ElementFinder) -> Extent {
        let (first, last) = (rows.positions.first ?? nil, rows.positions.last ?? nil)
        func hasGap(_ position: Int) -> Int? { list.gaps.contains(position) ? position : nil }
        if fit == .apart {
            // A first or last row that the list has too gives the page's place.
            if let first {
                var extent = later(first, last, rows, in: &list)
                extent.gapBefore = hasGap(first)
                return extent
            }
            if let last {
                var extent = earlier(last + 1, first, rows, in: &list)
                extent.gapBehind = hasGap(last + 1)
                return extent
            }
            let (behind, before) = (later(gap, nil, rows, in: &list), earlier(gap, nil, rows, in: &list))
            return Extent(
                range: before.range.lowerBound..<behind.range.upperBound, start: gap, gapBefore: before.gapBefore,
                gapBehind: behind.gapBehind)
        }
        // A page without rows says that the list ends there: rows beyond are gone.
        if elements.count == 0 {
            if case .after = place { return Extent(range: gap..<list.count, start: gap) }
            return Extent(range: 0..<gap, start: gap)
        }
        switch place {
        case .first:
            // Elements that were put in at an end since stay there.
            let start = (0..<list.count).first { !isKept($0, in: &list) } ?? list.count
            return later(start, last, rows, in: &list)
        case .last:
            let end = (0..<list.count).last { !isKept($0, in: &list) }.map { $0 + 1 } ?? 0
            return earlier(end, first, rows, in: &list)
        case .after: return later(gap, last, rows, in: &list)
        case .before: return earlier(gap, first, rows, in: &list)
        }
    }

    /// The extent from position `start` on, up to the page's last row, which the list has at `last`.
    private func later(_ start: Int, _ last: Int?, _ rows: Rows, in list: inout ElementFinder) -> Extent {
        var extent = Extent(range: start..<start, start: start)
        if let last, last >= start, isReached((start..<last + 1).reversed(), in: &list, edge: { $0 }) {
            (extent.range, extent.isReached) = (start..<last + 1, true)
            extent.gapBehind = list.gaps.contains(last + 1) ? last + 1 : nil
            return extent
        }
        // Elements between its rows go, though the last row is new.
        let known = rows.positions.compactMap(\.self).filter { $0 >= start }.max()
        var end = start
        if let known, isReached((start..<known + 1).reversed(), in: &list, edge: { $0 }) { end = known + 1 }
        let lost = (end..<list.count).prefix { list.isLost(at: $0) }.count
        extent.range = start..<end + lost
        let going = Set(rows.positions.compactMap(\.self))
        let isFirst = if case .first = place { true } else { false }
        let isFollowed = (extent.range.upperBound..<list.count).contains {
            !going.contains($0) && (!isKept($0, in: &list) || isFirst)
        }
        if isFollowed || lost > 0 || list.gaps.contains(end) { extent.gapBehind = start }
        return extent
    }

    /// The extent before position `end`, down to the page's first row, which the list has at `first`.
    private func earlier(_ end: Int, _ first: Int?, _ rows: Rows, in list: inout ElementFinder) -> Extent {
        var extent = Extent(range: end..<end, start: end)
        if let first, first < end, isReached(first..<end, in: &list, edge: { $0 + 1 }) {
            (extent.range, extent.isReached) = (first..<end, true)
            extent.gapBefore = list.gaps.contains(first) ? first : nil
            return extent
        }
        let known = rows.positions.compactMap(\.self).filter { $0 < end }.min()
        var start = end
        if let known, isReached(known..<end, in: &list, edge: { $0 + 1 }) { start = known }
        let lost = (0..<start).reversed().prefix { list.isLost(at: $0) }.count
        extent.range = start - lost..<end
        let going = Set(rows.positions.compactMap(\.self))
        let isLast = if case .last = place { true } else { false }
        let isPreceded = (0..<extent.range.lowerBound).reversed().contains {
            !going.contains($0) && (!isKept($0, in: &list) || isLast)
        }
        if isPreceded || lost > 0 || list.gaps.contains(start) { extent.gapBefore = extent.range.lowerBound }
        return extent
    }

    /// Whether at least half of the rows of `way` are the page's: those from its outer row to the near end of the part
    /// that has it.
    ///
    /// It is also true if the first of them are all of the page's, and several: a row that has moved there is alone.
    ///
    /// - Parameter edge: the position at which a gap ends the part at a row.
    private func isReached(
        _ way: some Collection<Int>, in list: inout ElementFinder, edge: (Int) -> Int
    ) -> Bool {
        var (shared, others) = (0, 0)
        for (step, position) in way.enumerated() {
            if has(position, of: &list) { shared += 1 } else if !isKept(position, in: &list) { others += 1 }
            if shared == elements.count, shared > 1, others == 0 { return true }
            // The page has too few rows to make up for more.
            guard others <= elements.count else { return false }
            let gap = edge(position)
            if step == way.count - 1 || list.gaps.contains(gap) { break }
            if list.isLost(at: gap == position ? position - 1 : gap) { break }
        }
        return shared >= others
    }

    /// Whether the element was put there or changed after the page was asked for; one in a lost part was not.
    private func isKept(_ position: Int, in list: inout ElementFinder) -> Bool {
        if let number = since.number, let put = try? list.number(at: position), put > number { return true }
        guard !since.names.isEmpty, let name = try? list.name(at: position) else { return false }
        return since.names.contains(name)
    }

    /// The position of an element in the list; `nil` also if it may be in a lost part.
    private func position(of name: ElementName, near gap: Int, in list: inout ElementFinder) -> Int? {
        (try? list.find(ListOperation.Element(name: name, position: gap))) ?? nil
    }

    /// These positions in ranges without a gap inside.
    private func ranges(of positions: Set<Int>, _ gaps: [Int]) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        for position in positions.sorted() {
            if let last = ranges.last, last.upperBound == position, !gaps.contains(position) {
                ranges[ranges.count - 1] = last.lowerBound..<position + 1
            } else {
                ranges.append(position..<position + 1)
            }
        }
        return ranges
    }
}

extension ListOperation {
    /// The edits of a list after a page of it was asked for.
    struct Since: Sendable {
        /// The number of the place; `nil` if nothing came after it.
        var number: CallNumber?
        /// The elements that this process has put in, moved, replaced or removed.
        var names: Set<ElementName> = []
        /// Whether this process has put in pages that were asked for later.
        var hasPages = false
    }

    /// The names of the elements that it is about.
    var names: [ElementName] {
        let brought = (0..<elements.count).map { elements.name(at: $0) }
        return switch self {
        case .replace(let element, _): brought + [element.name]
        case .move(let element, _): [element.name]
        case .remove(let names): names
        case .at, .insert, .refer, .upsert, .page: brought
        }
    }
}

extension ListOperation.Place {
    /// The list that a page at an end makes if there is none.
    func newList(sequence: CallNumber, time: UInt32) -> StoredCollection? {
        switch self {
        case .first, .last: StoredCollection(.elements(StoredElements()), sequence: sequence, time: time)
        case .before, .after: nil
        }
    }
}

import TestSupport

/// A list as the cache should have it, beside edits and pages that come late.
struct WindowModel {
    /// A page that the network was asked for.
    struct Page {
        /// The row that it is beside; `nil` for the page at an end.
        let row: String?
        let isLater: Bool
        /// The rows of the window that asked.
        let seen: [String]
        let ids: [String]
        /// When it was asked for.
        let asked: Int
    }

    private(set) var list: [String]
    /// The elements whose models were deleted.
    private(set) var hidden: Set<String> = []
    private var time = 0
    private var log: [(time: Int, ids: Set<String>)] = []

    init(_ list: [String]) { self.list = list }

    /// What is shown of it.
    var shown: [String] { list.filter { !hidden.contains($0) } }

    /// What was put in, moved, removed or deleted after a time.
    func touched(since time: Int) -> Set<String> {
        log.filter { $0.time > time }.reduce(into: []) { $0.formUnion($1.ids) }
    }

    /// The time at which a page is asked for.
    mutating func ask() -> Int {
        time += 1
        return time
    }

    mutating func edit(_ ids: [String], _ body: (inout [String]) -> Void) {
        time += 1
        body(&list)
        // What changes nothing counts too.
        log.append((time, Set(ids)))
    }

    mutating func delete(_ id: String) {
        time += 1
        hidden.insert(id)
    }

    /// Puts `id` right behind another, or at an end.
    mutating func put(_ id: String, behind other: String?, atLast: Bool = false) {
        edit([id]) { list in
            list.removeAll { $0 == id }
            let place = other.flatMap { list.firstIndex(of: $0).map { $0 + 1 } }
            list.insert(id, at: place ?? (atLast || other != nil ? list.count : 0))
        }
    }

    /// Puts a page in as of when it was asked for.
    mutating func take(_ page: Page) {
        guard !page.ids.isEmpty || page.row == nil else { return }
        let kept = touched(since: page.asked)
        let new = page.ids.filter { !kept.contains($0) }
        defer { log.append((page.asked, Set(page.ids))) }
        guard let row = page.row else { return takeEnd(page, new, kept) }
        let mark = "the place"
        list.insert(mark, at: place(beside: row, page))
        list.removeAll(where: new.contains)
        guard let index = list.firstIndex(of: mark) else { return }
        list.replaceSubrange(index...index, with: new)
    }

    private func place(beside row: String, _ page: Page) -> Int {
        if let index = list.firstIndex(of: row) { return page.isLater ? index + 1 : index }
        let index = page.seen.firstIndex(of: row) ?? 0
        for before in page.seen[..<index].reversed() {
            if let found = list.firstIndex(of: before) { return found + 1 }
        }
        for after in page.seen[(index + 1)...] { if let found = list.firstIndex(of: after) { return found } }
        return 2 * index < page.seen.count ? 0 : list.count
    }

    /// The first rows of the list; the last ones are the first of the list turned round.
    private mutating func takeEnd(_ page: Page, _ new: [String], _ kept: Set<String>) {
        let isFirst = page.isLater
        var rows = isFirst ? list : list.reversed()
        let last = rows.prefix(page.ids.count).lastIndex(where: page.ids.contains)
        let (former, rest) = (
            rows[..<(last.map { $0 + 1 } ?? rows.count)], rows[(last.map { $0 + 1 } ?? rows.count)...]
        )
        let staying = former.prefix(while: kept.contains)
        let others = former.dropFirst(staying.count).filter(kept.contains)
        rows = staying + (isFirst ? new : new.reversed()) + others + rest.filter { !new.contains($0) }
        list = isFirst ? rows : rows.reversed()
    }
}

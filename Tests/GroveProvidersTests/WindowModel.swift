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
    /// When the page was asked for that was asked for last, of those that came.
    private var lastPage = 0

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

    /// Puts a page in as of when it was asked for, unless one came that was asked for later.
    mutating func take(_ page: Page) {
        defer { lastPage = max(lastPage, page.asked) }
        guard page.asked > lastPage, !page.ids.isEmpty || page.row == nil else { return }
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

    /// The first rows of the list, up to those that the page reaches; the last ones are the first of the list turned
    /// round.
    private mutating func takeEnd(_ page: Page, _ new: [String], _ kept: Set<String>) {
        guard !new.isEmpty || page.ids.isEmpty else { return }
        let isFirst = page.isLater
        let rows = isFirst ? list : list.reversed()
        let brought = isFirst ? new : new.reversed()
        let staying = rows.prefix(while: kept.contains)
        let others = rows[staying.count...]
        let last = brought.last.flatMap(others.firstIndex(of:))
        let end = last.flatMap { isReached(others[...$0], page.ids, kept) ? $0 + 1 : nil } ?? rows.count
        let left = others[..<end].filter(kept.contains) + rows[end...].filter { !brought.contains($0) }
        let all = staying + brought + left
        list = isFirst ? Array(all) : all.reversed()
    }

    /// Whether a page reaches the last of these rows: half of them are the page's, or all of the page are the last of
    /// them.
    private func isReached(_ rows: ArraySlice<String>, _ page: [String], _ kept: Set<String>) -> Bool {
        var (shared, others) = (0, 0)
        for row in rows.reversed() {
            if page.contains(row) { shared += 1 } else if !kept.contains(row) { others += 1 }
            if shared == page.count, shared > 1, others == 0 { return true }
            if others > page.count { return false }
        }
        return shared >= others
    }
}

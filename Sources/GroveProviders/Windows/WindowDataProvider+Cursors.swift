import GroveConsistency
import GroveModel

extension WindowDataProvider {
    /// A page from a server that gives out cursors: each page names the next one.
    public struct Page: Sendable {
        /// The rows, in the order of the list.
        public var rows: [Element]
        /// The cursor at which the server goes on, away from the end that was asked for first; `nil` if the list ends
        /// there.
        public var next: String?

        /// Makes a page.
        public init(_ rows: [Element], next: String?) { (self.rows, self.next) = (rows, next) }
    }

    /// Asks the network for the page at a cursor; if the cursor is `nil`, for the page at the end of the list.
    public typealias PageFetch = @Sendable (_ cursor: String?) async throws -> Page

    /// Shows `count` rows of the list under `cacheKey` from a server that gives out cursors.
    ///
    /// It works as ``open(_:at:count:before:after:)`` does. Cursors are stored, so that a relaunch goes on where it
    /// stopped. If no cursor is known for a row, the page of the nearest row that has one is asked for, or else the
    /// page at the end of the list. Rows that this page does not reach stay behind a gap.
    ///
    /// ```swift
    /// window.open("feed", at: .first, pageBefore: nil) { cursor in
    ///     let answer = try await server.feed(cursor: cursor)
    ///     return .init(answer.posts, next: answer.next)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - pageBefore: asks for rows towards the beginning of the list; if the cursor is `nil`, for the last rows.
    ///   - pageAfter: asks for rows towards the end of the list; if the cursor is `nil`, for the first rows.
    public func open(
        _ cacheKey: String, at place: WindowPlace, count: Int = 50, pageBefore: PageFetch?, pageAfter: PageFetch?
    ) {
        func source(_ fetch: @escaping PageFetch) -> PageSource<Element> {
            PageSource(hasCursors: true) { _, cursor in
                let page = try await fetch(cursor)
                return (page.rows, page.next)
            }
        }
        open(cacheKey, count, WindowPages(place: place, before: pageBefore.map(source), after: pageAfter.map(source)))
    }

    /// The row nearest to one, in the same part of the list, for which the server has given out a cursor, if it is
    /// shown; `nil` if none is known.
    func cursor(beside row: Element, isLater: Bool) async -> (row: Element, cursor: String)? {
        guard let cacheKey, let name = row.modelIdentifier else { return nil }
        let known = await read { $0.cursors(cacheKey) }
        if let cursor = known?.cursor(beside: name, isLater: isLater) { return (row, cursor) }
        guard let known, var index = cached.names.firstIndex(of: name) else { return nil }
        while !gaps.contains(where: { $0.index == (isLater ? index : index + 1) }) {
            index += isLater ? -1 : 1
            guard cached.names.indices.contains(index) else { return nil }
            if let cursor = cached.names[index].flatMap({ known.cursor(beside: $0, isLater: isLater) }) {
                return (cached.rows[index].confirmed, cursor)
            }
        }
        return nil
    }

    /// Notes the cursor at which the server goes on beside a page that was stored.
    ///
    /// - Parameters:
    ///   - row: the row beside which it was asked for.
    ///   - cacheKey: the list, which the window may no longer be open over.
    func keep(
        _ next: String?, of rows: [Element], beside row: Element?, isLater: Bool, in cacheKey: String,
        asOf asked: Place
    ) async {
        guard let followed = dataModelManager.followed, let last = isLater ? rows.last : rows.first,
            let name = last.modelIdentifier
        else { return }
        if next == nil {
            // The list's rows beyond are not there any more.
            let place = place(beside: last, isLater: isLater)
            _ = await store(.page([], place, .joining), cacheKey, followed, asOf: asked)
        }
        // A wipe since then takes the cursors along.
        let place = followed.place()
        guard await isStored(name, in: cacheKey), let known = await read({ $0.cursors(cacheKey) }) else { return }
        var cursors = known
        if let row, let name = row.modelIdentifier, let cursor = known.cursor(beside: name, isLater: isLater) {
            await cursors.set(cursor, beside: name, isLater: isLater, isEdge: isEdge(row, isLater, cacheKey))
        }
        if let next {
            await cursors.set(next, beside: name, isLater: isLater, isEdge: isEdge(last, isLater, cacheKey))
        } else {
            cursors.remove(beside: name, isLater: isLater)
        }
        guard cursors != known, let key = cursors.modelIdentifier else { return }
        followed.save(cursors, forKey: key.rawValue, asOf: place) { _ in }
    }

    /// Whether the cache has no row right beside one.
    private func isEdge(_ row: Element, _ isLater: Bool, _ cacheKey: String) async -> Bool {
        await neighbour(of: row, isLater: isLater, in: cacheKey)?.isBehindGap ?? true
    }
}

/// Asks the network for the page beside a row, or at a cursor.
struct PageSource<Element: SimpleModel>: Sendable {
    /// Whether it is asked by the server's cursors, and not by rows.
    var hasCursors = false
    /// Returns the rows, and the cursor at which the server goes on.
    let fetch: @Sendable (_ row: Element?, _ cursor: String?) async throws -> (rows: [Element], next: String?)
}

extension FollowedView {
    fileprivate func cursors(_ list: String) -> PageCursors {
        let none = PageCursors(list: list)
        return none.modelIdentifier.flatMap { model($0, as: PageCursors.self)?.value as? PageCursors } ?? none
    }
}

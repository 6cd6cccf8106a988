import Grove
import GroveCache
import GroveCoding
import GroveModel
import GroveSQLite
import Synchronization
import TestSupport
import Testing

/// A server whose pages end with cursors that only it understands.
private final class CursorServer: Sendable {
    private let list: Mutex<[String]>
    private let asked = Mutex<[String]>([])

    init(_ ids: some Sequence<String>) { list = Mutex(Array(ids)) }

    func edit(_ body: (inout [String]) -> Void) { list.withLock { body(&$0) } }

    /// The cursors of the requests since this was last read.
    var requests: [String] {
        asked.withLock { asked in
            defer { asked = [] }
            return asked
        }
    }

    func page(_ isLater: Bool, _ cursor: String?) -> WindowDataProvider<Person>.Page {
        asked.withLock { $0.append("\(isLater ? "after" : "before") \(cursor ?? "-")") }
        let list = list.withLock { isLater ? $0 : $0.reversed() }
        // "~7" is right behind row 7.
        let start = cursor.flatMap { list.firstIndex(of: String($0.dropFirst())) }.map { $0 + 1 } ?? 0
        let rows = list[start...].prefix(10)
        let next = rows.endIndex == list.endIndex ? nil : rows.last.map { "~\($0)" }
        return .init((isLater ? Array(rows) : rows.reversed()).map { Person(id: $0) }, next: next)
    }
}

/// A server that gives out cursors.
@MainActor
@Suite("A window over a server with cursors", .serialized)
struct WindowCursorTests {
    typealias Window = WindowDataProvider<Person>

    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// Runs `body` as if the application had been started again.
    private func start(_ body: (SQLiteCache, DataModelManager) async throws -> Void) async throws {
        let cache = try SQLiteCache(directory: directory.path)
        let manager = DataModelManager(cacheDelegate: cache)
        try await body(cache, manager)
        await manager.flush()
        cache.close()
    }

    private func open(
        _ server: CursorServer, _ manager: DataModelManager, at place: WindowPlace
    ) async -> Window {
        let window = Window(dataModelManager: manager)
        let isLast = place == .last
        let (before, after): (Window.PageFetch, Window.PageFetch) = (
            { server.page(false, $0) }, { server.page(true, $0) }
        )
        window.open("people", at: place, count: 100, pageBefore: isLast ? before : nil, pageAfter: isLast ? nil : after)
        await manager.flush()
        return window
    }

    private func ids(_ numbers: some Sequence<Int>) -> [String] { numbers.map(String.init) }

    @Test(
        "Page after page is asked for by the cursor of the last, also after a relaunch, up to the end",
        arguments: [true, false])
    func goesOn(isFirst: Bool) async throws {
        func turned(_ ids: [String]) -> [String] { isFirst ? ids : ids.reversed() }
        func side(_ text: String) -> String { "\(isFirst ? "after" : "before") \(text)" }
        let server = CursorServer(turned(ids(0..<25)))
        func more(_ window: Window) async throws {
            if isFirst { try await window.showLater() } else { try await window.showEarlier() }
        }
        func hasMore(_ window: Window) -> Bool { isFirst ? window.hasLater : window.hasEarlier }
        try await start { _, manager in
            let window = await open(server, manager, at: isFirst ? .first : .last)
            try await window.refresh()
            try await more(window)
            #expect(window.ids == turned(ids(0..<20)) && hasMore(window))
            #expect(server.requests == [side("-"), side("~9")])
        }
        for _ in 0..<2 {
            try await start { _, manager in
                let window = await open(server, manager, at: isFirst ? .first : .last)
                try await more(window)
                #expect(window.ids == turned(ids(0..<25)) && !hasMore(window))
                try await more(window)
            }
        }
        // Whether the list still ends there is asked for once by each window.
        #expect(server.requests == [side("~19"), side("~19")])
    }

    @Test("A gap is filled from the cursor beside it after a relaunch, until it is closed")
    func fillsGap() async throws {
        let server = CursorServer(ids(30..<60))
        try await start { _, manager in
            let window = await open(server, manager, at: .first)
            try await window.refresh()
            server.edit { $0 = ids(0..<60) }
            try await window.refresh(keepingOlder: true)
            #expect(window.ids == ids(0..<10) + ids(30..<40) && window.gaps.map(\.index) == [10])
            _ = server.requests
        }
        try await start { cache, manager in
            let window = await open(server, manager, at: .first)
            try await window.fill(try #require(window.gaps.first), all: true)
            #expect(window.gaps.isEmpty && window.ids == ids(0..<40))
            #expect(server.requests == ["after ~9", "after ~19", "after ~29"])
            // The cursor of the old part's end is still there.
            try await window.showLater()
            #expect(window.ids == ids(0..<50) && server.requests == ["after ~39"])
            #expect(try cache.collection("people", of: Person.self)?.map(\.id) == ids(0..<50))
        }
    }

    @Test("If the cache has forgotten a cursor, the end of the list is asked for, and nothing comes to a wrong place")
    func forgotten() async throws {
        let server = CursorServer(ids(0..<40))
        try await start { cache, manager in
            let window = await open(server, manager, at: .first)
            try await window.refresh()
            try await window.showLater()
            #expect(try cache.identifiers(of: PageCursors.self).count == 1)
            try await cache.delete("GrovePageCursors:people")
            server.edit { $0.insert("new", at: 0) }
            _ = server.requests
            try await window.showLater()
            #expect(window.ids == ["new"] + ids(0..<20) && server.requests == ["after -"])
        }
    }

    @Test("If the last row of a page is gone, the page of the nearest row before it is asked for")
    func nearest() async throws {
        let server = CursorServer(ids(0..<40))
        try await start { cache, manager in
            let window = await open(server, manager, at: .first)
            try await window.refresh()
            try await window.showLater()
            server.edit { $0.remove(at: 19) }
            try await cache.remove("Person:19", fromCollection: "people")
            await manager.flush()
            _ = server.requests
            try await window.showLater()
            try await window.showLater()
            #expect(server.requests == ["after ~9", "after ~20"])
            #expect(window.ids == ids(0..<31).filter { $0 != "19" })
        }
    }

    @Test("Rows beyond a page that ends the list go")
    func ends() async throws {
        let server = CursorServer(ids(0..<20))
        try await start { cache, manager in
            let window = await open(server, manager, at: .first)
            try await window.refresh()
            try await window.showLater()
            server.edit { $0 = ids(0..<5) }
            try await window.refresh(keepingOlder: true)
            #expect(window.ids == ids(0..<5) && !window.hasLater && window.gaps.isEmpty)
            #expect(try cache.collection("people", of: Person.self)?.map(\.id) == ids(0..<5))
            server.edit { $0 = ids(100..<106) + ids(0..<5) + ids(5..<9) }
            try await window.refresh()
            #expect(window.hasLater)
            try await window.showLater()
            #expect(window.ids == ids(100..<106) + ids(0..<9) && !window.hasLater)
        }
    }

    @Test("A page that comes when the window is open over another list says nothing of that")
    func otherList() async throws {
        let server = Server<[Person]>()
        try await start { cache, manager in
            try await cache.writeCollection(ids(0..<9).map { Person(id: $0) }, as: "others")
            let window = Window(dataModelManager: manager)
            window.open("people", at: .first, pageBefore: nil) { _ in .init(try await server.ask(), next: nil) }
            let task = Task { try await window.refresh() }
            await server.receives(1)
            window.open("others", at: .first, pageBefore: nil) { _ in .init([], next: "~") }
            await server.answer(0, [Person(id: "3")])
            try await task.value
            await manager.flush()
            #expect(window.ids == ids(0..<9) && window.hasLater)
            #expect(try cache.collection("others", of: Person.self)?.count == 9)
            #expect(try cache.collection("people", of: Person.self)?.map(\.id) == ["3"])
        }
    }

    @Test("A page that comes after everything was wiped leaves no cursor")
    func wiped() async throws {
        let server = Server<[Person]>()
        try await start { cache, manager in
            let window = Window(dataModelManager: manager)
            window.open("people", at: .first, pageBefore: nil) { _ in .init(try await server.ask(), next: "secret") }
            let task = Task { try await window.refresh() }
            await server.receives(1)
            try await manager.wipe()
            await server.answer(0, [Person(id: "1")])
            try? await task.value
            await manager.flush()
            try await cache.flush()
            #expect(try cache.identifiers(of: PageCursors.self).isEmpty)
        }
    }

    @Test("What is shown is asked for from the end of the list, if it is old")
    func shown() async throws {
        let server = CursorServer(ids(0..<30))
        try await start { _, manager in
            let window = await open(server, manager, at: .first)
            try await window.refresh()
            try await window.showLater()
            _ = server.requests
            try await window.refreshShown(maxAge: 1_000)
            #expect(server.requests == [])
            server.edit { $0.remove(at: 3) }
            try await window.refreshShown()
            #expect(server.requests == ["after -"] && window.ids == ids(0..<20).filter { $0 != "3" })
        }
    }
}

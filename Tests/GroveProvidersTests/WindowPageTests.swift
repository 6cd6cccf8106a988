import Grove
import GroveCache
import GroveMemory
import Synchronization
import TestSupport
import Testing

/// A server's list, of which windows ask for pages.
final class PageServer: Sendable {
    private let list: Mutex<[String]>
    private let asked = Mutex<[String]>([])
    private let size: Int

    init(_ ids: some Sequence<String>, size: Int = 10) {
        list = Mutex(Array(ids))
        self.size = size
    }

    var ids: [String] { list.withLock(\.self) }
    /// What was asked for since this was last read.
    var requests: [String] {
        asked.withLock { asked in
            defer { asked = [] }
            return asked
        }
    }

    func edit(_ body: (inout [String]) -> Void) { list.withLock { body(&$0) } }

    /// The rows before or after one that it has; for `nil`, those at the end.
    func page(_ isLater: Bool, _ row: Person?) -> [Person] {
        asked.withLock { $0.append("\(isLater ? "after" : "before") \(row?.id ?? "-")") }
        let page = list.withLock { list -> ArraySlice<String> in
            let index = row.flatMap { list.firstIndex(of: $0.id) }
            if isLater {
                return index.map { list[($0 + 1)...].prefix(size) } ?? (row == nil ? list.prefix(size) : [])
            }
            return index.map { list[..<$0].suffix(size) } ?? (row == nil ? list.suffix(size) : [])
        }
        return page.map { Person(id: $0) }
    }
}

/// Pages of the network, at the ends of what the cache has.
@MainActor
@Suite("A window asks the network at the ends", .serialized)
struct WindowPageTests {
    typealias Window = WindowDataProvider<Person>

    private let cache: MemoryCache
    private let manager: DataModelManager

    init() throws {
        cache = try MemoryCache()
        manager = DataModelManager(cacheDelegate: cache)
    }

    private func settle() async throws {
        for _ in 0..<3 {
            try await cache.flush()
            await manager.flush()
        }
    }

    private func open(_ server: PageServer, at place: WindowPlace, count: Int = 10) -> Window {
        let window = Window(dataModelManager: manager)
        window.open(
            "people", at: place, count: count, before: { server.page(false, $0) }, after: { server.page(true, $0) })
        return window
    }

    private var stored: [String] { (try? cache.collection("people", of: Person.self)?.map(\.id)) ?? [] }

    private func ids(_ numbers: Range<Int>) -> [String] { numbers.map(String.init) }
    private func people(_ numbers: Range<Int>) -> [Person] { numbers.map { Person(id: "\($0)") } }

    @Test("A list that the cache does not have is loaded from its end, and page by page")
    func loads() async throws {
        let server = PageServer(ids(0..<35))
        let window = open(server, at: .last)
        await manager.flush()
        #expect(window.hasEarlier && window.hasLater && server.requests.isEmpty)
        try await window.refresh()
        #expect(window.ids == ids(25..<35) && window.says == "fresh")
        try await window.showEarlier()
        #expect(window.ids == ids(15..<35) && server.requests == ["before -", "before 25"])
        try await window.showEarlier()
        try await window.showEarlier()
        #expect(window.ids == ids(0..<35) && window.hasEarlier)
        try await window.showEarlier()
        #expect(!window.hasEarlier)
        try await window.showEarlier()
        #expect(server.requests == ["before 15", "before 5", "before 0"])
        #expect(stored == ids(0..<35))
    }

    @Test("What the cache has comes first, and is not asked for")
    func cacheFirst() async throws {
        try await cache.writeCollection(people(0..<30), as: "people")
        let server = PageServer(ids(0..<50))
        let window = open(server, at: .first)
        await manager.flush()
        try await window.showLater(10)
        try await window.showLater(10)
        #expect(server.requests.isEmpty && window.ids == ids(0..<30))
        #expect(window.hasLater)
        try await window.showLater(10)
        #expect(window.ids == ids(0..<40) && server.requests == ["after 29"])
    }

    @Test("A window that was opened a moment ago shows what the cache has before it asks for more")
    func cacheFirstAtOnce() async throws {
        try await cache.writeCollection(people(0..<30), as: "people")
        let server = PageServer(ids(100..<150))
        let window = open(server, at: .last)
        try await window.showEarlier(10)
        #expect(server.requests.isEmpty && window.ids == ids(10..<30))
        window.open(
            "people", at: .first, count: 10, before: { server.page(false, $0) }, after: { server.page(true, $0) })
        try await window.showLater(10)
        #expect(server.requests.isEmpty && window.ids == ids(0..<20))
        #expect(stored == ids(0..<30))
    }

    @Test("Two windows that ask for one page share the request")
    func sharedRequest() async throws {
        try await cache.writeCollection(people(0..<5), as: "people")
        let server = Server<[Person]>()
        let windows = (0..<2).map { _ in Window(dataModelManager: manager) }
        for window in windows { window.open("people", at: .last, after: { _ in try await server.ask() }) }
        await manager.flush()
        let tasks = windows.map { window in Task { try await window.showLater() } }
        await server.receives(1)
        for _ in 0..<20 { await Task.yield() }
        #expect(windows.allSatisfy { $0.says == "loading" })
        await server.answer(0, people(5..<7))
        for task in tasks { try await task.value }
        #expect(server.sent == 1 && windows.allSatisfy { $0.ids == ids(0..<7) } && stored == ids(0..<7))
    }

    @Test("A page that overlaps joins what is known: rows are there once, and move to where the page has them")
    func overlaps() async throws {
        try await cache.writeCollection(people(0..<20), as: "people")
        let server = PageServer(["17", "18", "19", "3", "20", "21", "0", "22"])
        let window = open(server, at: .last, count: 5)
        await manager.flush()
        try await window.showLater()
        try await settle()
        #expect(stored == ["1", "2"] + ids(4..<20) + ["3", "20", "21", "0", "22"])
        #expect(window.ids.suffix(6) == ["19", "3", "20", "21", "0", "22"])
        // The same page once more changes nothing.
        let before = stored
        let other = open(PageServer(before, size: 8), at: .last)
        await manager.flush()
        try await other.refresh()
        #expect(stored == before && other.ids.count == 10)
    }

    @Test("A row that was put in, moved or removed since a page was asked for stays as it is")
    func sinceAsked() async throws {
        try await cache.writeCollection(people(0..<10), as: "people")
        let server = Server<[Person]>()
        let window = Window(dataModelManager: manager)
        window.open("people", at: .last, after: { _ in try await server.ask() })
        await manager.flush()
        let task = Task { try await window.showLater() }
        await server.receives(1)
        try await cache.append([Person(id: "mine")], toCollection: "people")
        try await cache.move("Person:1", to: .first, inCollection: "people")
        try await cache.remove("Person:2", fromCollection: "people")
        try await cache.delete("Person:11")
        await server.answer(0, ["1", "2", "10", "mine", "11"].map { Person(id: $0) })
        try await task.value
        try await settle()
        #expect(stored == ["1", "0", "3", "4", "5", "6", "7", "8", "9", "10", "mine"])
        #expect(window.ids == stored)
    }

    @Test("A page behind a row that is gone comes where that row was")
    func rowIsGone() async throws {
        try await cache.writeCollection(people(0..<5), as: "people")
        let server = Server<[Person]>()
        let window = Window(dataModelManager: manager)
        window.open("people", at: .last, after: { _ in try await server.ask() })
        await manager.flush()
        let task = Task { try await window.showLater() }
        await server.receives(1)
        try await cache.append([Person(id: "mine")], toCollection: "people")
        try await cache.remove("Person:4", fromCollection: "people")
        await server.answer(0, people(5..<7))
        try await task.value
        #expect(stored == ["0", "1", "2", "3", "5", "6", "mine"])
    }

    @Test("A whole list that was set since a page was asked for wins over it")
    func wholeListSince() async throws {
        try await cache.writeCollection(people(0..<5), as: "people")
        let server = Server<[Person]>()
        let window = Window(dataModelManager: manager)
        window.open("people", at: .last, after: { _ in try await server.ask() })
        await manager.flush()
        let task = Task { try await window.showLater() }
        await server.receives(1)
        try await cache.writeCollection(people(50..<53), as: "people")
        await server.answer(0, people(5..<7))
        try await task.value
        #expect(stored == ids(50..<53) && window.ids == ids(50..<53))
    }

    @Test(
        "A refresh keeps what it reaches, drops what the server has no more, and all that it does not reach",
        arguments: [false, true])
    func refreshes(isLast: Bool) async throws {
        func turned(_ ids: [String]) -> [String] { isLast ? ids.reversed() : ids }
        func refreshed(_ known: [String], _ server: [String]) async throws -> [String] {
            try await cache.writeCollection(turned(known).map { Person(id: $0) }, as: "people")
            let window = open(PageServer(turned(server), size: 4), at: isLast ? .last : .first)
            await manager.flush()
            try await window.refresh()
            #expect(window.ids == stored)
            return turned(stored)
        }
        // Two new rows, and one that is gone.
        let reached = try await refreshed(["a", "b", "c", "d", "e"], ["x", "y", "a", "c", "d", "e"])
        #expect(reached == ["x", "y", "a", "c", "d", "e"])
        #expect(try await refreshed(["a", "b"], ["a", "b"]) == ["a", "b"])
        #expect(try await refreshed(["a", "b", "c"], ["x", "y", "z", "w", "a"]) == ["x", "y", "z", "w"])
        #expect(try await refreshed(["a", "b"], []) == [])
    }

    @Test("What fails, is refused or is cancelled is said, and leaves the rows as they are")
    func failures() async throws {
        struct Offline: Error {}
        try await cache.writeCollection(people(0..<5), as: "people")
        let window = Window(dataModelManager: manager)
        window.open("people", at: .last, after: { _ in throw Offline() })
        await manager.flush()
        await #expect(throws: Offline.self) { try await window.showLater() }
        guard case .failed(let error) = window.state, error is Offline else {
            Issue.record("\(window.state)")
            return
        }
        #expect(window.ids == ids(0..<5) && window.hasLater)
        let server = Server<[Person]>()
        window.open("people", at: .last, after: { _ in try await server.ask() })
        await manager.flush()
        let task = Task { try await window.showLater() }
        await server.receives(1)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(window.says == "cached")
        let second = Task { try await window.showLater() }
        await server.receives(2)
        try await cache.wipe()
        await #expect(throws: CacheError.self) { try await second.value }
        try await settle()
        #expect(window.rows.isEmpty && window.says == "idle")
    }
}

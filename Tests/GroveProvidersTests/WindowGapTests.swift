import Grove
import GroveCache
import GroveMemory
import TestSupport
import Testing

/// Lists of which a window knows parts.
@MainActor
@Suite("A window over a list with gaps", .serialized)
struct WindowGapTests {
    typealias Window = WindowDataProvider<Person>

    private let clock = FetchOrderTests.Clock()
    private let cache: MemoryCache
    private let manager: DataModelManager

    init() throws {
        cache = try MemoryCache(directory: nil, options: MemoryOptions(), now: { [clock] in clock.now })
        manager = DataModelManager(cacheDelegate: cache, now: { [clock] in clock.now })
    }

    private func open(_ server: PageServer, at place: WindowPlace, count: Int = 50) async -> Window {
        let window = Window(dataModelManager: manager)
        window.open(
            "people", at: place, count: count, before: { server.page(false, $0) }, after: { server.page(true, $0) })
        await manager.flush()
        return window
    }

    private func ids(_ numbers: Range<Int>) -> [String] { numbers.map(String.init) }
    private func people(_ numbers: Range<Int>) -> [Person] { numbers.map { Person(id: "\($0)") } }

    /// The stored list, "|" for a gap.
    private var stored: [String] { get throws { try cache.words } }

    @Test("A refresh keeps what it does not reach behind a gap, which is filled from the opened end, page by page")
    func fills() async throws {
        try await cache.writeCollection(people(0..<10), as: "people")
        let server = PageServer(ids(0..<50))
        let window = await open(server, at: .last)
        try await window.refresh(keepingOlder: true)
        #expect(window.ids == ids(0..<10) + ids(40..<50))
        #expect(window.gaps.map(\.index) == [10] && window.gaps.first?.count == nil)
        #expect(try stored == ids(0..<10) + ["|"] + ids(40..<50))
        try await window.fill(try #require(window.gaps.first))
        #expect(window.ids == ids(0..<10) + ids(30..<50) && window.gaps.map(\.index) == [10])
        // After a relaunch the gap is there, and another window fills it from its own end.
        let first = await open(server, at: .first)
        try await first.fill(try #require(first.gaps.first))
        #expect(try stored == ids(0..<20) + ["|"] + ids(30..<50))
        #expect(server.requests == ["before -", "before 40", "after 9"])
        try await window.fill(try #require(window.gaps.first))
        #expect(server.requests == ["before 30"])
        // The page ends at the other side without a row of it.
        #expect(window.gaps.map(\.index) == [20])
        try await window.fill(try #require(window.gaps.first))
        #expect(window.gaps.isEmpty && window.ids == ids(0..<50))
        #expect(try stored == ids(0..<50))
    }

    @Test("A server that answers with the row it was asked beside is not asked without an end")
    func sameAgain() async throws {
        try await cache.writeCollection(people(0..<10), as: "people")
        let asked = Count()
        let window = Window(dataModelManager: manager)
        let last = people(40..<50)
        window.open(
            "people", at: .last,
            before: { row in
                asked.add()
                return row.map { [$0] } ?? last
            })
        try await window.refresh(keepingOlder: true)
        try await window.fill(try #require(window.gaps.first), all: true)
        #expect(asked.value == 2 && window.gaps.count == 1)
    }

    @Test("A gap is filled at once by choice, and a page that overlaps the other side closes it")
    func fillsAll() async throws {
        try await cache.writeCollection(people(0..<10), as: "people")
        let server = PageServer(ids(0..<55))
        let window = await open(server, at: .last)
        try await window.refresh(keepingOlder: true)
        let gap = try #require(window.gaps.first)
        try await window.fill(gap, all: true)
        #expect(window.gaps.isEmpty)
        #expect(try stored == ids(0..<55))
        #expect(server.requests == ["before -", "before 45", "before 35", "before 25", "before 15"])
        // A gap that is not there any more asks for nothing.
        try await window.fill(gap)
        #expect(server.requests == [])
    }

    @Test("A list with a gap is a miss for who shows the whole list, until the gap is closed")
    func wholeList() async throws {
        try await cache.writeCollection(people(0..<10), as: "people")
        let list = CollectionDataProvider<Person>(dataModelManager: manager)
        _ = try await list.fetchDataFromCache(withCacheKey: "people")
        let server = PageServer(ids(0..<25))
        let window = await open(server, at: .last)
        try await window.refresh(keepingOlder: true)
        try await settle()
        guard case .missing(let miss) = list.state else {
            Issue.record("\(list.state)")
            return
        }
        #expect(miss.reason == .gap && miss.identifier == "people")
        try await window.fill(try #require(window.gaps.first), all: true)
        try await settle()
        #expect(list.data.map(\.id) == ids(0..<25))
        if case .missing = list.state { Issue.record("\(list.state)") }
    }

    private func settle() async throws {
        for _ in 0..<3 {
            try await cache.flush()
            await manager.flush()
        }
    }

    @Test("A jump to a row that the cache does not have asks around it, and stores a part with gaps on both sides")
    func jumps() async throws {
        let server = PageServer(ids(0..<100))
        let asked = Count()
        @Sendable func around(_ id: ModelIdentifier) -> [Person] {
            asked.add()
            let number = Int(id.rawValue.dropFirst("Person:".count)) ?? 0
            return server.ids.filter { abs((Int($0) ?? 0) * 2 + 1 - number * 2) < 6 }.map { Person(id: $0) }
        }
        let window = await open(server, at: .last)
        func jump(_ number: Int) async throws {
            try await window.jump(
                around: "Person:\(number)", count: 6, isBefore: { Int($0.id) ?? 0 < Int($1.id) ?? 0 },
                asking: { around($0) })
        }
        // A list that the cache does not have begins with it.
        try await jump(50)
        #expect(try stored == ids(47..<53))
        #expect(window.ids == ids(47..<53) && window.says == "cached")
        try await jump(10)
        #expect(try stored == ids(7..<13) + ["|"] + ids(47..<53))
        try await jump(90)
        try await jump(30)
        #expect(try stored == ids(7..<13) + ["|"] + ids(27..<33) + ["|"] + ids(47..<53) + ["|"] + ids(87..<93))
        #expect(window.ids == ids(27..<33) && window.hasEarlier && window.hasLater)
        try await window.showLater(2)
        #expect(window.ids == ids(27..<33) + ids(47..<49) && window.gaps.map(\.index) == [6])
        // One that touches what is known joins it.
        try await jump(33)
        #expect(try stored == ids(7..<13) + ["|"] + ids(27..<36) + ["|"] + ids(47..<53) + ["|"] + ids(87..<93))
        // What the cache has is not asked for.
        #expect(asked.value == 5)
        try await jump(8)
        #expect(asked.value == 5 && window.ids.contains("8"))
        // What the network does not have is missing.
        try await jump(200)
        #expect(window.says.hasPrefix("missing") && asked.value == 6)
    }

    @Test("A refresh of what is shown asks for these pages only, and for those with a row that is too old")
    func refreshesShown() async throws {
        try await cache.writeCollection(people(0..<100), as: "people")
        let server = PageServer(ids(0..<100))
        let window = await open(server, at: .position(50), count: 20)
        #expect(window.ids == ids(40..<60))
        server.edit { list in
            list.removeAll { $0 == "45" }
            list.insert("new", at: 50)
        }
        try await window.refreshShown()
        try await settle()
        #expect(server.requests == ["after 39", "after 50"])
        #expect(window.ids.contains("new") && !window.ids.contains("45"))
        var wanted = ids(0..<100)
        wanted.remove(at: 45)
        wanted.insert("new", at: 50)
        #expect(try stored == wanted)
        // The row that is shown in the place of the one that went was never read from the network.
        try await window.refreshShown(maxAge: 1_000)
        #expect(server.requests == ["after 38"])
        try await window.refreshShown(maxAge: 1_000)
        #expect(server.requests == [])
        clock.advance(100)
        let other = await open(server, at: .around("Person:39"), count: 4)
        try await other.refreshShown()
        #expect(server.requests == ["after 36"])
        // The other page was read now.
        // No row that is shown has moved.
        #expect(window.ids == ids(39..<45) + ids(46..<51) + ["new"] + ids(51..<59))
        try await window.refreshShown(maxAge: 50)
        #expect(server.requests == ["after 47", "after 56"])
        let first = await open(server, at: .first, count: 10)
        try await first.refreshShown()
        #expect(server.requests == ["after -"])
    }
}

extension Cache {
    /// The list "people", with "|" for a gap.
    var words: [String] {
        get throws {
            guard let read = try read({ try $0.readCollection("people", of: Person.self, missing: .skip).value }) else {
                return []
            }
            var words = read.elements.map(\.id)
            for gap in read.gaps.reversed() { words.insert("|", at: gap.lowerBound) }
            return words
        }
    }
}

import Grove
import GroveCache
import GroveMemory
import Observation
import Synchronization
import TestSupport
import Testing

/// Windows over a list that the cache has.
@MainActor
@Suite("A window over a long list", .serialized)
struct WindowTests {
    typealias Window = WindowDataProvider<Person>

    private func people(_ numbers: Range<Int>) -> [Person] { numbers.map { Person(id: "\($0)") } }

    /// A cache with so many people, and a window over them.
    private func window(_ count: Int = 1_000, limit: Int = 200) throws -> (Window, MemoryCache, DataModelManager) {
        let cache = try MemoryCache()
        try cache.writeCollection(people(0..<count), as: "people")
        let manager = DataModelManager(cacheDelegate: cache)
        return (Window(dataModelManager: manager, limit: limit), cache, manager)
    }

    private func expect(
        _ window: Window, _ numbers: some Collection<Int>, _ location: SourceLocation = #_sourceLocation
    ) {
        #expect(window.ids == numbers.map(String.init), sourceLocation: location)
    }

    /// Returns when the window shows what the cache has.
    private func settle(_ cache: MemoryCache, _ manager: DataModelManager) async throws {
        for _ in 0..<3 {
            try await cache.flush()
            await manager.flush()
        }
    }

    // MARK: Opening

    @Test(
        "It is opened at an end, at a position and around an identifier",
        arguments: [
            (.first, 0..<50), (.last, 950..<1_000), (.position(500), 475..<525), (.position(2), 0..<50),
            (.position(5_000), 950..<1_000), (.around("Person:300"), 275..<325), (.around("Person:999"), 950..<1_000),
        ] as [(WindowPlace, Range<Int>)])
    func opens(place: WindowPlace, shown: Range<Int>) async throws {
        let (window, _, manager) = try window()
        #expect(window.says == "idle")
        window.open("people", at: place)
        #expect(window.says == "loading")
        await manager.flush()
        expect(window, shown)
        #expect(window.position == shown.lowerBound && window.knownCount == 1_000)
        #expect(window.hasEarlier == (shown.lowerBound > 0) && window.hasLater == (shown.upperBound < 1_000))
        #expect(window.says == "cached")
    }

    @Test("A list of few rows is shown whole, and an empty one as empty")
    func opensSmall() async throws {
        for count in [0, 1, 3] {
            let (window, cache, manager) = try window(count)
            window.open("people", at: .last)
            await manager.flush()
            expect(window, 0..<count)
            #expect(!window.hasEarlier && !window.hasLater && window.says == "cached")
            try await cache.append(people(count..<count + 1), toCollection: "people")
            try await settle(cache, manager)
            expect(window, 0..<count + 1)
        }
    }

    @Test("Without a limit it shows all that is asked for, from either end")
    func unlimited() async throws {
        for place in [WindowPlace.first, .last, .position(50), .around("Person:70")] {
            let cache = try MemoryCache()
            try await cache.writeCollection(people(0..<1_000), as: "people")
            let manager = DataModelManager(cacheDelegate: cache)
            let window = Window(dataModelManager: manager, limit: .max)
            window.open("people", at: place, count: .max)
            await manager.flush()
            expect(window, 0..<1_000)
            try await cache.append(people(1_000..<1_300), toCollection: "people")
            try await settle(cache, manager)
            try await window.showLater(.max)
            try await window.showEarlier(.max)
            expect(window, 0..<1_300)
        }
    }

    @Test("A list that is not there is missing, and shown at its end once it is there")
    func opensMissing() async throws {
        let cache = try MemoryCache()
        let manager = DataModelManager(cacheDelegate: cache)
        let window = Window(dataModelManager: manager)
        window.open("people", at: .last, count: 10)
        await manager.flush()
        #expect(window.says == "missing people" && window.knownCount == nil)
        try await cache.writeCollection(people(0..<100), as: "people")
        try await settle(cache, manager)
        expect(window, 90..<100)
        // And by a provider of the same manager.
        let other = Window(dataModelManager: manager)
        other.open("others", at: .first, count: 3)
        await manager.flush()
        let list = CollectionDataProvider<Person>(dataModelManager: manager)
        list.setData(people(0..<10), cacheKey: "others")
        try await settle(cache, manager)
        expect(other, 0..<3)
    }

    @Test("An element that the list does not have is missing, and shown once the list has it")
    func opensAroundMissing() async throws {
        let (window, cache, manager) = try window(10)
        window.open("people", at: .around("Person:77"), count: 4)
        await manager.flush()
        #expect(window.says == "missing Person:77" && window.rows.isEmpty)
        try await cache.insert([Person(id: "77")], at: 5, inCollection: "people")
        try await settle(cache, manager)
        expect(window, [3, 4, 77, 5])
    }

    @Test("Over a cache that is only a delegate it says so")
    func unsupported() throws {
        let window = Window(dataModelManager: DataModelManager(cacheDelegate: try HeldCache()))
        window.open("people", at: .first)
        guard case .failed(let error as CacheError) = window.state else {
            Issue.record("\(window.state)")
            return
        }
        #expect(error.code == .unsupported)
    }

    @Test("It is opened at another place, and rows that are shown still are the same rows")
    func jumps() async throws {
        let (window, _, manager) = try window()
        window.open("people", at: .first)
        await manager.flush()
        let row = window.rows[40]
        window.jump(to: .position(60))
        expect(window, 0..<50)
        await manager.flush()
        expect(window, 35..<85)
        #expect(window.rows[5] === row)
        // The last call counts.
        window.open("people", at: .first)
        window.open("people", at: .last, count: 3)
        await manager.flush()
        expect(window, 997..<1_000)
    }

    @Test(
        "Rows that a list has in memory are shown in the turn in which the window is opened",
        arguments: [
            (.first, 0..<50), (.last, 950..<1_000), (.position(500), 475..<525), (.position(2), 0..<50),
            (.position(5_000), 950..<1_000), (.around("Person:300"), 275..<325), (.around("Person:999"), 950..<1_000),
        ] as [(WindowPlace, Range<Int>)])
    func borrowsFromList(place: WindowPlace, shown: Range<Int>) async throws {
        let (window, cache, manager) = try window()
        let list = CollectionDataProvider<Person>(dataModelManager: manager)
        _ = try await list.fetchDataFromCache(withCacheKey: "people")
        window.open("people", at: place)
        expect(window, shown)
        #expect(window.position == shown.lowerBound && window.knownCount == 1_000)
        #expect(window.hasEarlier == (shown.lowerBound > 0) && window.hasLater == (shown.upperBound < 1_000))
        #expect(window.says == "loading")
        let rows = window.rows
        try #require(rows.count == 50)
        await manager.flush()
        expect(window, shown)
        #expect(window.rows.elementsEqual(rows, by: ===) && window.says == "cached")
        // They are listened to.
        try await cache.write(Person(id: "\(shown.lowerBound)", name: "new"))
        manager.updateModel(Person(id: "\(shown.lowerBound + 1)", name: "own"))
        try await settle(cache, manager)
        #expect(rows[0].model.name == "new" && rows[1].model.name == "own")
    }

    @Test("Rows that another window has in memory are shown in that turn, the others later")
    func borrowsFromWindow() async throws {
        let (other, cache, manager) = try window()
        other.open("people", at: .position(500))
        await manager.flush()
        let window = Window(dataModelManager: manager)
        for (place, shown, all) in [
            (.around("Person:500"), 495..<505, 495..<505), (.around("Person:524"), 515..<525, 519..<529),
            (.position(475), 475..<485, 470..<480), (.position(800), 0..<0, 795..<805), (.first, 0..<0, 0..<10),
            (.last, 0..<0, 990..<1_000),
        ] as [(WindowPlace, Range<Int>, Range<Int>)] {
            window.open("none", at: .first)
            #expect(window.rows.isEmpty)
            window.open("people", at: place, count: 10)
            expect(window, shown)
            if !shown.isEmpty { #expect(window.hasEarlier && window.hasLater && window.position == shown.lowerBound) }
            await manager.flush()
            expect(window, all)
        }
        other.open("people", at: .last, count: 10)
        await manager.flush()
        window.open("people", at: .last, count: 4)
        expect(window, 996..<1_000)
        #expect(window.hasEarlier && !window.hasLater)
        // A change that is on its way to the other is shown by both.
        manager.updateModel(Person(id: "999", name: "new"))
        let third = Window(dataModelManager: manager)
        third.open("people", at: .last, count: 4)
        try await settle(cache, manager)
        #expect([window, third].allSatisfy { $0.rows.last?.model.name == "new" })
    }

    // MARK: Scrolling

    @Test("More rows are shown as the user scrolls, and at most so many are in memory")
    func scrolls() async throws {
        let (window, _, manager) = try window(1_000, limit: 120)
        window.open("people", at: .last)
        await manager.flush()
        try await window.showEarlier()
        expect(window, 900..<1_000)
        let row = window.rows[0]
        try await window.showEarlier()
        expect(window, 850..<970)
        #expect(window.hasLater && window.rows[50] === row)
        for _ in 0..<30 { try await window.showEarlier() }
        expect(window, 0..<120)
        #expect(!window.hasEarlier)
        for _ in 0..<30 { try await window.showLater(40) }
        expect(window, 880..<1_000)
        #expect(!window.hasLater && window.position == 880)
    }

    @Test("What it costs follows the window: models of other rows are not read")
    func costs() async throws {
        let reads = Mutex(0)
        let cache = try MemoryCache()
        try await cache.writeCollection((0..<20_000).map { CountedPerson(id: "\($0)") }, as: "people")
        let manager = DataModelManager(cacheDelegate: cache)
        let window = WindowDataProvider<CountedPerson>(dataModelManager: manager)
        CountedPerson.onDecode.withLock { $0 = { reads.withLock { $0 += 1 } } }
        window.open("people", at: .position(10_000))
        await manager.flush()
        #expect(window.rows.count == 50)
        #expect(reads.withLock(\.self) <= 110)
        reads.withLock { $0 = 0 }
        try await cache.insert([CountedPerson(id: "new")], at: 0, inCollection: "people")
        try await settle(cache, manager)
        #expect(window.position == 9_976)
        #expect(reads.withLock(\.self) < 25)
    }

    // MARK: Edits elsewhere

    @Test("What comes and goes above and below leaves the shown rows where they are")
    func above() async throws {
        let (window, cache, manager) = try window()
        window.open("people", at: .position(500))
        await manager.flush()
        let rows = window.rows
        func expectSame(_ position: Int, _ location: SourceLocation = #_sourceLocation) async throws {
            try await settle(cache, manager)
            #expect(window.rows.elementsEqual(rows, by: ===), sourceLocation: location)
            #expect(window.position == position, sourceLocation: location)
        }
        try await cache.insert(people(2_000..<2_300), at: 0, inCollection: "people")
        try await expectSame(775)
        try await cache.remove((0..<300).map { "Person:\($0)" }, fromCollection: "people")
        try await expectSame(475)
        try await cache.append(people(3_000..<3_010), toCollection: "people")
        try await cache.move("Person:999", to: .first, inCollection: "people")
        try await expectSame(476)
        let list = CollectionDataProvider<Person>(dataModelManager: manager)
        _ = try await list.fetchDataFromCache(withCacheKey: "people")
        list.insert([Person(id: "own")], at: 0)
        try await expectSame(477)
        // A whole list, in which the rows are elsewhere.
        try await cache.writeCollection(people(450..<600), as: "people")
        try await expectSame(25)
    }

    @Test("The row that the screen names stays, and without one the row at which rows were asked for")
    func anchors() async throws {
        let (window, cache, manager) = try window()
        window.open("people", at: .position(500), count: 10)
        await manager.flush()
        expect(window, 495..<505)
        try await cache.insert([Person(id: "a")], at: .before("Person:502"), inCollection: "people")
        try await settle(cache, manager)
        #expect(window.ids.first == "495" && window.ids.last == "503")
        window.anchor = window.rows.first { $0.model.id == "502" }
        try await cache.insert([Person(id: "b")], at: .before("Person:500"), inCollection: "people")
        try await settle(cache, manager)
        #expect(window.ids.first == "496" && window.ids.last == "503" && window.rows.count == 10)
    }

    @Test("A row that is moved away does not take the window along")
    func movedAnchor() async throws {
        let (window, cache, manager) = try window()
        window.open("people", at: .around("Person:500"), count: 10)
        await manager.flush()
        try await cache.move("Person:500", to: .first, inCollection: "people")
        try await settle(cache, manager)
        #expect(window.ids == ["495", "496", "497", "498", "499", "501", "502", "503", "504", "505"])
    }

    @Test("If a shown row is removed or deleted, the next one is shown; an element that is back shows again")
    func removals() async throws {
        let (window, cache, manager) = try window()
        window.open("people", at: .position(500), count: 10)
        await manager.flush()
        try await cache.remove("Person:502", fromCollection: "people")
        try await settle(cache, manager)
        expect(window, [495, 496, 497, 498, 499, 500, 501, 503, 504, 505])
        try await cache.delete("Person:503")
        try await settle(cache, manager)
        expect(window, [495, 496, 497, 498, 499, 500, 501, 504, 505, 506])
        manager.deleteModel(Person(id: "501"))
        try await settle(cache, manager)
        expect(window, [495, 496, 497, 498, 499, 500, 504, 505, 506, 507])
        try await cache.restore(Person(id: "503"))
        try await settle(cache, manager)
        expect(window, [495, 496, 497, 498, 499, 500, 503, 504, 505, 506])
    }

    @Test("If the rows behind are gone, rows before them are shown, and the other way round")
    func runsOut() async throws {
        let (window, cache, manager) = try window(40)
        window.open("people", at: .position(20), count: 10)
        await manager.flush()
        window.anchor = window.rows.first
        try await cache.remove((16..<40).map { "Person:\($0)" }, fromCollection: "people")
        try await settle(cache, manager)
        expect(window, 6..<16)
        try await cache.remove((0..<12).map { "Person:\($0)" }, fromCollection: "people")
        try await settle(cache, manager)
        expect(window, 12..<16)
        // Only of the last row something was shown.
        window.open("people", at: .last, count: 1)
        await manager.flush()
        try await cache.delete("Person:15")
        try await settle(cache, manager)
        expect(window, 14..<15)
    }

    @Test("An append is shown by a window at that end, and another says that there is more")
    func appends() async throws {
        let (last, cache, manager) = try window(100)
        let middle = Window(dataModelManager: manager)
        let first = Window(dataModelManager: manager, limit: 20)
        last.open("people", at: .last, count: 10)
        middle.open("people", at: .position(50), count: 10)
        first.open("people", at: .first, count: 20)
        await manager.flush()
        try await cache.append(people(100..<101), toCollection: "people")
        try await cache.insert([Person(id: "-1")], at: 0, inCollection: "people")
        try await settle(cache, manager)
        expect(last, 90..<101)
        expect(middle, 45..<55)
        expect(first, -1..<19)
        #expect(!last.hasLater && middle.hasLater && first.hasLater && !first.hasEarlier)
        // It goes on at its end, however many come.
        for number in 101..<500 { try await cache.append(people(number..<number + 1), toCollection: "people") }
        try await settle(cache, manager)
        #expect(last.rows.count == 200 && last.ids.last == "499" && !last.hasLater)
        // And if more come at once than it can hold.
        try await cache.append(people(1_000..<1_300), toCollection: "people")
        try await cache.append(people(1_300..<1_450), toCollection: "people")
        try await settle(cache, manager)
        expect(last, 1_250..<1_450)
        // After the user has scrolled away from it, not.
        try await last.showEarlier(10)
        #expect(last.hasLater)
        let rows = last.rows
        try await cache.append(people(2_000..<2_001), toCollection: "people")
        try await settle(cache, manager)
        #expect(last.rows.elementsEqual(rows, by: ===))
    }

    @Test("A row is observed by itself, and the rows only as they come and go")
    func observation() async throws {
        let (window, cache, manager) = try window(100)
        window.open("people", at: .first, count: 10)
        await manager.flush()
        let (rows, other) = (Count(), Count())
        let (third, fourth) = (window.rows[3], window.rows[4])
        withObservationTracking {
            _ = window.rows
        } onChange: {
            rows.add()
        }
        withObservationTracking {
            _ = fourth.model
        } onChange: {
            other.add()
        }
        try await cache.write(Person(id: "3", name: "new"))
        try await settle(cache, manager)
        #expect(third.model.name == "new" && rows.value == 0 && other.value == 0)
        manager.updateModel(Person(id: "4", name: "own"))
        try await settle(cache, manager)
        #expect(fourth.model.name == "own" && rows.value == 0 && other.value == 1)
        try await cache.remove("Person:5", fromCollection: "people")
        try await settle(cache, manager)
        #expect(rows.value == 1)
    }

    @Test("Parts that were lost are named as gaps", arguments: FollowedBackend.allCases)
    func gaps(backend: FollowedBackend) async throws {
        try await backend.open { scene, _ in
            try scene.rewrite(people(0..<512))
            try scene.lose(part: 2)
            let window = Window(dataModelManager: scene.manager)
            window.open("people", at: .position(250), count: 20)
            try await scene.settle()
            expect(window, Array(240..<256) + Array(384..<388))
            #expect(window.gaps.map(\.index) == [16] && window.gaps.map(\.count) == [128])
            #expect(window.says == "cached")
        }
    }

    @Test("After a wipe nothing is shown, and what is written again is", arguments: [false, true])
    func wipes(byManager: Bool) async throws {
        let (window, cache, manager) = try window()
        window.open("people", at: .last)
        await manager.flush()
        if byManager { try await manager.wipe() } else { try await cache.wipe() }
        try await settle(cache, manager)
        #expect(window.rows.isEmpty && window.says == "idle" && window.knownCount == nil)
        try await cache.writeCollection(people(0..<10), as: "people")
        try await settle(cache, manager)
        expect(window, 0..<10)
    }

    @Test("A window that is let go of leaves nothing behind")
    func release() async throws {
        let (first, _, manager) = try window()
        first.open("people", at: .last)
        await manager.flush()
        weak var released: Window?
        do {
            let window = Window(dataModelManager: manager)
            window.open("people", at: .first)
            await manager.flush()
            released = window
        }
        #expect(released == nil)
    }
}

extension WindowDataProvider<Person> {
    var ids: [String] { rows.map(\.model.id) }

    var says: String {
        switch state {
        case .idle: "idle"
        case .loading: "loading"
        case .cached: "cached"
        case .fresh: "fresh"
        case .missing(let miss): "missing \(miss.identifier.rawValue)"
        case .failed: "failed"
        case .unsaved: "unsaved"
        }
    }
}

/// A person that counts how often one is read.
struct CountedPerson: Model, Equatable, CacheableModel {
    static let onDecode = Mutex<@Sendable () -> Void>({})
    var id: String

    var modelIdentifier: ModelIdentifier? { "CountedPerson:\(id)" }
    func map(_ transform: (any Model) -> (any Model)?) -> CountedPerson? { self }
    func forEach(_ visit: (any Model) -> Void) {}

    static let fields = FieldTable("id")

    func encodeFields(to node: inout NodeEncoder) throws(CacheError) { try node.encode(id, at: 0) }

    static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> CountedPerson {
        let id = try node.scan(String.self, at: 0)
        onDecode.withLock(\.self)()
        return CountedPerson(id: try node.finish(id))
    }
}

import Grove
import GroveCache
import Synchronization
import TestSupport
import Testing

/// Random scrolls, pages that come late, twice and out of order, and edits by others, beside a model of the list.
@MainActor
@Suite("Random windows", .serialized)
struct WindowProgramTests {
    typealias Window = WindowDataProvider<Person>

    /// A window, and what must be shown of it.
    @MainActor
    private final class Screen {
        let window: Window
        /// Whether nothing but edits by others came since it was opened at that end.
        var isAtFirst = false
        var isAtLast = false
        var isOpenedAtLast = false
        /// A row that stays as long as it is not edited itself.
        var still: String?
        var pending: [(page: WindowModel.Page, number: Int, tries: Int, task: Task<Void, any Error>)] = []

        init(_ window: Window) { self.window = window }
    }

    @MainActor
    private final class Programme {
        let scene: any FollowingScene
        let seed: UInt64
        var random: SeededGenerator
        var model: WindowModel
        /// The list as the server has it.
        var remote: [String]
        let server = Server<[Person]>()
        let screens: [Screen]
        let list: CollectionDataProvider<Person>
        var story: String
        /// What was wrong once goes on to be.
        var isWrong = false

        init(_ seed: UInt64, _ scene: any FollowingScene) {
            (self.seed, self.scene, random, story) = (seed, scene, SeededGenerator(seed: seed), "seed \(seed):")
            let count = [8, 40, 400][Int(seed % 3)]
            remote = (0..<count).map { "r\($0)" }
            let known = seed % 5 == 0 ? 0..<count : count / 4..<count / 2
            model = WindowModel(Array(remote[known]))
            screens = [scene.manager, scene.other, scene.other].map {
                Screen(Window(dataModelManager: $0, limit: 12))
            }
            list = CollectionDataProvider(dataModelManager: scene.manager)
        }

        func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &random) }
        func pick<C: Collection>(_ all: C) -> C.Element? { all.randomElement(using: &random) }

        func run() async throws {
            try scene.rewrite(model.list.map { Person(id: $0) })
            try await scene.settle()
            _ = try await list.fetchDataFromCache(withCacheKey: "people", missing: .skip)
            for screen in screens { open(screen) }
            for step in 0..<60 where !isWrong {
                switch number(0..<12) {
                case 0..<4: try editList(step)
                case 4: editRemote(step)
                case 5..<8: try await scroll()
                case 8:
                    if let screen = pick(screens) { open(screen) }
                case 9..<11: try await answer()
                default: try await name()
                }
                if number(0..<2) == 0 { try await check() }
            }
            while screens.contains(where: { !$0.pending.isEmpty }) { try await answer() }
            try await check()
            guard !isWrong else { return }
            // What is asked for at last is what the server has.
            let screen = screens[0]
            open(screen, at: .first)
            try await scene.settle()
            try await ask(screen, 2)
            try await answer()
            try await check()
            let page = remote.prefix(5).filter { !model.hidden.contains($0) }
            expect(screen.window.ids.prefix(page.count).elementsEqual(page), "\(page) is not shown")
        }

        private func open(_ screen: Screen, at place: WindowPlace? = nil) {
            let somewhere = WindowPlace.around("Person:\(pick(model.list + ["none"]) ?? "none")")
            let place = place ?? pick([.first, .last, .position(number(0..<500)), somewhere]) ?? .first
            story += " open \(place),"
            screen.window.open(
                "people", at: place, count: 6, before: { [server] _ in try await server.ask() },
                after: { [server] _ in try await server.ask() })
            (screen.isAtFirst, screen.isAtLast, screen.still) = (place == .first, place == .last, nil)
            screen.isOpenedAtLast = place == .last
        }

        /// Names the row that stays where it is.
        private func name() async throws {
            try await check()
            guard let screen = pick(screens), let row = pick(screen.window.rows) else { return }
            story += " name \(row.model.id),"
            screen.window.anchor = row
            (screen.isAtFirst, screen.isAtLast, screen.still) = (false, false, row.model.id)
        }

        private func touch(_ ids: [String]) {
            for screen in screens where screen.still.map(ids.contains) == true { screen.still = nil }
        }

        /// Edits the list by the cache's calls, or by a screen.
        private func editList(_ step: Int) throws {
            let id = pick(model.list + ["new\(step)", "new\(step)"]) ?? "new\(step)"
            let other = pick(model.list.filter { $0 != id })
            touch([id])
            let isThere = model.list.contains(id)
            switch number(0..<8) {
            case 0 where isThere:
                story += " remove \(id),"
                try scene.anyCache.remove("Person:\(id)", fromCollection: "people")
                model.edit([id]) { $0.removeAll { $0 == id } }
            case 1 where id.hasPrefix("new") && isThere:
                story += " delete \(id),"
                try scene.delete(id)
                model.delete(id)
            case 2 where isThere:
                story += " rename \(id),"
                guard !model.hidden.contains(id) else { return }
                try scene.put([Person(id: id, name: "\(step)")])
            case 3..<5 where isThere:
                story += " move \(id) behind \(other ?? "-"),"
                let place = other.map { ElementPlace.after("Person:\($0)") } ?? .first
                try scene.anyCache.move("Person:\(id)", to: place, inCollection: "people")
                model.put(id, behind: other)
            case 5 where !isThere:
                story += " screen appends \(id),"
                list.append([Person(id: id)])
                model.put(id, behind: nil, atLast: true)
            case _ where !isThere:
                let atLast = number(0..<2) == 0
                let behind = number(0..<2) == 0 ? other : nil
                story += " put \(id) behind \(behind ?? "-") \(atLast),"
                let place = behind.map { ElementPlace.after("Person:\($0)") } ?? (atLast ? .last : .first)
                try scene.anyCache.upsert([Person(id: id)], at: place, inCollection: "people")
                model.put(id, behind: behind, atLast: atLast)
            default: break
            }
        }

        private func editRemote(_ step: Int) {
            let id = pick(remote.filter { !model.hidden.contains($0) } + ["s\(step)"]) ?? "s\(step)"
            remote.removeAll { $0 == id }
            if number(0..<4) > 0 { remote.insert(id, at: number(0..<remote.count + 1)) }
        }

        private func scroll() async throws {
            guard let screen = pick(screens) else { return }
            try await ask(screen, number(0..<3))
        }

        /// Asks for more before, more after, or the end: what the cache does not have waits for an answer.
        private func ask(_ screen: Screen, _ what: Int) async throws {
            try await check()
            guard screen.pending.isEmpty, !screen.window.rows.isEmpty || what == 2 else { return }
            let (window, shown) = (screen.window, model.shown)
            let seen = window.ids
            let isLater = what == 2 ? !screen.isOpenedAtLast : what == 1
            let row = what == 2 ? nil : isLater ? seen.last : seen.first
            // Windows share a request for the same page.
            let isAsked = screens.contains { other in
                other.pending.contains { $0.page.row == row && $0.page.isLater == isLater }
            }
            guard !isAsked else { return }
            let needsPage = row == nil || row == (isLater ? shown.last : shown.first)
            let isKnown = isLater ? window.hasLater : window.hasEarlier
            // A user who scrolls may leave the named row behind.
            if row != nil { (screen.isAtFirst, screen.isAtLast, screen.still) = (false, false, nil) }
            story += " ask \(what) beside \(row ?? "-"),"
            let sent = server.sent
            let task = Task {
                switch what {
                case 0: try await window.showEarlier(4)
                case 1: try await window.showLater(4)
                default: try await window.refresh()
                }
            }
            guard needsPage, isKnown || row == nil else { return try await task.value }
            await server.receives(sent + 1)
            let ids = remotePage(beside: row, isLater)
            let page = WindowModel.Page(row: row, isLater: isLater, seen: seen, ids: ids, asked: model.ask())
            screen.pending.append((page, sent, 1, task))
        }

        private func remotePage(beside row: String?, _ isLater: Bool) -> [String] {
            let rows: [String] = isLater ? remote : remote.reversed()
            let start = row.flatMap { rows.firstIndex(of: $0).map { $0 + 1 } } ?? (row == nil ? 0 : rows.count)
            let page = Array(rows[start...].prefix(5))
            return isLater ? page : page.reversed()
        }

        /// Answers one of the requests.
        private func answer() async throws {
            guard let number = pick(screens.compactMap(\.pending.first))?.number else { return }
            // Windows that ask again may share a request with others.
            let asking = screens.filter { $0.pending.first?.number == number }
            guard let page = asking[0].pending.first?.page else { return }
            for screen in asking { screen.still = nil }
            story += " answer \(page.ids) beside \(page.row ?? "-"),"
            let before = model.list
            touch(page.ids)
            model.take(page)
            touch(before.filter { !model.list.contains($0) })
            let sent = server.sent
            await server.answer(number, page.ids.map { Person(id: $0) })
            for screen in asking {
                let (page, _, tries, task) = screen.pending.removeFirst()
                // A page at an end that was not put in is asked for again.
                guard page.row == nil, tries < 3, let first = page.ids.first, !model.shown.contains(first) else {
                    try await task.value
                    continue
                }
                let others = screens.compactMap(\.pending.first)
                if let other = others.first(where: { $0.page.row == page.row && $0.page.isLater == page.isLater }) {
                    screen.pending.append((other.page, other.number, tries + 1, task))
                    continue
                }
                await server.receives(sent + 1)
                let ids = remotePage(beside: page.row, page.isLater)
                let next = WindowModel.Page(
                    row: page.row, isLater: page.isLater, seen: page.seen, ids: ids, asked: model.ask())
                screen.pending.append((next, sent, tries + 1, task))
            }
        }

        /// Expects that the cache has the list, and each window a part of it.
        private func check() async throws {
            guard !isWrong else { return }
            try await scene.settle()
            let shown = model.shown
            expect(scene.people().map(\.id) == shown, "\(scene.people().map(\.id)) is not \(shown)")
            for screen in screens {
                let window = screen.window
                // It was opened around an element that the list does not have.
                if window.rows.isEmpty, window.says.hasPrefix("missing") || !screen.pending.isEmpty { continue }
                let ids = window.ids
                expect(ids.count <= 12 && ids.isEmpty == shown.isEmpty, "\(ids) of \(shown)")
                guard let first = ids.first, let start = shown.firstIndex(of: first) else { continue }
                expect(shown[start...].prefix(ids.count).elementsEqual(ids), "\(ids) of \(shown)")
                expect(window.position == model.list.firstIndex(of: first), "position \(window.position ?? -1)")
                expect(window.knownCount == model.list.count, "count \(window.knownCount ?? -1)")
                for row in window.rows {
                    let person = try scene.person(row.model.id)
                    expect(row.model == person, "\(row.model) is not \(person as Any)")
                }
                expect(!screen.isAtLast || ids.last == shown.last, "\(ids) is not the end of \(shown)")
                expect(!screen.isAtFirst || ids.first == shown.first, "\(ids) is not the beginning of \(shown)")
                expect(screen.still.map(ids.contains) ?? true, "\(screen.still ?? "") is not in \(ids)")
            }
        }

        private func expect(_ isRight: Bool, _ text: @autoclosure () -> String) {
            guard !isRight, !isWrong else { return }
            isWrong = true
            Issue.record("\(story) \(text())")
        }
    }

    private func run(_ seeds: some Sequence<UInt64>, on backend: FollowedBackend) async throws {
        for seed in seeds {
            try await backend.open(history: seed % 2 == 0 ? 0 : 100) { scene, _ in
                try await Programme(seed, scene).run()
            }
        }
    }

    @Test("What a window shows is a part of the list, and stays where it is", arguments: FollowedBackend.allCases)
    func programs(backend: FollowedBackend) async throws {
        // In the last ones a page that changes nothing was answered before one that was asked for earlier.
        let seeds: [UInt64] = backend == .memory ? Array(0..<12) + [511, 554, 736] : Array(30..<32)
        try await run(seeds, on: backend)
    }

    @Test("What a window shows is a part of the list, more often")
    func slowPrograms() async throws { try await run(12..<1_012, on: .memory) }
}

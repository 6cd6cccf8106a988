import Grove
import GroveCache
import TestSupport
import Testing

/// Random scrolls, relaunches, evicted models and lost parts, and edits by another handle or process, beside the list
/// as it is.
@MainActor
@Suite("Random windows over relaunches and evictions", .serialized)
struct WindowLifeTests {
    typealias Window = WindowDataProvider<Person>

    /// Who edits the list.
    private enum Writer {
        case scene(any FollowingScene)
        case process(PeerConversation)

        @MainActor
        func append(_ id: String) throws {
            switch self {
            case .scene(let scene): try scene.append([Person(id: id)])
            case .process(let peer): _ = try peer.ask("append", id)
            }
        }

        @MainActor
        func insertFirst(_ id: String) throws {
            switch self {
            case .scene(let scene): try scene.insert([Person(id: id)], at: 0)
            case .process(let peer): _ = try peer.ask("first", id)
            }
        }

        @MainActor
        func rename(_ id: String, _ name: String) throws {
            switch self {
            case .scene(let scene): try scene.put([Person(id: id, name: name)])
            case .process(let peer): _ = try peer.ask("put", id, name)
            }
        }

        /// Returns whether it was stored.
        @MainActor
        func edit(_ form: ListForm, _ id: String, beside other: String) throws -> Bool {
            switch self {
            case .scene(let scene): return try scene.edit(form, id, beside: other, inTransaction: false)
            case .process(let peer): return try peer.ask("form", "\(form)", id, other) == "done"
            }
        }
    }

    @MainActor
    private final class Life {
        let backend: FollowedBackend
        let path: String
        let budget: CacheBudget
        var random: SeededGenerator
        var scene: any FollowingScene
        /// Another handle or process of the store.
        let beside: Writer
        var windows: [Window] = []
        /// The list as it is, whatever of it the cache has.
        var list = (0..<300).map(String.init)
        var story: String
        var isWrong = false

        init(_ seed: UInt64, _ backend: FollowedBackend, _ path: String, _ peer: PeerConversation?) throws {
            (self.backend, self.path, random, story) = (backend, path, SeededGenerator(seed: seed), "seed \(seed):")
            budget = [.unlimited, CacheBudget(nodes: 150), CacheBudget(nodes: 40)][Int(seed % 3)]
            scene = try backend.scene(path, within: budget, history: 100)
            beside = try peer.map { .process($0) } ?? .scene(backend.scene(path, within: budget, history: 100))
        }

        func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &random) }
        func pick<C: Collection>(_ all: C) -> C.Element? { all.randomElement(using: &random) }

        func run() async throws {
            try await store()
            windows = [scene.manager, scene.other].map { Window(dataModelManager: $0, limit: 20) }
            for window in windows { open(window, place()) }
            for step in 0..<40 where !isWrong {
                switch number(0..<12) {
                case 0..<4: try edit(step)
                case 4..<7: try await scroll()
                case 7: if let window = pick(windows) { open(window, place()) }
                case 8: try squeeze(step)
                case 9: try lose()
                case 10: try await relaunch(step)
                default: try await check()
                }
            }
            // What was forgotten is seen once the list is read again.
            if (try? scene.append([Person(id: "last")])) != nil { list.append("last") }
            try await check()
            scene.close()
            if case .scene(let scene) = beside { scene.close() }
        }

        /// Stores the list, in pieces for which there is room.
        private func store() async throws {
            for start in stride(from: 0, to: list.count, by: 16) {
                let part = list[start..<min(start + 16, list.count)].map { Person(id: $0) }
                if start == 0 { try scene.rewrite(part) } else { try scene.append(part) }
            }
            try await scene.settle()
        }

        private func place() -> WindowPlace {
            pick([.first, .last, .position(number(0..<320)), .around("Person:\(pick(list) ?? "")")]) ?? .first
        }

        private func open(_ window: Window, _ place: WindowPlace) {
            story += " open \(place),"
            window.open("people", at: place, count: 8)
        }

        /// Edits the list beside an element that the cache has.
        private func edit(_ step: Int) throws {
            let writer = number(0..<2) == 0 ? beside : .scene(scene)
            let known = scene.people().map(\.id)
            guard let id = pick(known), let other = pick(known), id != other else { return }
            story += " edit \(id) \(other) "
            do { try edit(step, id, other, writer) } catch let error as CacheError where error.code == .outOfRange {
                // The part that it is about was lost.
                story += " refused,"
            }
        }

        private func edit(_ step: Int, _ id: String, _ other: String, _ writer: Writer) throws {
            switch number(0..<6) {
            case 0:
                story += "append,"
                try writer.append("n\(step)")
                list.append("n\(step)")
            case 1:
                story += "first,"
                try writer.insertFirst("n\(step)")
                list.insert("n\(step)", at: 0)
            case 2:
                story += "before,"
                guard try writer.edit(.insert, "n\(step)", beside: other) else { return story += " refused," }
                list.insert("n\(step)", at: list.firstIndex(of: other) ?? 0)
            case 3:
                story += "remove,"
                guard try writer.edit(.remove, id, beside: other) else { return story += " refused," }
                list.removeAll { $0 == id }
            case 4:
                story += "move,"
                guard try writer.edit(.move, id, beside: other) else { return story += " refused," }
                list.removeAll { $0 == id }
                list.insert(id, at: (list.firstIndex(of: other) ?? 0) + 1)
            default:
                // An element that the cache has forgotten comes back with this.
                let any = pick(list) ?? id
                story += "rename \(any),"
                try writer.rename(any, "\(step)")
            }
        }

        private func scroll() async throws {
            guard let window = pick(windows) else { return }
            if number(0..<2) == 0 {
                story += " earlier,"
                try await window.showEarlier(number(1..<12))
            } else {
                story += " later,"
                try await window.showLater(number(1..<12))
            }
            if let row = pick(window.rows), number(0..<3) == 0 { window.anchor = row }
        }

        /// Writes others, for which models of the list go if there is a budget.
        private func squeeze(_ step: Int) throws {
            story += " squeeze,"
            try scene.put((0..<30).map { Person(id: "other \(step) \($0)") })
        }

        private func lose() throws {
            // What the other process cannot do ends it.
            guard case .scene = beside else { return }
            let part = number(0..<2)
            story += " lose \(part),"
            try? scene.lose(part: part)
        }

        /// Closes the cache and opens it, and each window at its former place.
        private func relaunch(_ step: Int) async throws {
            try await check()
            story += " relaunch,"
            let places: [(place: WindowPlace, shown: String?)] = windows.map { window in
                guard let row = pick(window.rows) else { return (.first, nil) }
                guard window.hasEarlier else { return (.first, window.rows.first?.model.id) }
                guard window.hasLater else { return (.last, window.rows.last?.model.id) }
                return (.around("Person:\(row.model.id)"), row.model.id)
            }
            scene.close()
            if number(0..<2) == 0, (try? beside.append("closed\(step)")) != nil { list.append("closed\(step)") }
            scene = try backend.scene(path, within: budget, history: 100)
            let known = scene.people().map(\.id)
            windows = [scene.manager, scene.other].map { Window(dataModelManager: $0, limit: 20) }
            for (window, place) in zip(windows, places) { open(window, place.place) }
            try await check()
            for (window, place) in zip(windows, places) {
                guard let id = place.shown, known.contains(id), case .around = place.place else { continue }
                expect(window.ids.contains(id), "\(id) is not in \(window.ids)")
            }
        }

        /// Expects that each window shows a part of the list, and that it says what is left out of it.
        private func check() async throws {
            guard !isWrong else { return }
            try await scene.settle()
            if try scene.anyCache.knownCount(ofCollection: "people") == nil {
                // All of it was evicted.
                for window in windows { expect(window.rows.isEmpty, "\(window.ids) of nothing") }
                try await store()
            }
            for window in windows { try check(window) }
        }

        private func check(_ window: Window) throws {
            // Of a list without a model, or without an element, nothing is shown.
            if window.rows.isEmpty { return }
            var left: [Int: [String]] = [:]
            var next = window.hasEarlier ? list.firstIndex(of: window.ids[0]) ?? 0 : 0
            for (index, id) in window.ids.enumerated() {
                guard let place = list[next...].firstIndex(of: id) else {
                    return expect(false, "\(window.ids) is no part of \(list)")
                }
                left[index] = Array(list[next..<place])
                next = place + 1
            }
            if !window.hasLater { left[window.rows.count] = Array(list[next...]) }
            for (index, ids) in left where !ids.isEmpty {
                // Models that were evicted are left out; all other elements are in a gap that is named.
                let there = try ids.filter { try scene.person($0) != nil }
                let named = window.gaps.filter { $0.index == index }.compactMap(\.count).reduce(0, +)
                expect(there.count <= named && named <= ids.count, "\(there) of \(ids) at \(index): \(window.gaps)")
            }
            let position = list.firstIndex(of: window.ids[0])
            expect(window.position == position, "position \(window.position ?? -1), not \(position ?? -1)")
            for row in window.rows {
                guard let person = try scene.person(row.model.id) else { continue }
                expect(row.model == person, "\(row.model) is not \(person)")
            }
        }

        private func expect(_ isRight: Bool, _ text: @autoclosure () -> String) {
            guard !isRight, !isWrong else { return }
            isWrong = true
            Issue.record("\(story) \(text())")
        }
    }

    private func run(_ seeds: some Sequence<UInt64>, _ backend: FollowedBackend, withPeer: Bool = false) async throws {
        for seed in seeds {
            let directory = try TemporaryDirectory()
            let path = directory.path + "/cache"
            // The process needs a store that is there.
            try backend.scene(path, history: 100).close()
            let peer = withPeer ? try backend.peer(path, history: 100) : nil
            try await Life(seed, backend, path, peer).run()
            if let peer { #expect(try peer.end()) }
        }
    }

    @Test("After relaunches, evictions and edits by another handle, a window shows a part of the list with its gaps")
    func programs() async throws { try await run(0..<3, .sqlite) }

    @Test("The same beside another process", arguments: FollowedBackend.shared)
    func processes(backend: FollowedBackend) async throws { try await run([3_000], backend, withPeer: true) }

    @Test("After relaunches, evictions and edits by another handle, more often")
    func slowPrograms() async throws { try await run(3..<1_003, .sqlite) }
}

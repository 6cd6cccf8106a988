import Grove
import GroveCache
import GroveMemory
import Synchronization
import TestSupport
import Testing

/// The list of a server that remembers which rows it had when, and whose answers come late and in any order.
private final class LateServer: Sendable {
    private struct State {
        /// When each row came, and when it went.
        var lives: [String: Range<Int>] = [:]
        var time = 0
        /// Removed rows beside which it was asked for a page all the same, and on which side.
        var said: Set<String> = []
        var waiting: [(page: [Person], continuation: CheckedContinuation<[Person], Never>)] = []
    }

    private let state = Mutex(State())

    private static func name(_ rank: Int) -> String { String("\(1_000_000 + rank)".dropFirst()) }

    var ids: [String] { state.withLock { $0.lives.filter { $0.value.upperBound == .max }.keys.sorted() } }
    var waiting: Int { state.withLock(\.waiting.count) }

    func insert(_ rank: Int) {
        state.withLock { state in
            state.time += 1
            let name = LateServer.name(rank)
            // A row that went does not come back.
            if state.lives[name] == nil { state.lives[name] = state.time..<Int.max }
        }
    }

    func remove(_ id: String) {
        state.withLock { state in
            state.time += 1
            state.lives[id] = state.lives[id].map { $0.lowerBound..<state.time }
        }
    }

    /// Answers with what the list is now, later.
    private func answer(
        _ page: (_ ids: [String]) -> [String], noting note: (inout State) -> Void = { _ in }
    ) async -> [Person] {
        await withCheckedContinuation { continuation in
            state.withLock { state in
                let ids = page(state.lives.filter { $0.value.upperBound == .max }.keys.sorted())
                note(&state)
                state.waiting.append((ids.map { Person(id: $0) }, continuation))
            }
        }
    }

    func page(_ isLater: Bool, _ row: Person?) async -> [Person] {
        await answer { ids in
            isLater
                ? Array(ids.filter { row == nil || $0 > row?.id ?? "" }.prefix(5))
                : Array(ids.filter { row == nil || $0 < row?.id ?? "" }.suffix(5))
        } noting: { state in
            // Who asked does not know that the row is gone: the page is beside it from now on.
            if let row, state.lives[row.id]?.upperBound != .max { state.said.insert("\(row.id) \(isLater)") }
        }
    }

    func around(_ id: String) async -> [Person] {
        await answer { ids in ids.filter { $0 < id }.suffix(2) + ids.filter { $0 >= id }.prefix(3) }
    }

    func release(_ index: Int) {
        let one = state.withLock { state in
            index < state.waiting.count ? state.waiting.remove(at: index) : nil
        }
        one?.continuation.resume(returning: one?.page ?? [])
    }

    /// Whether the server had `first` and `second`, one right behind the other, at some time, or has said so.
    func hadBeside(_ first: String, _ second: String) -> Bool {
        state.withLock { state in
            if state.said.contains("\(first) true") || state.said.contains("\(second) false") { return true }
            guard let a = state.lives[first], let b = state.lives[second], first < second else { return false }
            let both = a.clamped(to: b).clamped(to: 0..<state.time + 1)
            var times = Array(both)
            for (name, life) in state.lives where name > first && name < second {
                times.removeAll(where: life.contains)
            }
            return !times.isEmpty
        }
    }
}

/// Random pages that overlap, come late, twice and out of order, into a list with gaps.
@MainActor
@Suite("Random pages and gaps", .serialized)
struct WindowGapProgramTests {
    typealias Window = WindowDataProvider<Person>

    @MainActor
    private final class Programme {
        let server = LateServer()
        let cache: MemoryCache
        let managers: [DataModelManager]
        let windows: [Window]
        let seed: UInt64
        var random: SeededGenerator
        var tasks: [Task<Void, any Error>] = []
        var story: String

        init(_ seed: UInt64) throws {
            (self.seed, random, story) = (seed, SeededGenerator(seed: seed), "seed \(seed):")
            let cache = try MemoryCache()
            self.cache = cache
            managers = (0..<2).map { _ in DataModelManager(cacheDelegate: cache) }
            windows = [managers[0], managers[1], managers[1]].map { Window(dataModelManager: $0, limit: 1_000) }
            // A list of some rows, or of more than fit into a record.
            let count = [12, 40, 200][Int(seed % 3)]
            for _ in 0..<count { server.insert(Int.random(in: 0..<10_000, using: &random)) }
        }

        func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &random) }

        func settle() async throws {
            for _ in 0..<2 {
                try await cache.flush()
                for manager in managers { await manager.flush() }
            }
        }

        func open(_ window: Window, at place: WindowPlace) {
            let server = server
            window.open(
                "people", at: place, count: 20, before: { await server.page(false, $0) },
                after: { await server.page(true, $0) })
        }

        func start(_ what: String, _ body: @escaping @MainActor () async throws -> Void) async throws {
            story += " \(what),"
            let waiting = server.waiting
            tasks.append(Task { try await body() })
            // It has asked, or has nothing to ask.
            for _ in 0..<20 where server.waiting == waiting {
                await Task.yield()
                try await settle()
            }
        }

        func run() async throws {
            for window in windows { open(window, at: number(0..<2) == 0 ? .first : .last) }
            for _ in 0..<50 {
                let window = windows[number(0..<windows.count)]
                switch number(0..<14) {
                case 0: server.insert(number(0..<10_000))
                case 1:
                    if seed % 4 > 0, let id = server.ids.randomElement(using: &random) { server.remove(id) }
                case 2:
                    let somewhere = try cache.words.filter { $0 != "|" }.randomElement(using: &random) ?? "none"
                    open(window, at: [.first, .last, .around("Person:\(somewhere)")][number(0..<3)])
                case 3 where !window.rows.isEmpty && server.waiting == 0:
                    try await start("later") { try await window.showLater() }
                    server.release(0)
                case 4 where !window.rows.isEmpty && server.waiting == 0:
                    try await start("earlier") { try await window.showEarlier() }
                    server.release(0)
                case 5: try await start("refresh") { try await window.refresh(keepingOlder: true) }
                case 6 where server.waiting == 0 && number(0..<4) == 0:
                    try await start("refresh all") { try await window.refresh() }
                    server.release(0)
                case 7: try await start("shown") { try await window.refreshShown() }
                case 8, 9:
                    if let gap = window.gaps.randomElement(using: &random) {
                        try await start("fill \(gap.index)") { try await window.fill(gap) }
                    }
                case 10:
                    let id = server.ids.randomElement(using: &random) ?? "none"
                    try await start("jump \(id)") { [server] in
                        try await window.jump(
                            around: "Person:\(id)", isBefore: { $0.id < $1.id },
                            asking: { _ in await server.around(id) })
                    }
                default:
                    if server.waiting > 0 { server.release(number(0..<server.waiting)) }
                }
                try await settle()
                guard try check() else { return }
            }
            while server.waiting > 0 {
                server.release(number(0..<server.waiting))
                try await settle()
            }
            try await finish()
        }

        /// What is known is parts of what the server had.
        func check() throws -> Bool {
            let words = try cache.words
            for (first, second) in zip(words, words.dropFirst()) where first != "|" && second != "|" {
                guard server.hadBeside(first, second) else {
                    Issue.record("\(story) \(first) and \(second) are beside each other in \(words)")
                    return false
                }
            }
            let rows = words.filter { $0 != "|" }
            // Rows that the server has no more of may be left behind a gap, until that is filled.
            let there = rows.filter(Set(server.ids).contains)
            guard there == there.sorted(), Set(rows).count == rows.count, !"\(words)".contains("|\", \"|") else {
                Issue.record("\(story) \(words)")
                return false
            }
            return true
        }

        /// Once all gaps are filled, and all pages asked for again, the list is the server's.
        func finish() async throws {
            let releasing = Task { [server] in
                while !Task.isCancelled {
                    server.release(0)
                    await Task.yield()
                }
            }
            for task in tasks { try? await task.value }
            let window = windows[0]
            open(window, at: .first)
            try await window.refresh(keepingOlder: true)
            var rounds = 0
            while window.hasLater || !window.gaps.isEmpty, rounds < 300 {
                if let gap = window.gaps.first { try await window.fill(gap, all: true) }
                try await window.showLater()
                rounds += 1
            }
            try await window.refreshShown()
            for gap in window.gaps { try await window.fill(gap, all: true) }
            releasing.cancel()
            try await settle()
            let words = try cache.words
            #expect(words == server.ids && window.ids == server.ids, "\(story) \(words) \(window.ids) \(server.ids)")
        }
    }

    @Test(
        "What is known is always parts of what the server had, and in the end all of it",
        arguments: Array(1...12))
    func programme(seed: UInt64) async throws { try await Programme(seed).run() }

    @Test(
        "What is known is always parts of what the server had, and in the end all of it",
        arguments: Array(13...1_000))
    func slowProgramme(seed: UInt64) async throws { try await Programme(seed).run() }
}

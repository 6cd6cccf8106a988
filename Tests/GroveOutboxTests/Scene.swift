import Grove
import GroveCache
import GroveMemory
import GroveOutbox
import TestSupport

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

struct Post: KeyedModel, Model, Equatable, CacheableModel {
    var id: Int
    var text = ""
    var likes = 0
    var isLiked = false

    static func modelIdentifier(for id: Int) -> ModelIdentifier { ModelIdentifier("Post:\(id)") }
    var modelIdentifier: ModelIdentifier? { Post.modelIdentifier(for: id) }
    func map(_ transform: (any Model) -> (any Model)?) -> Post? { self }
    func forEach(_ visit: (any Model) -> Void) {}

    static let fields = FieldTable("id", "text", "likes", "isLiked")

    func encodeFields(to node: inout NodeEncoder) throws(CacheError) {
        try node.encode(id, at: 0)
        try node.encode(text, at: 1)
        try node.encode(likes, at: 2)
        try node.encode(isLiked, at: 3)
    }

    static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> Post {
        let id = try node.scan(Int.self, at: 0)
        let text = try node.scan(String.self, at: 1)
        let likes = try node.scan(Int.self, at: 2)
        let isLiked = try node.scan(Bool.self, at: 3)
        return Post(
            id: try node.finish(id), text: try node.finish(text), likes: try node.finish(likes),
            isLiked: try node.finish(isLiked))
    }
}

/// A tree that holds a post.
struct Page: KeyedModel, Model, Equatable, CacheableModel {
    var id: Int
    var post: Post

    static func modelIdentifier(for id: Int) -> ModelIdentifier { ModelIdentifier("Page:\(id)") }
    var modelIdentifier: ModelIdentifier? { Page.modelIdentifier(for: id) }
    func map(_ transform: (any Model) -> (any Model)?) -> Page? {
        (transform(post) as? Post).map { Page(id: id, post: $0) }
    }
    func forEach(_ visit: (any Model) -> Void) { visit(post) }

    static let fields = FieldTable("id", "post")

    func encodeFields(to node: inout NodeEncoder) throws(CacheError) {
        try node.encode(id, at: 0)
        try node.encode(post, at: 1)
    }

    static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> Page {
        let id = try node.scan(Int.self, at: 0)
        let post = try node.scan(Post.self, at: 1)
        return Page(id: try node.finish(id), post: try node.finish(post))
    }
}

struct Like: Mutation {
    let post: Int
    func apply(to draft: inout Draft) throws {
        try draft.update(Post.self, id: post) {
            if !$0.isLiked {
                $0.isLiked = true
                $0.likes += 1
            }
        }
    }
    func send(_ api: FakeServer, _ attempt: Attempt) async throws -> Answer {
        try await api.answer("like:\(post)", attempt)
    }
}

/// Writes a post's text; a second one stands on the first.
struct Edit: Mutation {
    var post: ModelIdentifier
    let text: String
    func apply(to draft: inout Draft) throws {
        guard let id = Int(post.rawValue.dropFirst(5)) else { return }
        try draft.update(Post.self, id: id) { $0.text = text }
    }
    func send(_ api: FakeServer, _ attempt: Attempt) async throws -> Answer {
        try await api.answer("edit:\(post):\(text)", attempt)
    }
    func replacing(_ old: ModelIdentifier, _ new: ModelIdentifier) -> Edit {
        Edit(post: post == old ? new : post, text: text)
    }
}

struct Write: Mutation {
    let local: Int
    let text: String
    var inLane = ""
    var lane: String { inLane }
    func apply(to draft: inout Draft) throws {
        try draft.append(Post(id: local, text: text), toCollection: "feed")
    }
    func send(_ api: FakeServer, _ attempt: Attempt) async throws -> Answer {
        try await api.answer("write:\(local)", attempt)
    }
}

struct Remove: Mutation {
    let post: Int
    func apply(to draft: inout Draft) throws { draft.delete(Post.self, id: post) }
    func send(_ api: FakeServer, _ attempt: Attempt) async throws -> Answer {
        try await api.answer("remove:\(post)", attempt)
    }
}

/// Moves a post of the feed, or puts a new one there: to the front, or before another one.
struct Put: Mutation {
    let post: Int
    var isNew = false
    var before: Int?
    func apply(to draft: inout Draft) throws {
        let place = before.map { ElementPlace.before(Post.self, id: $0) } ?? .first
        if isNew { return try draft.insert(Post(id: post), at: place, inCollection: "feed") }
        draft.move(Post.self, id: post, to: place, inCollection: "feed")
    }
    func send(_ api: FakeServer, _ attempt: Attempt) async throws -> Answer {
        try await api.answer("place:\(post)", attempt)
    }
}

/// Takes a post out of the feed.
struct TakeOut: Mutation {
    let post: Int
    func apply(to draft: inout Draft) throws { draft.remove(Post.self, id: post, fromCollection: "feed") }
    func send(_ api: FakeServer, _ attempt: Attempt) async throws -> Answer {
        try await api.answer("out:\(post)", attempt)
    }
}

struct NoNetwork: Error {}

/// What a test waits for did not come.
struct TookTooLong: Error {
    let what: String
}

/// For how long a test waits for what must come, so that it fails if that does not: 20 seconds, and longer if other
/// tests have the main actor.
@MainActor
final class Patience {
    private let end = ContinuousClock.now + .seconds(20)
    private var looks = 0
    private(set) var isOver = false

    /// Looks once more; the time is over after 150 looks at least.
    func look() -> Bool {
        looks += 1
        isOver = looks >= 150 && ContinuousClock.now > end
        return isOver
    }
}

/// Waits until `isSo`.
@MainActor
func wait(until isSo: () throws -> Bool, line: Int = #line) async throws {
    let patience = Patience()
    while try !isSo() {
        guard !patience.look() else { throw TookTooLong(what: "what line \(line) waits for") }
        await Task.yield()
    }
}

/// Waits until everything that may be sent was tried.
@MainActor
func isTried<API>(_ outbox: Outbox<API>, line: Int = #line) async throws {
    var isOver = false
    Task {
        await outbox.flush()
        isOver = true
    }
    try await wait(until: { isOver }, line: line)
}

/// A server that answers when the test says so, and remembers which keys it saw.
@MainActor
final class FakeServer {
    struct Request {
        let name: String
        let attempt: Attempt
        fileprivate let continuation: CheckedContinuation<Answer, any Error>

        func reply(_ answer: Result<Answer, any Error>) { continuation.resume(with: answer) }
    }

    var lastKey: String? { seen.last?.key }

    /// Loses what was asked and not answered yet.
    func dropAll() {
        for request in requests { request.continuation.resume(throwing: CancellationError()) }
        requests = []
    }

    private(set) var requests: [Request] = []
    private(set) var seen: [Attempt] = []
    private var waiting: [CheckedContinuation<Void, Never>] = []

    nonisolated init() {}

    func answer(_ name: String, _ attempt: Attempt) async throws -> Answer {
        seen.append(attempt)
        return try await withCheckedThrowingContinuation { continuation in
            requests.append(Request(name: name, attempt: attempt, continuation: continuation))
            wake()
        }
    }

    /// Waits until a request is there, and takes it.
    func next() async throws -> Request {
        let patience = Patience()
        let alarm = Task {
            while !patience.look() { try await Task.sleep(for: .milliseconds(100)) }
            wake()
        }
        defer { alarm.cancel() }
        while requests.isEmpty {
            guard !patience.isOver else { throw TookTooLong(what: "a request to the server") }
            await withCheckedContinuation { waiting.append($0) }
        }
        return requests.removeFirst()
    }

    private func wake() {
        let waiting = waiting
        self.waiting = []
        for waiter in waiting { waiter.resume() }
    }

    /// The next request, if there is one.
    func taken() -> Request? { requests.isEmpty ? nil : requests.removeFirst() }

    /// Answers the next request.
    @discardableResult
    func reply(_ answer: Answer) async throws -> String {
        let request = try await next()
        request.continuation.resume(returning: answer)
        return request.name
    }

    @discardableResult
    func fail(_ error: any Error) async throws -> String {
        let request = try await next()
        request.continuation.resume(throwing: error)
        return request.name
    }
}

/// A clock that the test moves; other processes have it too if it is in a file.
final class FakeClock: Sendable {
    private struct State {
        var now = 1_000.0
        var sleepers: [(due: Double, continuation: CheckedContinuation<Void, Never>)] = []
    }
    private let state = Lock(State())
    private let path: String?

    init(path: String? = nil) {
        self.path = path
        if let path, FileManager.default.contents(atPath: path) == nil { write(now, path) }
    }

    var now: Double {
        path.flatMap { FileManager.default.contents(atPath: $0) }.flatMap {
            Double(String(decoding: $0, as: UTF8.self))
        }
            ?? state.withLock { $0.now }
    }

    private func write(_ now: Double, _ path: String) {
        try? Data("\(now)".utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
    }

    func sleep(until due: Double) async {
        await withCheckedContinuation { continuation in
            let now = now
            let isDue = state.withLock { state in
                guard due > max(now, state.now) else { return true }
                state.sleepers.append((due, continuation))
                return false
            }
            if isDue { continuation.resume() }
        }
    }

    func advance(_ seconds: Double) {
        if let path { write(now + seconds, path) }
        let now = path == nil ? nil : now
        let due = state.withLock { state in
            state.now = now ?? state.now + seconds
            let due = state.sleepers.filter { $0.due <= state.now }
            state.sleepers.removeAll { $0.due <= state.now }
            return due
        }
        for sleeper in due { sleeper.continuation.resume() }
    }
}

/// A cache, an outbox and a manager.
@MainActor
struct Scene {
    let server = FakeServer()
    let clock: FakeClock
    let cache: MemoryCache
    let outbox: Outbox<FakeServer>
    let manager: DataModelManager
    var told = Told()

    @MainActor
    final class Told {
        var problems: [(String, OutboxProblem)] = []
    }

    init(_ cache: MemoryCache, clock: FakeClock = FakeClock(), keys: String = "k") throws {
        self.cache = cache
        self.clock = clock
        outbox = try Outbox(
            cache, server, for: [Like.self, Edit.self, Write.self, Remove.self, Put.self, TakeOut.self],
            options: Scene.options(clock, keys))
        manager = DataModelManager(cache, outbox: outbox)
        outbox.onProblem = { [told] item, problem in told.problems.append((item.id, problem)) }
    }

    init() throws { try self.init(MemoryCache(directory: nil, options: MemoryOptions())) }

    static func options(_ clock: FakeClock, _ keys: String = "k") -> OutboxOptions {
        var options = OutboxOptions()
        let last = Lock(0)
        options.now = { clock.now }
        options.sleep = { await clock.sleep(until: $0) }
        options.random = { 1 }
        options.makeKey = {
            last.withLock {
                $0 += 1
                return "\(keys)\($0)"
            }
        }
        return options
    }

    func submit(_ mutation: some Mutation<FakeServer>, delay: Double = 0) -> PendingMutation {
        outbox.submit(mutation, delay: delay)
    }

    /// A screen of a post.
    func screen(_ post: Post) -> DataProvider<Post> {
        let provider = DataProvider<Post>(dataModelManager: manager)
        provider.setData(post)
        return provider
    }

    /// A screen of a stored list.
    func feed(_ posts: [Post]) async -> CollectionDataProvider<Post> {
        let provider = CollectionDataProvider<Post>(dataModelManager: manager)
        provider.setData(posts, cacheKey: "feed")
        await manager.flush()
        return provider
    }
}

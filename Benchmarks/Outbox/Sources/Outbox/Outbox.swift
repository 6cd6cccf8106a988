// What it costs to open an outbox with many pending mutations: `swift run -c release Outbox [count] [runs]`.
import Foundation
import Grove
import GroveCache
import GroveCoding
import GroveLMDB
import GroveMemory
import GroveOutbox
import GroveSQLite

struct Post: KeyedModel, Model, Equatable, CacheableModel {
    var id: Int
    var likes = 0
    var isLiked = false

    static func modelIdentifier(for id: Int) -> ModelIdentifier { ModelIdentifier("Post:\(id)") }
    var modelIdentifier: ModelIdentifier? { Post.modelIdentifier(for: id) }
    func map(_ transform: (any Model) -> (any Model)?) -> Post? { self }
    func forEach(_ visit: (any Model) -> Void) {}

    static let fields = FieldTable("id", "likes", "isLiked")

    func encodeFields(to node: inout NodeEncoder) throws(CacheError) {
        try node.encode(id, at: 0)
        try node.encode(likes, at: 1)
        try node.encode(isLiked, at: 2)
    }

    static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> Post {
        let id = try node.scan(Int.self, at: 0)
        let likes = try node.scan(Int.self, at: 1)
        let isLiked = try node.scan(Bool.self, at: 2)
        return Post(id: try node.finish(id), likes: try node.finish(likes), isLiked: try node.finish(isLiked))
    }
}

struct NoNetwork: Error {}

struct Like: Mutation {
    let post: Int
    func apply(to draft: inout Draft) throws {
        try draft.update(Post.self, id: post) {
            guard !$0.isLiked else { return }
            ($0.isLiked, $0.likes) = (true, $0.likes + 1)
        }
    }
    func send(_ api: Int, _ attempt: Attempt) async throws -> Answer { throw NoNetwork() }
}

struct Write: Mutation {
    let local: Int
    let text: String
    func apply(to draft: inout Draft) throws { try draft.append(Post(id: local), toCollection: "feed") }
    func send(_ api: Int, _ attempt: Attempt) async throws -> Answer { throw NoNetwork() }
}

@main
@MainActor
enum Main {
    static let count = CommandLine.arguments.count > 1 ? Int(CommandLine.arguments[1]) ?? 10_000 : 10_000
    static let runs = CommandLine.arguments.count > 2 ? Int(CommandLine.arguments[2]) ?? 9 : 9
    static let engines = CommandLine.arguments.count > 3 ? CommandLine.arguments[3] : "memory lmdb sqlite"

    static func main() async throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        defer { try? FileManager.default.removeItem(atPath: directory) }
        for kind in ["likes", "messages"] where !engines.contains("-" + kind) {
            if engines.contains("memory") {
                let cache = try MemoryCache()
                try await measure("memory", kind) {
                    cache
                } close: { _ in
                }
            }
            if engines.contains("lmdb") {
                try await measure("lmdb", kind) {
                    try LMDBCache(directory: directory + "/lmdb." + kind)
                } close: {
                    $0.close()
                }
            }
            if engines.contains("sqlite") {
                try await measure("sqlite", kind) {
                    try SQLiteCache(directory: directory + "/sqlite." + kind)
                } close: {
                    $0.close()
                }
            }
        }
    }

    /// Milliseconds of processor time that this thread has taken: a busy machine changes it little.
    static func cpu() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
    }

    static func submit(_ kind: String, to outbox: Outbox<Int>) {
        for id in 0..<count {
            if kind == "likes" {
                outbox.submit(Like(post: id))
            } else {
                outbox.submit(Write(local: -id, text: "This is what message \(id) says."))
            }
        }
    }

    static func measure<Store: NodeStore>(
        _ name: String, _ kind: String, _ open: () throws -> NormalizedCache<Store>,
        close: (NormalizedCache<Store>) -> Void
    ) async throws {
        let types: [any Mutation<Int>.Type] = [Like.self, Write.self]
        do {
            let cache = try open()
            let outbox = try Outbox(cache, 0, for: types)
            outbox.suspend()
            submit(kind, to: outbox)
            outbox.close()
            await outbox.flush()
            close(cache)
        }
        var (times, shows) = ([Double](), [Double]())
        for _ in 0..<runs {
            let cache = try open()
            let start = cpu()
            let outbox = try Outbox(cache, 0, for: types)
            times.append(cpu() - start)
            guard outbox.pending.count == count else { fatalError("\(outbox.pending.count) pending") }
            outbox.suspend()
            let then = cpu()
            let manager = DataModelManager(cache, outbox: outbox)
            let feed = CollectionDataProvider<Post>(dataModelManager: manager)
            feed.setData((0..<100).map { Post(id: $0) }, cacheKey: "feed")
            shows.append(cpu() - then)
            guard kind == "likes" || feed.data.count == count + 99 else { fatalError("\(feed.data.count) shown") }
            outbox.close()
            await outbox.flush()
            await manager.flush()
            close(cache)
        }
        func median(_ all: [Double]) -> String { String(format: "%.1f", all.sorted()[all.count / 2]) }
        print("\(name), \(count) \(kind): opened in \(median(times)) ms, a list of 100 shown in \(median(shows)) ms")
    }
}

import Grove
import GroveCache
import GroveLMDB
import GroveLevelDB
import GroveOutbox
import GroveSQLite

/// A backend that keeps what is pending on disk.
enum DiskBackend: String, CaseIterable {
    case lmdb, sqlite, levelDB

    /// Those that two processes can have open at once.
    static let shared: [DiskBackend] = [.lmdb, .sqlite]
}

/// A cache in a directory, with an outbox and a manager.
@MainActor
final class DiskScene {
    let server: FakeServer
    let clock: FakeClock
    let outbox: Outbox<FakeServer>
    let manager: DataModelManager
    let post: (Int) throws -> Post?
    let list: () throws -> [Int]
    /// The keys of what is pending, as the store has them.
    let kept: () throws -> Set<String>
    let write: ([Post], [Post]) async throws -> Void
    let close: () -> Void

    /// - Parameter keys: what the keys of this scene begin with.
    init(_ backend: DiskBackend, _ path: String, clock: FakeClock, keys: String) throws {
        let server = FakeServer()
        func make<Store: NodeStore>(_ cache: NormalizedCache<Store>) throws -> Parts {
            let outbox = try Outbox(
                cache, server, for: [Like.self, Edit.self, Write.self], options: Scene.options(clock, keys))
            return Parts(
                outbox: outbox, manager: DataModelManager(cache, outbox: outbox),
                post: { try cache.model(Post.self, id: $0) },
                list: { try cache.collection("feed", of: Post.self)?.map(\.id) ?? [] },
                kept: {
                    let names = try cache.allKept().map(\.name).filter { $0.hasPrefix("outbox.m.") }
                    return Set(names.map { String($0.dropFirst(9)) })
                },
                write: { posts, list in
                    try await cache.write { tx in
                        try tx.write(contentsOf: posts)
                        try tx.writeCollection(list, as: "feed")
                    }
                },
                close: { cache.close() })
        }
        (self.server, self.clock) = (server, clock)
        let parts =
            switch backend {
            case .lmdb: try make(LMDBCache(directory: path, options: LMDBOptions()))
            case .sqlite: try make(SQLiteCache(directory: path, options: SQLiteOptions()))
            case .levelDB: try make(LevelDBCache(directory: path, options: LevelDBOptions()))
            }
        (outbox, manager, post, list) = (parts.outbox, parts.manager, parts.post, parts.list)
        (kept, write, close) = (parts.kept, parts.write, parts.close)
    }

    private struct Parts {
        let outbox: Outbox<FakeServer>
        let manager: DataModelManager
        let post: (Int) throws -> Post?
        let list: () throws -> [Int]
        let kept: () throws -> Set<String>
        let write: ([Post], [Post]) async throws -> Void
        let close: () -> Void
    }
}

/// What a server has: it carries out each key once, and says what is so then.
struct Truth {
    private(set) var posts: [Int: Post]
    private(set) var list: [Int]
    /// How often each key was sent.
    private(set) var asked: [String: Int] = [:]
    /// What each key has led to.
    private var results: [String: Int] = [:]

    init(_ posts: [Post]) {
        self.posts = Dictionary(uniqueKeysWithValues: posts.map { ($0.id, $0) })
        list = posts.map(\.id)
    }

    /// - Parameter name: as ``FakeServer`` has it.
    mutating func carryOut(_ name: String, _ key: String) -> Outcome {
        asked[key, default: 0] += 1
        let words = name.split(separator: ":").map(String.init)
        let local = words[0] == "write" ? Int(words[1]) ?? 0 : nil
        if results[key] == nil {
            switch words[0] {
            case "like":
                let id = Int(words[1]) ?? 0
                results[key] = id
                // A second time would show.
                posts[id]?.likes += 1
                posts[id]?.isLiked = true
            case "edit":
                let id = Int(words[2]) ?? 0
                results[key] = id
                posts[id]?.text = words[3]
            default:
                // A second time would make a second one.
                let id = 1_000 + list.count
                results[key] = id
                posts[id] = Post(id: id, text: "w\(words[1])")
                list.append(id)
            }
        }
        return Outcome(post: posts[results[key] ?? 0] ?? Post(id: 0), local: local)
    }

    struct Outcome {
        let post: Post
        let local: Int?

        var answer: Answer { Answer(post, replacing: local.map { Post.modelIdentifier(for: $0) }) }
        var words: [String] {
            ["\(post.id)", post.text, "\(post.likes)", "\(post.isLiked)", local.map { "\($0)" } ?? ""]
        }

        init(post: Post, local: Int?) { (self.post, self.local) = (post, local) }

        init(_ words: [String]) {
            post = Post(
                id: Int(words[0]) ?? 0, text: words[1], likes: Int(words[2]) ?? 0, isLiked: words[3] == "true")
            local = Int(words[4])
        }
    }
}

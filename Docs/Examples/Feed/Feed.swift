// To use another backend, change these two lines: `GroveSQLite` and `SQLiteCache`, or `GroveLevelDB` and
// `LevelDBCache`.
import GroveLMDB
typealias AppCache = LMDBCache

/// The feed of an application: every screen reads and writes posts through it, on any backend.
struct Feed<Store: NodeStore>: Sendable {
    let cache: NormalizedCache<Store>

    // MARK: Loading

    /// Shows the stored posts at once, and the posts that `load` gets from the network when they have come.
    @MainActor
    func start(
        load: @MainActor () async throws -> [Post], show: @MainActor ([Post]) -> Void
    ) async throws {
        if let stored = try page() { show(stored.elements) }
        let asked = cache.place()
        guard let posts = try? await load() else { return }  // offline: what is shown stays
        try await cache.writeCollection(posts, as: "feed", asOf: asked)  // throws if the user has logged out since
        if let fresh = try page() { show(fresh.elements) }
    }

    /// Replaces the feed by `posts`, which were requested at `asked`; throws if the user has logged out since.
    func refresh(_ posts: [Post], asOf asked: Place) async throws {
        try await cache.writeCollection(posts, as: "feed", asOf: asked)
    }

    /// Adds older posts, which were requested at `asked`, at the end of the feed.
    ///
    /// Posts are added by their identifiers. A post that was changed since keeps the change, and a deleted post is not
    /// added. If the feed was never loaded, it still has to be.
    func append(_ older: [Post], asOf asked: Place) throws {
        try cache.write { tx in
            guard try tx.count(ofCollection: "feed") != nil else { return }
            try tx.write(contentsOf: older, asOf: asked)
            let new = try older.filter { post in
                try tx.model(Post.self, id: post.id) != nil
                    && !tx.contains(Post.self, id: post.id, inCollection: "feed")
            }
            try tx.insert(
                references: new.map { Post.modelIdentifier(for: $0.id) }, at: .last, inCollection: "feed")
        }
    }

    // MARK: Showing

    /// The posts of one page; `nil` if the feed has to be loaded first.
    ///
    /// `nextRange` of the page says whether there is another one.
    func page(_ range: Range<Int> = 0..<20) throws -> CollectionRead<Post>? {
        try cache.readCollection("feed", of: Post.self, in: range).value
    }

    /// One post; `nil` if it was deleted or never loaded.
    func post(_ id: Int) throws -> Post? {
        try cache.model(Post.self, id: id)
    }

    /// The stored posts that match, including posts that are only quoted by others.
    func search(_ isMatch: (Post) -> Bool) throws -> [Post] {
        try cache.read { view in try view.models(Post.self).filter(isMatch) }
    }

    // MARK: Changing

    /// Changes one post; the read and the write are one transaction, so that no change is lost.
    @discardableResult
    func update(_ id: Int, _ change: (inout Post) -> Void) throws -> Post? {
        try cache.write { tx in
            guard var post = try tx.model(Post.self, id: id) else { return nil }
            change(&post)
            try tx.write(post)
            return post
        }
    }

    /// Adds one like.
    @discardableResult
    func like(_ id: Int) throws -> Post? {
        try update(id) { $0.likes += 1 }
    }

    /// Adds a comment below a post.
    @discardableResult
    func add(_ comment: Comment, to id: Int) throws -> Post? {
        try update(id) { $0.comments.append(comment) }
    }

    /// Stores an author who was requested at `asked`; every post and comment of the author shows the change.
    func update(_ author: Author, asOf asked: Place) throws {
        try cache.write(author, asOf: asked)
    }

    /// Deletes a post everywhere: in the feed, on its own, and where another post quotes it.
    func delete(_ id: Int) throws {
        try cache.delete(Post.self, id: id, removingFrom: .collections)
    }
}

/// Opens the application's feed; makes the directory if there is none.
func openFeed(in directory: String) throws -> Feed<some NodeStore> {
    Feed(cache: try AppCache(directory: directory))
}

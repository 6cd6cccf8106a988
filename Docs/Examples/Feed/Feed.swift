// Another backend is these two lines: `GroveSQLite` and `SQLiteCache`, or `GroveLevelDB` and `LevelDBCache`.
import GroveLMDB
typealias AppCache = LMDBCache

/// A feed as an application keeps it: every screen reads and writes through it, whatever the backend is.
struct Feed<Store: NodeStore>: Sendable {
    let cache: NormalizedCache<Store>

    // MARK: Loading

    /// Shows what was stored last time at once, and what `load` brings from the network when that has come.
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

    /// Makes `posts` the feed, for which the network was asked at `asked`; throws if the user has logged out since.
    func refresh(_ posts: [Post], asOf asked: Place) async throws {
        try await cache.writeCollection(posts, as: "feed", asOf: asked)
    }

    /// Adds older posts, for which the network was asked at `asked`, at the end of the feed; a feed that is to be loaded first stays so.
    ///
    /// They are put in by their identifiers: what was changed since stays as it is, and what was deleted stays away.
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

    /// The posts of one page, of which `nextRange` says whether there is another one; `nil` if the feed is to be loaded first.
    func page(_ range: Range<Int> = 0..<20) throws -> CollectionRead<Post>? {
        try cache.readCollection("feed", of: Post.self, in: range).value
    }

    /// One post; `nil` where it was deleted or never loaded.
    func post(_ id: Int) throws -> Post? {
        try cache.model(Post.self, id: id)
    }

    /// The stored posts that match, those that only another post quotes too, one after the other.
    func search(_ isMatch: (Post) -> Bool) throws -> [Post] {
        try cache.read { view in try view.models(Post.self).filter(isMatch) }
    }

    // MARK: Changing

    /// Changes one post: what it reads and what it writes are one transaction, so that no change is lost.
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

    /// Stores what the network has said of an author, for which it was asked at `asked`: every post and comment shows it.
    func update(_ author: Author, asOf asked: Place) throws {
        try cache.write(author, asOf: asked)
    }

    /// Deletes a post everywhere: in the feed, on its own, and where another post quotes it.
    func delete(_ id: Int) throws {
        try cache.delete(Post.self, id: id, removingFrom: .collections)
    }
}

/// Opens the application's feed; the directory is made where there is none.
func openFeed(in directory: String) throws -> Feed<some NodeStore> {
    Feed(cache: try AppCache(directory: directory))
}

// Shorter examples of the guides about models: Cacheable, SchemaChanges and MovingFromRocketData.
import Grove
import GroveCoding
import GroveMacros

enum Projections {
    @Cacheable
    struct Profile {
        let id: Int
        let name: String
        let bio: String?
    }

    @Cacheable(record: "Profile")
    struct SmallProfile {
        let id: Int
        let name: String
    }
}

enum AddedFields {
    @Cacheable
    enum Kind: String {
        case plain, photo
    }

    @Cacheable
    struct Post {
        let id: Int
        let text: String
        var views = 0
        private(set) var kind: Kind = .plain
    }
}

enum RenamedFields {
    @Cacheable
    struct Post {
        let id: Int
        @CacheField(was: "headline") let title: String
        @CacheField("n", was: "number", "count") let total: Int
    }
}

enum RenamedTypes {
    @Cacheable(record: "Person", projection: "Person")
    struct Contact {
        let id: Int
        let name: String
        var isFriend = false
    }
}

enum Fallbacks {
    @Cacheable
    enum Kind: String {
        case text, photo
        static let cacheFallback = Kind.text
    }

    enum Size: Int, Codable, CacheFallback {
        case small, large
        static let cacheFallback = Size.large
    }
}

enum WrittenByHand {
    struct Post: SimpleModel, CacheableModel, Equatable {
        let id: Int
        let title: String
        let views: Int

        var modelIdentifier: ModelIdentifier? { "Post:\(id)" }

        func encodeFields(to node: inout NodeEncoder) throws(CacheError) {
            try node.encode(id, at: 0)
            try node.encode(title, at: 1)
            try node.encode(views, at: 2)
        }

        static let fields = FieldTable("id", "title", "views", was: ["title": ["headline"]])

        static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> Post {
            let id = try node.scan(Int.self, at: 0)
            let title = try node.scan(String.self, at: 1)
            let views = try node.scanIfPresent(Int.self, at: 2)
            return Post(
                id: try node.finish(id), title: try node.finish(title), views: try node.finishIfPresent(views) ?? 0)
        }
    }
}

@MainActor
final class PhotoScreen {
    struct PhotoUploaded: Sendable {
        let photo: String
    }

    private var shown: String?

    func show(_ photo: String) { shown = photo }

    func listen(_ manager: DataModelManager, _ photo: String) {
        manager.addReceiver(self, for: PhotoUploaded.self) { screen, event, source in screen.show(event.photo) }
        manager.post(PhotoUploaded(photo: photo))
    }
}

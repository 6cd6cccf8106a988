public import GroveModel

/// Something that the user did, and that a server has yet to hear of.
///
/// The value itself is what is kept: on disk until the server has said yes or no, never the models that it leads to.
///
/// ```swift
/// struct Like: Mutation {
///     let post: Int
///     func apply(to draft: inout Draft) throws {
///         try draft.update(Post.self, id: post) { if !$0.isLiked { $0.isLiked = true; $0.likes += 1 } }
///     }
///     func send(_ api: API, _ attempt: Attempt) async throws -> Answer {
///         Answer(try await api.like(post, key: attempt.key))
///     }
/// }
/// ```
public protocol Mutation<API>: Codable, Sendable {
    /// What sends it.
    associatedtype API: Sendable

    /// The name under which mutations of the type are kept; the type's own by default. It must stay the same in later versions.
    static var mutationName: String { get }

    /// Mutations of one lane are sent one after the other, in the order of their submission; the empty name by default.
    var lane: String { get }

    /// Changes what is shown.
    ///
    /// Called on the main actor, again whenever anything below it moves. It must be pure, and must give the same if the server has it
    /// already: a fetch may bring the like before its confirmation. If it throws, nothing of it is shown, and it stays pending.
    func apply(to draft: inout Draft) throws

    /// Sends it; called again after a failure of the network, with the same key.
    ///
    /// - Returns: what the server says that is now so. It is stored, and shown below everything that is pending.
    func send(_ api: API, _ attempt: Attempt) async throws -> Answer

    /// This mutation, if the model of the identifier `old`, which the application made up, got `new` from the server; itself by default.
    func replacing(_ old: ModelIdentifier, _ new: ModelIdentifier) -> Self
}

extension Mutation {
    /// The name of the type.
    public static var mutationName: String { String(describing: Self.self) }
    /// The one lane that there is by default.
    public var lane: String { "" }
    /// The same mutation.
    public func replacing(_ old: ModelIdentifier, _ new: ModelIdentifier) -> Self { self }
}

/// One try to send a mutation.
public struct Attempt: Sendable, Hashable {
    /// Tells the mutation from every other: the same on every try, and after a relaunch.
    ///
    /// A mutation is sent at least once. By the key the server can tell a second try from a second mutation.
    public let key: String
    /// How often it was tried before, since the launch.
    public let number: Int
}

/// What the server says to a mutation.
public struct Answer: Sendable {
    let models: [any SimpleModel]
    let local: ModelIdentifier?
    let includes: Set<String>

    /// An answer that brings `models`, each with an identifier, and of a type that the cache stores.
    ///
    /// - Parameters:
    ///   - local: the identifier that the application made up for the first of them: what is shown under it goes on under the server's.
    ///   - includes: keys of other mutations that the answer takes into account: they are done too.
    public init(_ models: any SimpleModel..., replacing local: ModelIdentifier? = nil, includes: Set<String> = []) {
        self.init(contentsOf: models, replacing: local, includes: includes)
    }

    /// An answer that brings `models`, as an array.
    public init(
        contentsOf models: [any SimpleModel], replacing local: ModelIdentifier? = nil, includes: Set<String> = []
    ) {
        (self.models, self.local, self.includes) = (models, local, includes)
    }

    /// The identifier that the server gave instead of the local one.
    var replacement: (old: ModelIdentifier, new: ModelIdentifier)? {
        guard let local, let new = models.first?.modelIdentifier, new != local else { return nil }
        return (local, new)
    }
}

public import GroveModel

/// A change that the user made and the server has yet to confirm.
///
/// The outbox keeps the value itself on disk until the server accepts or refuses it. It never keeps the models that the
/// mutation changes.
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
    /// The type of the client that sends the mutation.
    associatedtype API: Sendable

    /// The name under which mutations of this type are kept. It must stay the same in later versions of the
    /// application. The default is the type's name.
    static var mutationName: String { get }

    /// The name of the mutation's lane. Mutations of one lane are sent one after the other, in the order of submission.
    /// The default is the empty name.
    var lane: String { get }

    /// Changes the shown models and lists.
    ///
    /// Called on the main actor, and again whenever a confirmed model or an earlier mutation below it changes. It must
    /// be pure. It must give the same result if the server has the change already: a fetch may bring the like before
    /// the like is confirmed. If it throws, none of its changes is shown, and the mutation stays pending.
    func apply(to draft: inout Draft) throws

    /// Sends the mutation; called again after a failure of the network, with the same key.
    ///
    /// - Returns: the models as the server has them now. They are stored, and shown below everything that is pending.
    func send(_ api: API, _ attempt: Attempt) async throws -> Answer

    /// This mutation with `new` in place of `old`, for a model to which the application gave the identifier `old` and
    /// the server now `new`.
    ///
    /// The default returns the mutation unchanged.
    func replacing(_ old: ModelIdentifier, _ new: ModelIdentifier) -> Self
}

extension Mutation {
    /// The name of the type.
    public static var mutationName: String { String(describing: Self.self) }
    /// The empty name: one lane for all mutations.
    public var lane: String { "" }
    /// The same mutation.
    public func replacing(_ old: ModelIdentifier, _ new: ModelIdentifier) -> Self { self }
}

/// One attempt to send a mutation.
public struct Attempt: Sendable, Hashable {
    /// The key of the mutation: the same on every attempt, and after a relaunch.
    ///
    /// A mutation is sent at least once. With the key, the server can tell a second attempt from a second mutation.
    public let key: String
    /// The number of failed attempts before this one, since the launch or the last ``Outbox/retry(_:)``.
    public let number: Int
}

/// The server's answer to a mutation.
public struct Answer: Sendable {
    let models: [any SimpleModel]
    let local: ModelIdentifier?
    let includes: Set<String>

    /// An answer with `models`, each of which has an identifier and a type that the cache stores.
    ///
    /// - Parameters:
    ///   - local: the identifier that the application gave to the first model. Rows that show the model under it go on
    ///     under the server's identifier.
    ///   - includes: the keys of other mutations that the answer takes into account. Those are done too.
    public init(_ models: any SimpleModel..., replacing local: ModelIdentifier? = nil, includes: Set<String> = []) {
        self.init(contentsOf: models, replacing: local, includes: includes)
    }

    /// An answer with an array of models.
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

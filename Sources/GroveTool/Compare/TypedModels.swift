/// Types that the tool has for documents of one kind, as an application would have its own.
///
/// Their specialised coding is written out as `@Cacheable` writes it: the macro itself would make whoever builds the tool
/// compile swift-syntax. The `Codable` ones are types of their own, because a type that codes itself does so inside
/// `Codable` models too.
enum TypedModels: String, CaseIterable {
    /// What Twitter's search answers: tweets and their users.
    case tweets
    /// What Spotify answers who asks for the tracks played last: tracks, albums and artists.
    case plays

    /// The types, as the report says it.
    var summary: String {
        switch self {
        case .tweets: "tweets and users with types of their own"
        case .plays: "tracks, albums and artists with types of their own"
        }
    }

    /// The models that `name` asks for.
    ///
    /// - Throws: ``ToolError`` that says which there are.
    init(named name: String) throws(ToolError) {
        guard let known = TypedModels(rawValue: name) else {
            let names = TypedModels.allCases.map(\.rawValue).joined(separator: " or ")
            throw .input("there are no models \(name); take \(names)")
        }
        self = known
    }
}

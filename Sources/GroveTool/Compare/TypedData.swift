import GroveModel

/// A model that comes in versions.
protocol VersionedModel {
    /// The model as it is in `version`: two versions differ in every node of its tree.
    func version(_ version: Int) -> Self
}

/// The trees of a document, of types such as an application has.
struct TypedData<Tree: CacheableModel & VersionedModel, Leaf: CacheableModel>: CompareData {
    let roots: [Tree]
    var coding: String { "specialised" }

    init(_ document: TypedDocument) throws(ToolError) { roots = try document.trees() }

    var count: Int { roots.count }

    func trees(version: Int, in range: Range<Int>) -> [Tree] { roots[range].map { $0.version(version) } }
}

/// The same of types that are coded through `Codable`.
struct CodableTypedData<Root: SimpleModel & Codable & VersionedModel, Inner: SimpleModel & Codable>: CompareData {
    typealias Tree = CodableNode<Root>
    typealias Leaf = CodableNode<Inner>

    let roots: [Root]
    var coding: String { "codable" }

    init(_ document: TypedDocument) throws(ToolError) {
        let trees: [Tree] = try document.trees()
        roots = trees.map(\.base)
    }

    var count: Int { roots.count }

    func trees(version: Int, in range: Range<Int>) -> [Tree] { roots[range].map { CodableNode($0.version(version)) } }
}

typealias TweetData = TypedData<Tweet, TweetUser>
typealias CodableTweetData = CodableTypedData<CodableTweet, CodableTweetUser>
typealias PlayData = TypedData<PlayedTrack, PlayedArtist>
typealias CodablePlayData = CodableTypedData<CodablePlayedTrack, CodablePlayedArtist>

extension Tweet: VersionedModel {}
extension CodableTweet: VersionedModel {
    func version(_ version: Int) -> CodableTweet { CodableTweet(self, version: version) }
}
extension PlayedTrack: VersionedModel {}
extension CodablePlayedTrack: VersionedModel {}

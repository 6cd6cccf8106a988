import GroveModel

/// The tweets of a document, of types such as an application has.
struct TweetData: CompareData {
    typealias Tree = Tweet
    typealias Leaf = TweetUser

    let tweets: [Tweet]
    var coding: String { "specialised" }

    init(_ document: TypedDocument) throws(ToolError) {
        tweets = try document.trees()
    }

    func trees(version: Int) -> [Tweet] { tweets.map { $0.version(version) } }
}

/// The same tweets, coded through `Codable`.
struct CodableTweetData: CompareData {
    typealias Tree = CodableNode<CodableTweet>
    typealias Leaf = CodableNode<CodableTweetUser>

    let tweets: [CodableTweet]
    var coding: String { "codable" }

    init(_ document: TypedDocument) throws(ToolError) {
        let trees: [Tree] = try document.trees()
        tweets = trees.map(\.base)
    }

    func trees(version: Int) -> [CodableNode<CodableTweet>] {
        tweets.map { CodableNode(CodableTweet($0, version: version)) }
    }
}

import GroveModel

/// The tracks of a document, of types such as an application has.
struct PlayData: CompareData {
    typealias Tree = PlayedTrack
    typealias Leaf = PlayedArtist

    let tracks: [PlayedTrack]
    var coding: String { "specialised" }

    init(_ document: TypedDocument) throws(ToolError) {
        tracks = try document.trees()
    }

    func trees(version: Int) -> [PlayedTrack] { tracks.map { $0.version(version) } }
}

/// The same tracks, coded through `Codable`.
struct CodablePlayData: CompareData {
    typealias Tree = CodableNode<CodablePlayedTrack>
    typealias Leaf = CodableNode<CodablePlayedArtist>

    let tracks: [CodablePlayedTrack]
    var coding: String { "codable" }

    init(_ document: TypedDocument) throws(ToolError) {
        let trees: [Tree] = try document.trees()
        tracks = trees.map(\.base)
    }

    func trees(version: Int) -> [CodableNode<CodablePlayedTrack>] {
        tracks.map { CodableNode($0.version(version)) }
    }
}

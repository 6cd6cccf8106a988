import GroveModel
import Testing

@testable import GroveTool

@Suite("Tracks of types of their own") struct PlayTests {
    private struct Loaded: TypedLoading {
        let dynamic: DocumentData
        let specialised: PlayData
        let codable: CodablePlayData

        init(_ document: DocumentData) throws {
            dynamic = document
            let typed = try TypedDocument(
                document, of: "in.json", as: [PlayedTrack.self, PlayedAlbum.self, PlayedArtist.self])
            (specialised, codable) = (try PlayData(typed), try CodablePlayData(typed))
        }

        static func synthetic() throws -> Loaded {
            let rules = try IdentityRules(try JSONParser.parse(PlayTests.rules), file: "rules.json")
            return try Loaded(DocumentData(try Document(try JSONParser.parse(PlayTests.document), rules: rules)))
        }
    }

    private static let rules = #"""
        {"rules": [{"field": "track", "type": "Track", "id": "id"}, {"field": "album", "type": "Album", "id": "id"},
        {"field": "artists", "type": "Artist", "id": "id"}]}
        """#

    private static func artist(_ id: String) -> String {
        #"{"id": "\#(id)", "name": "é", "type": "artist", "uri": "u", "href": "h", "external_urls": {"b": "1", "aa": "2"}}"#
    }

    private static func track(_ id: String, preview: String) -> String {
        #"""
        {"played_at": "now", "track": {"id": "\#(id)", "name": "n", "type": "track", "uri": "u", "href": "h",
        "album": {"id": "a1", "name": "n", "type": "album", "uri": "u", "href": "h", "album_type": "single",
        "artists": [\#(artist("x"))], "available_markets": ["EC"], "images": [{"height": 1, "url": "i", "width": 2}],
        "release_date": "2014", "release_date_precision": "year", "total_tracks": 3, "external_urls": {}},
        "artists": [\#(artist("x")), \#(artist("y"))], "available_markets": [], "disc_number": 1, "track_number": 2,
        "duration_ms": 1000, "explicit": false, "is_local": false, "popularity": 5, "preview_url": \#(preview),
        "external_ids": {"isrc": "c"}, "external_urls": {"spotify": "s"}}}
        """#
    }

    private static let document =
        #"{"items": ["# + track("t1", preview: "null") + ", " + track("t2", preview: #""p""#) + "]}"

    private func checkReading(_ loaded: Loaded) throws {
        for store in [try Filled(.memory, loaded.specialised), try Filled(.memory, loaded.codable)] {
            for tree in loaded.specialised.trees(version: 1) {
                #expect(try store.tree(try #require(tree.modelIdentifier), as: PlayedTrack.self) == tree)
            }
            for tree in loaded.codable.trees(version: 1) {
                let read = try store.tree(try #require(tree.modelIdentifier), as: CodableNode<CodablePlayedTrack>.self)
                #expect(read?.base == tree.base)
            }
            for leaf in try store.leaves() {
                #expect(try store.tree(leaf, as: PlayedArtist.self)?.modelIdentifier == leaf)
            }
        }
    }

    @Test("Both codings store the same bytes, have every field, and come back in every version")
    func synthetic() throws {
        let loaded = try Loaded.synthetic()
        #expect(loaded.specialised.roots.map(\.previewURL) == [nil, "p"])
        try loaded.checkBytes(.memory, nodes: 5)
        try loaded.checkFields()
        try loaded.checkVersions()
        try checkReading(loaded)
    }

    @Test(
        "A real answer is the same in both codings, has every field, and comes back",
        .enabled(if: SharedData.isThere, "needs shared/data/models beside the checkout"))
    func realData() throws {
        let sample = SharedData.samples[2]
        let loaded = try Loaded(DocumentData(try InputFile.document(sample.file, identity: sample.rules).1))
        try loaded.checkBytes(.lmdb, nodes: sample.nodes)
        try loaded.checkFields()
        try loaded.checkVersions()
        try checkReading(loaded)
    }
}

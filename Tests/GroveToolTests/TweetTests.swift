import Foundation
import GroveModel
import Testing

@testable import GroveTool

@Suite("Tweets of types of their own") struct TweetTests {
    /// A document in both codings, and as dynamic values.
    private struct Loaded: TypedLoading {
        let dynamic: DocumentData
        let specialised: TweetData
        let codable: CodableTweetData

        init(_ document: DocumentData) throws {
            dynamic = document
            let typed = try TypedDocument(document, of: "in.json", as: [Tweet.self, TweetUser.self])
            (specialised, codable) = (try TweetData(typed), try CodableTweetData(typed))
        }

        static func synthetic() throws -> Loaded { try Loaded(TweetSearch.document(try TweetSearch.json())) }

        static func real() throws -> Loaded {
            let sample = SharedData.samples[0]
            return try Loaded(DocumentData(try InputFile.document(sample.file, identity: sample.rules).1))
        }
    }

    // MARK: What every document must pass

    private func checkReading(_ loaded: Loaded, _ backend: BackendName) throws {
        let stores = [try Filled(backend, loaded.specialised), try Filled(backend, loaded.codable)]
        for store in stores {
            for tree in loaded.specialised.trees(version: 1) {
                #expect(try store.tree(try #require(tree.modelIdentifier), as: Tweet.self) == tree)
            }
            for tree in loaded.codable.trees(version: 1) {
                let read = try store.tree(try #require(tree.modelIdentifier), as: CodableNode<CodableTweet>.self)
                #expect(read?.base == tree.base)
            }
            // What read-node reads: the nodes that hold no other are users, in both codings.
            let leaves = try store.leaves()
            #expect(!leaves.isEmpty)
            for leaf in leaves {
                let user = try #require(try store.tree(leaf, as: TweetUser.self))
                let other = try #require(try store.tree(leaf, as: CodableNode<CodableTweetUser>.self)).base
                #expect(user.modelIdentifier == leaf && other.modelIdentifier == leaf)
                #expect(user.followersCount == other.followersCount)
            }
        }
    }

    // MARK: A document with something in every field

    @Test("Both codings store the same bytes, collections included", arguments: BackendName.allCases)
    func sameBytes(backend: BackendName) throws { try Loaded.synthetic().checkBytes(backend, nodes: 8) }

    @Test("Each coding reads what either stored", arguments: BackendName.allCases)
    func reading(backend: BackendName) throws { try checkReading(try Loaded.synthetic(), backend) }

    @Test("Every field of the dynamic record that is not null is in the typed one")
    func fields() throws { try Loaded.synthetic().checkFields() }

    @Test("Versions differ in every node, and a version is always the same")
    func versions() throws { try Loaded.synthetic().checkVersions() }

    @Test("Everything in a tweet arrives in its type")
    func content() throws {
        let loaded = try Loaded.synthetic()
        let tweet = loaded.specialised.roots[1]
        #expect(tweet.place?.boundingBox?.coordinates == [[[-78.5, 0.25], [-78.25, 0.5]], []])
        #expect(tweet.place?.attributes == ["street": "x"] && tweet.geo?.coordinates == [35.5, -139.25])
        #expect(tweet.entities.media?.first?.sizes.thumb.resize == "fit" && tweet.possiblySensitive == true)
        #expect(tweet.user.entities.url?.urls.first?.displayURL == "a" && tweet.user.utcOffset == -18_000)
        #expect(loaded.specialised.roots[0].place == nil && loaded.specialised.roots[0].entities.media == nil)
        #expect(loaded.specialised.roots[2].retweetedStatus == loaded.specialised.roots[3].retweetedStatus)
        #expect(loaded.codable.roots[2].retweetedStatus?.user.idString == "10")
    }

    // MARK: A real document

    @Test(
        "A real search is the same in both codings, has every field, and comes back",
        .enabled(if: SharedData.isThere, "needs shared/data/models beside the checkout"))
    func realData() throws {
        let loaded = try Loaded.real()
        #expect(loaded.specialised.roots.count == loaded.dynamic.count)
        try loaded.checkBytes(.lmdb, nodes: SharedData.samples[0].nodes)
        try checkReading(loaded, .memory)
        try loaded.checkFields()
        try loaded.checkVersions()
    }

    // MARK: What does not fit

    private func refusal(_ json: JSON, rules: String = TweetSearch.rules) throws -> String {
        let error = #expect(throws: ToolError.self) { try Loaded(try TweetSearch.document(json, rules: rules)) }
        #expect(error?.exitCode == 2)
        return error?.description ?? ""
    }

    @Test("A field that is absent or null where a value is wanted is an error that names the node")
    func missing() throws {
        let absent = try TweetSearch.tweet(1, by: TweetSearch.user(10, [("lang", nil)]))
        #expect(try refusal(TweetSearch.search([absent])) == "User:10 of in.json lacks a field that its type wants")
        let null = try TweetSearch.tweet(1, by: TweetSearch.user(10), [("text", .null)])
        #expect(try refusal(TweetSearch.search([null])).hasPrefix("Status:1 of in.json has null"))
        let inside = try TweetSearch.tweet(1, by: TweetSearch.user(10), [("metadata", ["result_type": "x"])])
        #expect(try refusal(TweetSearch.search([inside])).hasPrefix("Status:1 of in.json lacks"))
        let whole = try TweetSearch.tweet(1, by: .null)
        #expect(try refusal(TweetSearch.search([whole])).hasPrefix("Status:1 of in.json has null"))
    }

    @Test("A field that no type has a place for is an error that names it")
    func unknownField() throws {
        let unknown = try TweetSearch.tweet(
            1, by: TweetSearch.user(10, [("entities", ["description": ["urls": [], "x": 1]])]))
        let text = try refusal(TweetSearch.search([unknown]))
        #expect(text.contains("user.entities.description.x of Status:1"), "\(text)")
        // What is null has no value that could be lost.
        let null = try TweetSearch.tweet(1, by: TweetSearch.user(10), [("more", .null)])
        #expect(try Loaded(TweetSearch.document(TweetSearch.search([null]))).specialised.roots.count == 1)
    }

    @Test("Rules that identify other objects, or by other names, are an error")
    func otherRules() throws {
        func refusal(_ rules: String) throws -> String { try self.refusal(try TweetSearch.json(), rules: rules) }
        let others = #"{"rules": [{"field": "statuses", "type": "Tweet", "id": "id_str"}]}"#
        #expect(try refusal(others).contains("the type Tweet; these models have types for Status and User"))
        let fewer = #"{"rules": [{"field": "statuses", "type": "Status", "id": "id_str"}]}"#
        #expect(try refusal(fewer).contains("Status:4 of in.json is a node by these models alone"))
        let more = TweetSearch.rules.replacingOccurrences(
            of: "]}", with: #", {"field": "user_mentions", "type": "User", "id": "name"}]}"#)
        #expect(try refusal(more).contains("User:N of in.json"))
    }
}

@Suite("Tweets on the command line", .enabled(if: ToolProcess.executable != nil, "needs the built executable"))
struct TweetCommandTests {
    /// Runs `grove compare` over a document of tweets.
    private func compare(_ more: String...) throws -> ToolProcess.Outcome {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("grove-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let (input, rules) = (directory.appendingPathComponent("in.json"), directory.appendingPathComponent("id.json"))
        try Data(JSONPrinter.print(try TweetSearch.json(), indentation: 0)).write(to: input)
        try Data(TweetSearch.rules.utf8).write(to: rules)
        return try ToolProcess.run(
            ["compare", "--quick", "--input", input.path, "--identity", rules.path] + more)
    }

    @Test("Tweets are read and written in both codings", arguments: ["memory", "lmdb", "sqlite", "leveldb"])
    func bothCodings(backend: String) throws {
        let outcome = try compare(
            "--models", "tweets", "--backend", backend, "--coding", "specialised", "--coding", "codable", "--format",
            "json", "--workload", "read-*", "--workload", "write-*", "--workload", "rewrite-unchanged")
        #expect(outcome.status == 0, "\(outcome.errors)")
        let report = try JSONParser.parse(outcome.output)
        let data = report["dataSet"]?.text ?? ""
        #expect(data.hasSuffix("4 trees, 8 nodes, as tweets and users with types of their own"), "\(data)")
        guard case .array(let results)? = report["results"] else {
            Issue.record("the report has no results")
            return
        }
        for coding in ["specialised", "codable"] {
            let rows = results.filter { $0["coding"]?.text == coding }
            let names = ["read-tree", "read-node", "read-collection", "rewrite-unchanged", "write-batch", "write-one"]
            #expect(rows.compactMap { $0["workload"]?.text } == names, "\(coding)")
        }
    }

    @Test("Models that there are not, or that have no document, are refused in one line that says what to do")
    func refusals() throws {
        let unknown = try compare("--models", "letters", "--backend", "memory")
        #expect(unknown.status == 2 && unknown.output.isEmpty && unknown.errorLines.count == 1)
        #expect(unknown.errors.contains("there are no models letters; take tweets or plays"))
        let alone = try ToolProcess.run(["compare", "--models", "tweets"])
        #expect(alone.status == 2 && alone.output.isEmpty)
        #expect(alone.errors.contains("--models goes with --input and --identity"))
    }
}

import GroveCache
import GroveCompare
import GroveInspect
import GroveModel
import Testing

// `make real-data` runs these, and `make test` does not.
@Suite("Real documents", .enabled(if: SharedData.isThere, "needs shared/data/models beside the checkout"))
struct RealDataTests {
    @Test("Counts are exact, and the document comes back", arguments: SharedData.samples, BackendName.allCases)
    func importing(sample: SharedData.Sample, backend: BackendName) throws {
        let (json, document) = try InputFile.document(sample.file, identity: sample.rules)
        #expect(document.occurrences == sample.occurrences)
        #expect(document.nodes == sample.nodes)
        let stored = try Stored(backend, document)
        #expect(try stored.cache.edges(of: document.identifiers) == sample.edges)
        var records = 0
        try stored.cache.forEachStoredRecord(.node) { _ in
            records += 1
            return true
        }
        #expect(records == sample.nodes)
        guard sample.isCyclic else {
            #expect(json.firstDifference(from: try stored.rebuilt()) == nil)
            return
        }
        #expect { try stored.rebuilt() } throws: { "\($0)".contains("cycle") }
    }

    @Test("A single acyclic node of a cyclic document reads fine", arguments: BackendName.allCases)
    func acyclicNode(backend: BackendName) throws {
        let (_, document) = try InputFile.document(
            SharedData.samples[3].file, identity: SharedData.samples[3].rules)
        let stored = try Stored(backend, document)
        let node = try #require(document.identifiers.first { $0.description == "/api/2014/languages/elvish" })
        let tree = try #require(try stored.cache.readTree(node, .whole).value?.json)
        #expect(tree["name"]?.text == "Elvish" && tree["script"]?.text == "Elvish")
    }
}

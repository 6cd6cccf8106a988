import GroveCompare

/// A document in a store of its own, which goes with it.
final class Stored {
    let cache: any ToolCache
    private let directory: TemporaryDirectory

    init(_ backend: BackendName, _ document: Document) throws {
        directory = try TemporaryDirectory()
        cache = try backend.open(backend.isPersistent ? try directory.make("store") : nil)
        _ = try cache.write(document)
    }

    deinit { cache.close() }

    /// The document as its nodes give it back.
    func rebuilt() throws -> JSON { try cache.document(in: "the test's store") }
}

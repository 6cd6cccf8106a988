package import GroveCache
package import GroveInspect
package import GroveModel

/// A cache of whichever backend, as the commands that deal with documents and records see it.
package protocol ToolCache: AnyObject, Sendable {
    /// Stores `document`, in one transaction.
    func write(_ document: Document) throws(CacheError) -> ChangeSet
    /// The same of a document that was taken apart while it was read.
    func write(_ document: DocumentStream) throws(CacheError) -> ChangeSet
    /// The stored document, rebuilt from its nodes.
    func readDocument(_ whole: Wholeness) throws(CacheError) -> CacheRead<RebuiltJSON>
    /// The tree of `identifier`, whatever its type, every node expanded in its place.
    func readTree(_ identifier: ModelIdentifier, _ whole: Wholeness) throws(CacheError) -> CacheRead<RebuiltJSON>
    func storedRecord(_ kind: StoredRecord.Kind, _ name: String) throws(CacheError) -> StoredRecord?
    func forEachStoredRecord(_ kind: StoredRecord.Kind, _ visit: (StoredRecord) -> Bool) throws(CacheError)
    func size() throws(CacheError) -> StoreSize
    func usage() throws(CacheError) -> CacheUsage
    /// Asks for the item `name` and writes it where it is not there; returns whether it was.
    func request(_ name: String) throws(CacheError) -> Bool
    /// Writes the items of `numbers`, of some 180 bytes each.
    func fill(_ numbers: Range<Int>) throws(CacheError)
    /// Lives through weeks with a budget.
    func churn(_ run: ChurnRun, _ backend: BackendName, in directory: String?) throws -> ChurnRun.Result
    func flush(_ durability: Durability) throws(CacheError)
    func copy(to directory: String) async throws(CacheError)
    func wipe() throws(CacheError)
    func close()
}

/// Whether a tree is rebuilt if a node below its root cannot be read.
package enum Wholeness: Sendable {
    /// It is not.
    case whole
    /// It is, and `{"$ref": identifier}` stands in the place of such a node.
    case asFarAsReadable
}

/// A tree that was rebuilt from its nodes.
package struct RebuiltJSON: Sendable {
    package let json: JSON
    /// The nodes that are missing or damaged, each once.
    package let unreadable: [ModelIdentifier]
}

extension ToolCache {
    /// How many distinct pairs of one of `nodes` and a node that it holds are stored.
    package func edges(of nodes: [ModelIdentifier]) throws(CacheError) -> Int {
        var count = 0
        for node in nodes {
            guard let record = try storedRecord(.node, node.rawValue) else { continue }
            count += Set(try record.envelope.get().references).count
        }
        return count
    }
}

extension ToolCache {
    /// The document that the cache holds.
    ///
    /// - Parameter place: what the store is called in messages.
    package func document(in place: String) throws(ToolError) -> JSON { try document(in: place, .whole).json }

    /// The same, whole or as far as it can be read.
    package func document(in place: String, _ whole: Wholeness) throws(ToolError) -> RebuiltJSON {
        try ToolError.wrapping("cannot rebuild the document") {
            () throws(CacheError) -> Result<RebuiltJSON, ToolError> in
            switch try readDocument(whole) {
            case .hit(let document): return .success(document)
            case .miss(let miss) where miss.identifier.rawValue == Document.key && miss.reason == .absent:
                return .failure(ToolError.input("\(place) holds no imported document; import one first"))
            case .miss(let miss):
                return .failure(ToolError.failed("cannot rebuild the document: a node is missing: \(miss)"))
            }
        }.get()
    }
}

extension NormalizedCache: ToolCache {
    package func write(_ document: Document) throws(CacheError) -> ChangeSet {
        try writeCollection([document.root], as: Document.key)
    }

    package func write(_ document: DocumentStream) throws(CacheError) -> ChangeSet {
        try write(document.tree, root: document.root, asCollection: Document.key)
    }

    package func readDocument(_ whole: Wholeness) throws(CacheError) -> CacheRead<RebuiltJSON> {
        switch try readCollection(Document.key, of: DocumentNode.self) {
        case .miss(let miss): return .miss(miss)
        case .hit(let collection):
            guard let root = collection.elements.first else {
                return .miss(CacheMiss(.absent, ModelIdentifier(Document.key)))
            }
            return try root.rebuilt(whole) { (node) throws(CacheError) in try Document.rebuilt(from: node) }
        }
    }

    package func request(_ name: String) throws(CacheError) -> Bool {
        let identifier = ModelIdentifier(name)
        if try model(identifier, as: TraceItem.self) != nil { return true }
        try write(TraceItem(id: name))
        return false
    }

    package func churn(_ run: ChurnRun, _ backend: BackendName, in directory: String?) throws -> ChurnRun.Result {
        try run.run(self, backend, in: directory)
    }

    package func readTree(
        _ identifier: ModelIdentifier, _ whole: Wholeness
    ) throws(CacheError) -> CacheRead<RebuiltJSON> {
        switch try read(identifier, as: DocumentNode.self) {
        case .hit(let node): try node.rebuilt(whole) { (node) throws(CacheError) in try node.expanded() }
        case .miss(let miss): .miss(miss)
        }
    }
}

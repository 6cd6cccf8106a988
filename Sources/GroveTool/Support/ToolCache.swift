import GroveCache
import GroveModel

/// A cache of whichever backend, as the commands that deal with documents and records see it.
protocol ToolCache: AnyObject, Sendable {
    /// Stores `document`, in one transaction.
    func write(_ document: Document) throws(CacheError) -> ChangeSet
    /// The stored document's root.
    func readDocument() throws(CacheError) -> CacheRead<DocumentNode>
    /// The tree of `identifier`, whatever its type.
    func readTree(_ identifier: ModelIdentifier) throws(CacheError) -> CacheRead<DocumentNode>
    func storedRecord(_ kind: StoredRecord.Kind, _ name: String) throws(CacheError) -> StoredRecord?
    func forEachStoredRecord(_ kind: StoredRecord.Kind, _ visit: (StoredRecord) -> Bool) throws(CacheError)
    func size() throws(CacheError) -> StoreSize
    func usage() throws(CacheError) -> CacheUsage
    /// Asks for the item `name` and writes it where it is not there; returns whether it was.
    func request(_ name: String) throws(CacheError) -> Bool
    /// Lives through weeks with a budget.
    func churn(_ run: ChurnRun, _ backend: BackendName, in directory: String?) throws -> ChurnRun.Result
    func flush() throws(CacheError)
    func wipe() throws(CacheError)
    func close()
}

extension ToolCache {
    /// How many distinct pairs of one of `nodes` and a node that it holds are stored.
    func edges(of nodes: [ModelIdentifier]) throws(CacheError) -> Int {
        var count = 0
        for node in nodes {
            guard let record = try storedRecord(.node, node.rawValue) else { continue }
            count += Set(try record.envelope.get().references).count
        }
        return count
    }
}

extension NormalizedCache: ToolCache {
    func write(_ document: Document) throws(CacheError) -> ChangeSet {
        try writeCollection([document.root], forKey: Document.key)
    }

    func readDocument() throws(CacheError) -> CacheRead<DocumentNode> {
        switch try readCollection(Document.key, as: DocumentNode.self) {
        case .miss(let miss): return .miss(miss)
        case .hit(let collection):
            guard let root = collection.elements.first else {
                return .miss(CacheMiss(.absent, ModelIdentifier(Document.key)))
            }
            return .hit(root)
        }
    }

    func request(_ name: String) throws(CacheError) -> Bool {
        let identifier = ModelIdentifier(name)
        if try model(identifier, as: TraceItem.self) != nil { return true }
        try write(TraceItem(id: name))
        return false
    }

    func churn(_ run: ChurnRun, _ backend: BackendName, in directory: String?) throws -> ChurnRun.Result {
        try run.run(self, backend, in: directory)
    }

    func readTree(_ identifier: ModelIdentifier) throws(CacheError) -> CacheRead<DocumentNode> {
        try read(identifier, as: DocumentNode.self)
    }
}

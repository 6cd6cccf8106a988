import Foundation
import GroveCache
@testable import GroveCompare
import GroveInspect
import GroveModel
import Testing

/// A cache that holds a version of some trees, and goes with it.
final class Filled {
    private let cache: any TreeCache
    private let directory: TemporaryDirectory

    init(_ backend: BackendName, _ data: some CompareData) throws {
        directory = try TemporaryDirectory()
        // Records say when they were confirmed, and are compared.
        let cache = try backend.open(
            backend.isPersistent ? try directory.make("store") : nil,
            now: { Date(timeIntervalSince1970: 1_000_000_000) })
        self.cache = try #require(cache as? any TreeCache)
        try self.cache.store(data)
    }

    deinit { cache.close() }

    /// The nodes and collections, as the engine holds them.
    func values() throws -> [(name: String, bytes: [UInt8])] { try cache.values() }

    /// The trees of documents as JSON, `nil` for one that cannot be read.
    func read(_ data: some CompareData) throws -> [JSON?] { try cache.read(data) }

    func delete(_ identifiers: [ModelIdentifier]) throws { try cache.remove(identifiers) }
}

/// What the tests ask of a cache of whichever backend.
private protocol TreeCache: ToolCache {
    func store<Data: CompareData>(_ data: Data) throws
    func values() throws -> [(name: String, bytes: [UInt8])]
    func read<Data: CompareData>(_ data: Data) throws -> [JSON?]
    func remove(_ identifiers: [ModelIdentifier]) throws
}

extension NormalizedCache: TreeCache {
    fileprivate func store<Data: CompareData>(_ data: Data) throws {
        let trees = data.trees(version: 1)
        try write(contentsOf: trees)
        try writeCollection(trees, as: "all")
        try flush()
    }

    /// The nodes and collections, as the engine holds them.
    fileprivate func values() throws -> [(name: String, bytes: [UInt8])] {
        var values: [(name: String, bytes: [UInt8])] = []
        for kind in [StoredRecord.Kind.node, .collection] {
            try unsafe forEachStoredValue(kind) { key, value in
                unsafe values.append((String(decoding: key, as: UTF8.self), Array(value)))
                return true
            }
        }
        return values
    }

    fileprivate func read<Data: CompareData>(_ data: Data) throws -> [JSON?] {
        data.trees(version: 1).compactMap(\.modelIdentifier).map { identifier in
            let tree = (try? read(identifier, as: Data.Tree.self))?.value
            return ((tree as? any DocumentTree)?.node).flatMap { try? $0.expanded() }
        }
    }

    fileprivate func remove(_ identifiers: [ModelIdentifier]) throws {
        for identifier in identifiers { try delete(identifier) }
        try flush()
    }
}

/// A tree of either coding.
private protocol DocumentTree {
    var node: DocumentNode { get }
}

extension DocumentNode: DocumentTree {
    fileprivate var node: DocumentNode { self }
}

extension CodableDocumentTree: DocumentTree {}

import GroveCache
import GroveCompare
import GroveInspect
import GroveModel

/// Counts over all records of a store.
struct StoreStatistics {
    private var nodes = 0
    private var tombstones = 0
    private var damaged = 0
    private var collections = 0
    private var chunks = 0
    private var aliases = 0
    private var shapes = 0
    private var references = 0
    private var recordBytes = 0
    private var byRecordName: [ModelIdentifier: (nodes: Int, bytes: Int)] = [:]
    /// The size of the files, which is known once the store is closed.
    var bytesOnDisk = 0

    /// Reads every record once.
    init(_ cache: any ToolCache) throws(CacheError) {
        var (nodes, tombstones, damaged, references, recordBytes) = (0, 0, 0, 0, 0)
        var names: [ModelIdentifier: (nodes: Int, bytes: Int)] = [:]
        try cache.forEachStoredRecord(.node) { record in
            recordBytes += record.byteCount
            guard case .success(let envelope) = record.envelope else {
                damaged += 1
                return true
            }
            if envelope.isTombstone {
                tombstones += 1
                return true
            }
            nodes += 1
            names[ModelIdentifier(envelope.recordName), default: (0, 0)].nodes += 1
            names[ModelIdentifier(envelope.recordName), default: (0, 0)].bytes += record.byteCount
            references += (try? JSON(body: envelope.body))?.referenceCount ?? 0
            return true
        }
        var (collections, chunks, aliases, shapes) = (0, 0, 0, 0)
        try cache.forEachStoredRecord(.collection) { _ in
            collections += 1
            return true
        }
        try cache.forEachStoredRecord(.chunk) { _ in
            chunks += 1
            return true
        }
        try cache.forEachStoredRecord(.alias) { _ in
            aliases += 1
            return true
        }
        try cache.forEachStoredRecord(.shape) { _ in
            shapes += 1
            return true
        }
        self.shapes = shapes
        (self.nodes, self.tombstones, self.damaged, self.references) = (nodes, tombstones, damaged, references)
        (self.recordBytes, self.collections, self.chunks, self.aliases) = (recordBytes, collections, chunks, aliases)
        byRecordName = names
    }

    private var counts: [(label: String, key: String, value: Int)] {
        [
            ("nodes", "nodes", nodes), ("deleted nodes", "tombstones", tombstones),
            ("damaged records", "damaged", damaged), ("collections", "collections", collections),
            ("chunks of collections", "chunks", chunks), ("aliases", "aliases", aliases),
            ("shapes", "shapes", shapes),
            ("references in nodes", "references", references),
            ("bytes of nodes' keys and records", "recordBytes", recordBytes),
            ("bytes on disk", "bytesOnDisk", bytesOnDisk),
        ]
    }

    var json: JSON {
        let names = byRecordName.sorted { $0.key < $1.key }.map { name, count -> JSON in
            ["recordName": .string(name.rawValue), "nodes": JSON(count.nodes), "bytes": JSON(count.bytes)]
        }
        return .object(
            counts.map { JSONMember($0.key, JSON($0.value)) } + [JSONMember("recordNames", .array(names))])
    }

    var pretty: String {
        var totals = TextTable(nil, alignment: [.left, .right])
        for count in counts { totals.append([count.label, count.value.grouped]) }
        var names = TextTable(["record name", "nodes", "bytes"], alignment: [.left, .right, .right])
        for (name, count) in byRecordName.sorted(by: { $0.value.bytes > $1.value.bytes }) {
            names.append([name.rawValue, count.nodes.grouped, count.bytes.grouped])
        }
        return totals.description + "\n\n" + names.description
    }
}

extension JSON {
    /// The number of references to nodes in the value.
    fileprivate var referenceCount: Int {
        switch self {
        case .array(let elements): elements.reduce(0) { $0 + $1.referenceCount }
        case .object(let members):
            members.first?.key == JSON.referenceKey ? 1 : members.reduce(0) { $0 + $1.value.referenceCount }
        default: 0
        }
    }
}

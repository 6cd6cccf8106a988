import GroveCache
import GroveFloor
import GroveInspect
import GroveModel

/// The records of a store as flat arrays, for the floor: the same bytes under the same keys.
struct RecordTable {
    private var keys: [UInt8] = []
    private var keyOffsets: [Int] = [0]
    private var values: [UInt8] = []
    private var valueOffsets: [Int] = [0]
    /// The index of each node, by its identifier.
    private(set) var nodes: [ModelIdentifier: Int] = [:]
    /// The index of each collection, by its key.
    private(set) var collections: [ModelIdentifier: Int] = [:]

    var count: Int { keyOffsets.count - 1 }

    /// The size of all values.
    var valueBytes: Int { values.count }

    init() {}

    /// Reads every node and collection of `cache`.
    init<Store: NodeStore>(_ cache: NormalizedCache<Store>) throws(CacheError) {
        var table = RecordTable()
        for kind in [StoredRecord.Kind.node, .collection] {
            try unsafe cache.forEachStoredValue(kind) { key, value in
                let name = unsafe ModelIdentifier(String(decoding: key.dropFirst(), as: UTF8.self))
                if kind == .node { table.nodes[name] = table.count } else { table.collections[name] = table.count }
                unsafe table.append(key, value)
                return true
            }
        }
        self = table
    }

    /// Reads the nodes of `identifiers`, those that are there, in the order of their bytes.
    init<Store: NodeStore>(
        _ cache: NormalizedCache<Store>, _ identifiers: some Sequence<ModelIdentifier>
    ) throws(CacheError) {
        var table = RecordTable()
        try unsafe cache.visitStoredValues(.node, identifiers.sorted()) { key, value in
            unsafe table.append(key, value)
        }
        self = table
    }

    private mutating func append(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        unsafe keys.append(contentsOf: key)
        unsafe values.append(contentsOf: value)
        keyOffsets.append(keys.count)
        valueOffsets.append(values.count)
    }

    func key(_ index: Int) -> [UInt8] { Array(keys[keyOffsets[index]..<keyOffsets[index + 1]]) }

    func value(_ index: Int) -> [UInt8] { Array(values[valueOffsets[index]..<valueOffsets[index + 1]]) }

    /// Calls `body` with the table as the floor takes it.
    func withRecords<Result>(_ body: (UnsafePointer<grove_floor_records>) -> Result) -> Result {
        unsafe keys.withUnsafeBufferPointer { keys in
            unsafe keyOffsets.withUnsafeBufferPointer { keyOffsets in
                unsafe values.withUnsafeBufferPointer { values in
                    unsafe valueOffsets.withUnsafeBufferPointer { valueOffsets in
                        var records = unsafe grove_floor_records(
                            keys: keys.baseAddress, key_offsets: keyOffsets.baseAddress,
                            values: values.baseAddress, value_offsets: valueOffsets.baseAddress, count: count)
                        return unsafe body(&records)
                    }
                }
            }
        }
    }
}

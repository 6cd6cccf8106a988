import Dispatch
package import GroveModel

/// What a store holds under one key, taken apart as far as that goes without the model's type.
package struct StoredRecord: Sendable {
    /// What kind of thing is stored.
    package enum Kind: String, Sendable {
        case node
        case collection
        case alias
        /// A part of a long collection; it has no name that a store is asked for.
        case chunk
        /// The store's own record.
        case meta
    }

    /// The envelope, checked.
    package struct Envelope: Sendable {
        package let flags: [String]
        package let sequence: UInt64
        /// The number of the last deletion that the record follows, 0 where there was none.
        package let deletion: UInt64
        package let isTombstone: Bool
        package let recordName: String
        /// The projections that wrote the record, each with the number of its last write, when that was last confirmed, in
        /// seconds since 1970 or 0, and whether it carried each of the body's fields.
        package let projections: [(name: String, sequence: UInt64, time: UInt32, fields: [Bool])]
        package let body: [UInt8]
    }

    package let kind: Kind
    /// The identifier, or the key of a collection or an alias; of a chunk, the digits of its key.
    package let name: String
    /// Bytes of key and record.
    package let byteCount: Int
    /// The envelope; or the reason why it cannot be read.
    package let envelope: Result<Envelope, CacheError>
}

extension NormalizedCache {
    /// The record of `name`, or `nil` where there is none; queued writes do not show.
    ///
    /// - Throws: ``CacheError`` with code `closed`, `corrupted` or `inputOutput`. A record that is damaged is returned,
    ///   with its damage.
    package func storedRecord(_ kind: StoredRecord.Kind, _ name: String) throws(CacheError) -> StoredRecord? {
        var record: StoredRecord?
        try unsafe visitStoredValues(kind, [ModelIdentifier(name)]) { key, value in
            record = unsafe StoredRecord(key: key, stored: value)
        }
        return record
    }

    /// Visits the keys and values of `names` as the engine holds them, those that are there; the bytes are valid during
    /// the call only.
    package func visitStoredValues(
        _ kind: StoredRecord.Kind, _ names: [ModelIdentifier],
        _ visit: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Void
    ) throws(CacheError) {
        var key = KeyBuffer()
        try withStoreView { (view) throws(CacheError) in
            for name in names {
                unsafe name.withUTF8 { unsafe key.set(kind.namespace, $0) }
                guard let stored = try unsafe view.get(key.bytes) else { continue }
                unsafe visit(key.bytes, stored)
            }
        }
    }

    /// Visits the records of one kind in the order of their names' bytes, until `visit` returns false.
    package func forEachStoredRecord(
        _ kind: StoredRecord.Kind, _ visit: (StoredRecord) -> Bool
    ) throws(CacheError) {
        try unsafe forEachStoredValue(kind) { key, value in
            unsafe visit(StoredRecord(key: key, stored: value))
        }
    }

    /// Visits the keys and values of one kind as the engine holds them, until `visit` returns false; the bytes are valid
    /// during the call only.
    package func forEachStoredValue(
        _ kind: StoredRecord.Kind,
        _ visit: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Bool
    ) throws(CacheError) {
        var prefix = kind.namespace
        try withStoreView { (view) throws(CacheError) in
            try unsafe withUnsafeBytes(of: &prefix) { (prefix) throws(CacheError) in
                try unsafe view.scan(prefix: prefix) { unsafe visit($0, $1) }
            }
        }
    }

    /// Runs `body`, which reads and queues, while the writer rests: what is queued stays so, for measurements.
    package func whileWriterRests(_ body: () throws -> Void) rethrows {
        try core.writer.sync(execute: body)
    }

    private func withStoreView<Value>(_ body: (any NodeView) throws(CacheError) -> Value) throws(CacheError) -> Value {
        try checkOpen()
        return try core.withOpenStore { (store) throws(CacheError) in
            let view = try store.view()
            defer { view.end() }
            return try body(view)
        }
    }
}

extension StoredRecord.Kind {
    fileprivate var namespace: UInt8 {
        switch self {
        case .node: Namespace.node
        case .collection: Namespace.collection
        case .alias: Namespace.alias
        case .chunk: Namespace.chunk
        case .meta: Namespace.meta
        }
    }

    fileprivate init(namespace: UInt8?) {
        switch namespace {
        case Namespace.node: self = .node
        case Namespace.collection: self = .collection
        case Namespace.alias: self = .alias
        case Namespace.chunk: self = .chunk
        default: self = .meta
        }
    }
}

extension StoredRecord {
    fileprivate init(key: UnsafeRawBufferPointer, stored: UnsafeRawBufferPointer) {
        kind = unsafe Kind(namespace: key.first)
        name =
            unsafe kind == .chunk
            ? StoredRecord.digits(key.dropFirst()) : String(decoding: key.dropFirst(), as: UTF8.self)
        byteCount = key.count + stored.count
        do throws(RecordHeader.Failure) {
            envelope = .success(try unsafe Envelope(RecordHeader(stored, key: key)))
        } catch {
            switch error {
            case .corrupted:
                envelope = .failure(CacheError(.corrupted, "The stored record is damaged."))
            case .unsupportedFormat:
                envelope = .failure(CacheError(.unsupportedFormat, "A later version of Grove wrote the record."))
            }
        }
    }
}

extension StoredRecord {
    private static func digits(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
}

extension StoredRecord.Envelope {
    fileprivate init(_ header: RecordHeader) throws(RecordHeader.Failure) {
        let names: [(RecordHeader.Flags, String)] = [
            (.tombstone, "tombstone"), (.references, "references"), (.deletion, "deletion"),
            (.deletionUncertain, "deletionUncertain"), (.projections, "projections"), (.replaced, "replaced"),
            (.runs, "runs"), (.chunks, "chunks"),
        ]
        let fieldCount = unsafe RecordBody.fieldCount(header.body)
        flags = names.filter { header.flags.contains($0.0) }.map(\.1)
        sequence = header.sequence
        deletion = header.deletion
        isTombstone = header.flags.contains(.tombstone)
        recordName = unsafe String(decoding: header.recordName, as: UTF8.self)
        projections = try ProjectionTable(header, fieldCount: fieldCount).rows.map {
            (String(decoding: $0.name, as: UTF8.self), $0.sequence, $0.time, $0.fields)
        }
        body = unsafe Array(header.body)
    }
}

extension StoredRecord.Envelope {
    /// The identifiers of the nodes that the body refers to, in order, duplicates included.
    package var references: [ModelIdentifier] {
        var found: [ModelIdentifier] = []
        unsafe body.withUnsafeBytes { body in
            try? unsafe RecordBody.forEachReference(in: body) {
                unsafe found.append(ModelIdentifier(String(decoding: $0, as: UTF8.self)))
            }
        }
        return found
    }
}

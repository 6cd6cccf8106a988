import GroveCoding
package import GroveModel

/// The record under one key of a store, taken apart as far as that goes without the model's type.
package struct StoredRecord: Sendable {
    /// The kind of the record.
    package enum Kind: String, Sendable {
        case node
        case collection
        case alias
        /// A part of a long collection; it has no name that a store is asked for.
        case chunk
        /// The names that records share; it has no name that a store is asked for.
        case shape
        /// The changes of a commit; it has no name that a store is asked for.
        case history
        /// The store's own record.
        case meta
    }

    /// The envelope, checked.
    package struct Envelope: Sendable {
        package let flags: [String]
        package let sequence: CallNumber
        /// The number of the last deletion that the record follows, 0 if there was none.
        package let deletion: CallNumber
        package let isTombstone: Bool
        package let recordName: String
        /// The projections that wrote the record, each with the number of its last write, its time, and whether it
        /// carried each of the body's fields.
        ///
        /// The time is that of the last confirmation, in seconds since 1970; 0 if it is not known.
        package let projections: [(name: String, sequence: CallNumber, time: UInt32, fields: [Bool])]
        /// The body with its names, wherever these are stored.
        package let body: [UInt8]
    }

    package let kind: Kind
    /// The identifier, or the key of a collection or an alias; of a chunk, a shape and an entry of the history, the
    /// digits of its key.
    package let name: String
    /// The bytes of key and record.
    package let byteCount: Int
    /// The envelope; or the reason why it cannot be read.
    package let envelope: Result<Envelope, CacheError>
}

extension StoredRecord.Kind {
    var namespace: UInt8 {
        switch self {
        case .node: Namespace.node
        case .collection: Namespace.collection
        case .alias: Namespace.alias
        case .chunk: Namespace.chunk
        case .shape: Namespace.shape
        case .history: Namespace.history
        case .meta: Namespace.meta
        }
    }

    fileprivate init(namespace: UInt8?) {
        switch namespace {
        case Namespace.node: self = .node
        case Namespace.collection: self = .collection
        case Namespace.alias: self = .alias
        case Namespace.chunk: self = .chunk
        case Namespace.shape: self = .shape
        case Namespace.history: self = .history
        default: self = .meta
        }
    }
}

extension StoredRecord {
    init(key: UnsafeRawBufferPointer, stored: UnsafeRawBufferPointer, shapes: ShapeTable) {
        kind = unsafe Kind(namespace: key.first)
        name =
            unsafe kind == .chunk || kind == .shape || kind == .history
            ? Namespace.digits(key.dropFirst()) : String(decoding: key.dropFirst(), as: UTF8.self)
        byteCount = key.count + stored.count
        do throws(RecordHeader.Failure) {
            var header = try unsafe RecordHeader(stored, key: key)
            guard header.findShape(shapes) else {
                envelope = .failure(CacheError(.corrupted, "The record's names are lost with their shape."))
                return
            }
            envelope = .success(try Envelope(header))
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

extension StoredRecord.Envelope {
    fileprivate init(_ header: RecordHeader) throws(RecordHeader.Failure) {
        let names: [(RecordHeader.Flags, String)] = [
            (.tombstone, "tombstone"), (.references, "references"), (.deletion, "deletion"),
            (.deletionUncertain, "deletionUncertain"), (.projections, "projections"), (.shape, "shape"),
            (.runs, "runs"), (.chunks, "chunks"),
        ]
        flags = names.filter { header.flags.contains($0.0) }.map(\.1)
        sequence = header.sequence
        deletion = header.deletion
        isTombstone = header.flags.contains(.tombstone)
        recordName = unsafe String(decoding: header.recordName, as: UTF8.self)
        projections = try ProjectionTable(header, fieldCount: header.fieldCount).rows.map {
            (String(decoding: $0.name, as: UTF8.self), $0.sequence, $0.time, $0.fields)
        }
        guard let shape = header.shape else {
            body = unsafe Array(header.body)
            return
        }
        do throws(NodeReadFailure) {
            body = try unsafe shape.map(of: header.body)
        } catch {
            throw .corrupted
        }
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

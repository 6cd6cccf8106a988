package import GroveModel

/// The record that results if one projection is written over a record of several.
package struct RecordMerge {
    private var out: ByteBuffer
    /// The encoded table of projections for the envelope.
    package let table: [UInt8]
    /// The number of the record: the number of the last of the projections' writes.
    package let sequence: CallNumber
    /// The record's flags for projections and references.
    package let flags: RecordHeader.Flags
    /// Whether the merged body differs from the stored one.
    package let bodyChanged: Bool
    /// Whether the stored record has the same fields and projections already, apart from places in time.
    package let isUnchanged: Bool
    /// The oldest place in time that a reference of the projection had before.
    package let oldestPlace: CallNumber
    /// The projections that wrote the stored record.
    package let before: ProjectionTable

    /// The merged body, valid until ``deallocate()``.
    package var bytes: UnsafeRawBufferPointer { unsafe out.bytes }

    package func deallocate() { out.deallocate() }

    /// Merges `node`, as its projection wrote it in the write numbered `sequence`, called at `time`, over the record of
    /// `stored`.
    ///
    /// - Throws: ``NodeReadFailure`` or ``RecordHeader/Failure`` if the stored record cannot be taken apart;
    ///   ``CacheError`` with code `unencodable`.
    package init(stored: RecordHeader, node: NodeTree.Node, sequence: CallNumber, time: UInt32) throws {
        let new: RecordBody
        do throws(NodeReadFailure) {
            new = try RecordBody(node)
        } catch {
            throw CacheError.bodyIsNoMap
        }
        let projection = unsafe Array(node.projection)
        var record = try ProjectedRecord(stored)
        let before = record
        let oldest = record.oldestPlace(of: projection)
        record.write(new, as: projection, at: sequence, time: time)
        try self.init(record, over: stored, before: before, oldestPlace: oldest)
    }

    /// The record of `stored` without the projections that were last written before `deletion`.
    package init(stored: RecordHeader, forgettingBefore deletion: CallNumber) throws {
        var record = try ProjectedRecord(stored)
        let before = record
        record.forget(before: deletion)
        try self.init(record, over: stored, before: before, oldestPlace: .max)
    }

    private init(
        _ record: ProjectedRecord, over stored: RecordHeader, before: ProjectedRecord, oldestPlace: CallNumber
    ) throws(CacheError) {
        table = try record.table.encoded()
        sequence = record.table.rows.reduce(.zero) { max($0, $1.sequence) }
        flags = record.holdsReferences ? [.references, .projections] : .projections
        self.oldestPlace = oldestPlace
        self.before = before.table
        var out = unsafe ByteBuffer(capacity: stored.body.count + 256)
        record.appendBody(to: &out)
        self.out = out
        bodyChanged = !record.fields.elementsEqual(before.fields) {
            unsafe isEqual($0.key, $1.key) && isEqual($0.value, $1.value)
        }
        isUnchanged = !bodyChanged && record.table.agrees(with: before.table)
    }
}

extension CacheError {
    /// The error of a node whose encoding cannot be stored.
    package static var bodyIsNoMap: CacheError {
        CacheError(.unencodable, "A node encodes one value for each of its fields, whose names ascend.")
    }
}

import GroveModel

/// The body that comes of writing one projection over a record that others wrote too.
///
/// The fields that only this projection carried go, then its new ones are set: a field that the write lacks keeps what
/// others wrote, a null overwrites, and the same projection written again replaces its own (DESIGN §4).
struct RecordMerge {
    private var out: ByteBuffer
    /// The encoded table of projections for the envelope.
    let table: [UInt8]
    let holdsReferences: Bool
    /// Whether the merged body differs from the stored one.
    let bodyChanged: Bool
    /// Whether the stored record, table included, says all of this already.
    let isUnchanged: Bool

    /// The merged body, valid until ``deallocate()``.
    var bytes: UnsafeRawBufferPointer { unsafe out.bytes }

    func deallocate() { out.deallocate() }

    /// Merges `body`, as `projection` wrote it, over the record of `stored`.
    ///
    /// - Throws: ``NodeReadFailure`` or ``RecordHeader/Failure`` where what is stored cannot be taken apart;
    ///   ``CacheError`` with code `unencodable`.
    init(stored: RecordHeader, body: UnsafeRawBufferPointer, projection: [UInt8]) throws {
        let old = try unsafe RecordBody(stored.body).fields
        let new = try unsafe RecordBody(body).fields
        let oldTable = try unsafe ProjectionTable(stored, fieldCount: old.count)
        let others = oldTable.rows.filter { $0.name != projection }

        var rows = others.map { ProjectionTable.Row(name: $0.name, fields: []) }
        var own = ProjectionTable.Row(name: projection, fields: [])
        var fields: [(key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)] = unsafe []
        var left = 0
        var right = 0
        while unsafe left < old.count || right < new.count {
            let order =
                unsafe left == old.count
                ? 1 : right == new.count ? -1 : lexicographicOrder(old[left].key, new[right].key)
            let isCarriedByOthers = order <= 0 && others.contains { $0.fields[left] }
            if order >= 0 {
                unsafe fields.append(new[right])
            } else if isCarriedByOthers {
                unsafe fields.append(old[left])
            }
            if order >= 0 || isCarriedByOthers {
                for index in rows.indices { rows[index].fields.append(order <= 0 && others[index].fields[left]) }
                own.fields.append(order >= 0)
            }
            if order <= 0 { left += 1 }
            if order >= 0 { right += 1 }
        }
        rows.append(own)
        rows.sort { $0.name.lexicographicallyPrecedes($1.name) }

        var table = ProjectionTable()
        table.rows = rows
        self.table = try table.encoded()
        var out = unsafe ByteBuffer(capacity: stored.body.count + body.count + 16)
        unsafe out.appendHead(CBORMajor.map, UInt64(fields.count))
        for index in unsafe 0..<fields.count {
            unsafe out.append(fields[index].key)
            unsafe out.append(fields[index].value)
        }
        self.out = out
        var holdsReferences = false
        for index in unsafe 0..<fields.count where !holdsReferences {
            try? unsafe RecordBody.forEachReference(in: fields[index].value) { _ in holdsReferences = true }
        }
        self.holdsReferences = holdsReferences
        bodyChanged = unsafe !isEqual(stored.body, out.bytes)
        isUnchanged = unsafe !bodyChanged && self.table.elementsEqual(stored.projectionTable)
    }
}

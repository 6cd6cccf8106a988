package import GroveModel

/// A record that several projections wrote, or are about to write, taken apart: its fields, and the table of
/// projections.
@safe
package struct ProjectedRecord {
    @safe
    package struct Field {
        package let key: UnsafeRawBufferPointer
        package var value: UnsafeRawBufferPointer
    }

    package private(set) var fields: [Field]
    package private(set) var table: ProjectionTable

    /// Takes the record of `stored` apart; the fields point into it.
    ///
    /// - Throws: ``NodeReadFailure`` or ``RecordHeader/Failure`` if the record cannot be taken apart.
    package init(_ stored: RecordHeader) throws {
        let body = try RecordBody(stored)
        fields = unsafe body.fields.map { unsafe Field(key: $0.key, value: $0.value) }
        table = try ProjectionTable(stored, fieldCount: fields.count)
    }

    /// Whether field `index` holds references, which have a place in time.
    package func holdsReferences(_ index: Int) -> Bool {
        var holds = false
        try? unsafe RecordBody.forEachReference(in: fields[index].value) { _ in holds = true }
        return holds
    }

    package var holdsReferences: Bool { fields.indices.contains { holdsReferences($0) } }

    /// The oldest place in time of the references that `projection` carries, or the greatest number if it carries none.
    package func oldestPlace(of projection: [UInt8]) -> CallNumber {
        guard let row = table.rows.first(where: { $0.name == projection }) else { return .max }
        var place = CallNumber.max
        for index in fields.indices where row.fields[index] && holdsReferences(index) {
            place = min(place, table.place(of: index))
        }
        return place
    }

    /// Writes `new`, the fields of a body, as `projection` did in the write numbered `sequence`, which confirms it as
    /// of `time`; 0 keeps the time of its row.
    ///
    /// The fields that only this projection carried go, then its new ones are set. A field that is missing in the write
    /// keeps the value that other projections wrote; a null overwrites it.
    package mutating func write(_ new: RecordBody, as projection: [UInt8], at sequence: CallNumber, time: UInt32) {
        var (place, time) = (sequence, time)
        if let old = table.rows.first(where: { $0.name == projection }) {
            if time == 0 { time = old.time }
            // Content that is written again unchanged keeps the later of its two places.
            if isCarried(new, by: old) { place = max(place, old.sequence) }
            leave(old, for: new)
        }
        var own = ProjectionTable.Row(
            name: projection, sequence: place, time: time, fields: Array(repeating: false, count: fields.count))
        var position = 0
        for index in unsafe new.fields.indices {
            let (key, value) = unsafe new.fields[index]
            var order = 1
            while position < fields.count {
                unsafe order = lexicographicOrder(fields[position].key, key)
                if order >= 0 { break }
                position += 1
            }
            if position < fields.count, order == 0 {
                own.fields[position] = true
                guard unsafe !isEqual(fields[position].value, value) else { continue }
                unsafe fields[position].value = unsafe value
                noteReplaced(position)
                // A call that comes late sets the field, and at its own place: the projections that wrote it later are
                // forgotten.
                if table.rows.contains(where: { $0.sequence > place }), holdsReferences(position) {
                    table.rows.removeAll { $0.sequence > place && $0.fields[position] }
                }
            } else {
                unsafe fields.insert(Field(key: key, value: value), at: position)
                own.fields.insert(true, at: position)
                for row in table.rows.indices { table.rows[row].insertField(at: position) }
            }
        }
        table.rows.append(own)
        table.rows.sort { $0.name.lexicographicallyPrecedes($1.name) }
        removeOrphans()
    }

    /// Notes for the projections that carry field `index` that another one has set it: if it holds maps, fields absent
    /// from them are unknown to those projections from now on.
    private mutating func noteReplaced(_ index: Int) {
        let holdsMaps = unsafe RecordBody.holdsMaps(fields[index].value)
        for row in table.rows.indices where table.rows[row].fields[index] {
            table.rows[row].setReplaced(index, holdsMaps)
        }
    }

    /// Takes `old`, a projection that is written again with `new`, out of the table.
    ///
    /// A reference keeps its place if `old` has it, `new` does not, and other projections carry it. If that would make
    /// another of their fields younger than it is, those projections are forgotten.
    private mutating func leave(_ old: ProjectionTable.Row, for new: RecordBody) {
        let places = fields.indices.map { table.place(of: $0) }
        table.rows.removeAll { $0.name == old.name }
        for index in fields.indices.reversed() where old.fields[index] {
            let place = places[index]
            guard table.place(of: index) < place, unsafe !new.contains(fields[index].key), holdsReferences(index),
                let carrier = table.rows.firstIndex(where: { $0.fields[index] })
            else { continue }
            let row = table.rows[carrier]
            let isFree = places.indices.allSatisfy {
                $0 == index || places[$0] >= place || !row.fields[$0]
            }
            if isFree {
                table.rows[carrier].sequence = place
            } else {
                table.rows.removeAll { $0.fields[index] }
            }
        }
    }

    /// Removes the projections that were last written before `deletion`, and the fields that only they carried.
    package mutating func forget(before deletion: CallNumber) {
        table.rows.removeAll { $0.sequence < deletion }
        removeOrphans()
    }

    /// Whether `row` carries exactly the fields of `new`, with their values.
    private func isCarried(_ new: RecordBody, by row: ProjectionTable.Row) -> Bool {
        var index = 0
        for position in fields.indices where row.fields[position] {
            guard unsafe index < new.fields.count, unsafe isEqual(fields[position].key, new.fields[index].key),
                unsafe isEqual(fields[position].value, new.fields[index].value)
            else { return false }
            index += 1
        }
        return unsafe index == new.fields.count
    }

    private mutating func removeOrphans() {
        for index in fields.indices.reversed() where !table.rows.contains(where: { $0.fields[index] }) {
            fields.remove(at: index)
            for row in table.rows.indices { table.rows[row].removeField(at: index) }
        }
    }

    /// Appends the fields as a body.
    package func appendBody(to out: inout ByteBuffer) {
        out.appendHead(CBORMajor.map, UInt64(fields.count))
        for field in fields {
            unsafe out.append(field.key)
            unsafe out.append(field.value)
        }
    }
}

extension ProjectionTable.Row {
    /// Makes room for a field that the projection does not carry.
    fileprivate mutating func insertField(at index: Int) {
        fields.insert(false, at: index)
        if !replaced.isEmpty { replaced.insert(false, at: index) }
    }

    fileprivate mutating func removeField(at index: Int) {
        fields.remove(at: index)
        if !replaced.isEmpty { setReplaced(index, false) }
        if !replaced.isEmpty { replaced.remove(at: index) }
    }

    fileprivate mutating func setReplaced(_ index: Int, _ isReplaced: Bool) {
        if replaced.isEmpty {
            guard isReplaced else { return }
            replaced = Array(repeating: false, count: fields.count)
        }
        replaced[index] = isReplaced
        if !replaced.contains(true) { replaced = [] }
    }
}

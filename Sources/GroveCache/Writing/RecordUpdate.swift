import GroveCoding
import GroveModel

/// One change that a write makes to one key: the step from the stored record to the next one.
///
/// The writer applies it inside its transaction. A reader applies it to the record that its view shows while the write
/// is still queued. Both use this one function, so a read sees exactly the record that the commit will store.
@safe
struct RecordUpdate {
    enum Change {
        /// Store a node's body, as the projection that wrote it; the code that applies this holds the node's tree.
        case node(NodeTree.Node)
        /// Store a reference under an alias's key.
        case bytes([UInt8])
        /// Remember that the node was deleted.
        case tombstone
        /// Forget that the node was deleted before this call: it is there again for holders that name it.
        case undelete
        /// Forget the key.
        case remove
        /// Forget the key because the value that should be there was not stored; what was changed since stays.
        case invalidate(PendingWrite.Invalidation)
    }

    enum Outcome {
        /// The stored record says the same already.
        case unchanged
        /// It says the same, and the bytes in the buffer take its place: they say that this call confirmed it.
        case renewed
        /// The write is older than a deletion or than the stored record, and changes nothing.
        case superseded
        /// The bytes in the buffer take the place of the stored record.
        case replaced(bodyChanged: Bool)
        /// The same, for a deletion after which the node was written again: it stays, and only earlier holders are
        /// without it.
        case overtaken
        /// The key goes.
        case removed

        /// Whether the stored record said the same already.
        var isUnchanged: Bool {
            switch self {
            case .unchanged, .renewed: true
            case .superseded, .replaced, .overtaken, .removed: false
            }
        }
    }

    let key: UnsafeRawBufferPointer
    let change: Change
    /// The number of the write, or of the place that it is as of.
    let sequence: CallNumber
    /// The number after which a change of the record wins, because the write is as of an earlier place; `nil` if it is
    /// as of itself.
    var yieldsAfter: CallNumber?
    /// Whether a node is stored only if there is no record of its projection.
    let fillsOnly: Bool
    /// The time at which the content was confirmed, in seconds since 1970; 0 if the write confirms nothing: the
    /// record's time stays.
    let time: UInt32
    /// The age in seconds from which the time of a record that says the same is renewed; `nil` for never.
    var renewal: UInt32?
    /// Whether a record that says the same is rewritten nevertheless, for its sequence.
    var refreshes = false
    /// See ``StoreState/forgottenDeletion``; ``apply(to:into:shapes:)`` may raise it.
    var forgottenDeletion = CallNumber.zero

    /// The node of the change without names, if that can be; to be set before ``apply(to:into:shapes:)``, which stores
    /// it so if the store has its shape.
    var shaped: ShapedBody?

    /// The deletion that the node's record follows, after ``apply(to:into:shapes:)``.
    private(set) var deletion = RecordBuilder.Deletion.none
    /// The place in time of the stored record, if it says the same; after ``apply(to:into:shapes:)``.
    private(set) var storedSequence = CallNumber.zero

    init(
        key: UnsafeRawBufferPointer, change: Change, sequence: CallNumber, time: UInt32, fillsOnly: Bool = false
    ) {
        unsafe self.key = unsafe key
        self.change = change
        self.sequence = sequence
        self.time = time
        self.fillsOnly = fillsOnly
    }

    /// Applies the change to `stored`, and writes the new record into `out`, which it empties first.
    ///
    /// - Parameter shapes: has the shape of `stored`, unless that is the node's own or is lost. A record whose shape is
    ///   lost has no say in what a node becomes.
    /// - Throws: ``CacheError`` with code `unsupportedFormat` if a later version wrote the stored record, which is then
    ///   left alone; `unencodable`.
    mutating func apply(
        to stored: UnsafeRawBufferPointer?, into out: inout ByteBuffer, shapes: ShapeTable
    ) throws(CacheError) -> Outcome {
        out.removeAll()
        deletion = RecordBuilder.Deletion(sequence: forgottenDeletion, isUncertain: forgottenDeletion > .zero)
        var header: RecordHeader?
        if let stored = unsafe stored {
            do throws(RecordHeader.Failure) {
                header = unsafe try RecordHeader(stored, key: key)
            } catch {
                switch error {
                case .unsupportedFormat:
                    // No read takes this record for a value, so there is nothing to forget.
                    if case .invalidate = change { return .unchanged }
                    throw CacheError(
                        .unsupportedFormat, "A later version of Grove wrote the record; it is left as it is.")
                case .corrupted:
                    // The record's deletion is lost with it: a holder written before now cannot rely on the node.
                    deletion = RecordBuilder.Deletion(sequence: sequence.previous, isUncertain: true)
                }
            }
        }
        if let header {
            if header.flags.contains(.tombstone) {
                deletion = RecordBuilder.Deletion(sequence: header.sequence)
            } else {
                deletion = RecordBuilder.Deletion(
                    sequence: header.deletion, isUncertain: header.flags.contains(.deletionUncertain))
            }
        }
        switch change {
        case .remove, .invalidate:
            if let header, let yieldsAfter, header.sequence > yieldsAfter {
                // The value that was not stored may be of a projection that was not changed since.
                return try forget(upTo: yieldsAfter, of: header, into: &out)
            }
            // A deleted node is a miss already, and its record says since when.
            if case .invalidate = change, header?.flags.contains(.tombstone) == true { return .unchanged }
            if unsafe key[0] == Namespace.node {
                forgottenDeletion = max(forgottenDeletion, deletion.sequence)
                if case .invalidate(let why) = change, why.isDeletion {
                    forgottenDeletion = max(forgottenDeletion, sequence)
                }
            }
            return unsafe stored == nil ? .unchanged : .removed
        case .tombstone:
            if let header, let yieldsAfter, header.sequence > yieldsAfter { return .superseded }
            return try applyTombstone(over: header, into: &out)
        case .undelete:
            guard let header, !header.flags.contains(.tombstone), header.deletion > .zero,
                header.deletion <= sequence
            else {
                return .unchanged
            }
            deletion = .none
            try unsafe rebuild(header, header.projectionTable, time: header.time, deletion, into: &out)
            return .replaced(bodyChanged: false)
        case .bytes(let body):
            if let header, let yieldsAfter, header.sequence > yieldsAfter { return .superseded }
            let isSame = header.map { unsafe $0.body.elementsEqual(body) } ?? false
            if let header, isSame, !refreshes || header.sequence >= sequence {
                storedSequence = header.sequence
                return try renew(header, into: &out)
            }
            try unsafe body.withUnsafeBytesTyped { (body) throws(CacheError) in
                try unsafe RecordBuilder.build(
                    into: &out, key: key, flags: .references, sequence: sequence, time: time(over: header),
                    body: body)
            }
            return .replaced(bodyChanged: !isSame)
        case .node(let node):
            if fillsOnly, let header {
                if header.flags.contains(.tombstone) { return .superseded }
                if isNewer(header, than: node, .zero) {
                    storedSequence = header.sequence
                    return .unchanged
                }
            }
            if header == nil, isSavedAgain {
                // A deletion since then is forgotten. It may be another node's, and an edit is not lost for that.
                deletion.sequence = min(deletion.sequence, sequence.previous)
            } else if deletion.sequence > yieldsAfter ?? sequence {
                return .superseded
            }
            if let header, let yieldsAfter, isNewer(header, than: node, yieldsAfter) { return .superseded }
            if var header, hasShape(of: header) || header.findShape(shapes) {
                return try applyNode(node, over: header, into: &out)
            }
            return try storeAnew(node, into: &out)
        }
    }

    /// Whether the write is an edit that was refused before, and confirms nothing.
    private var isSavedAgain: Bool { yieldsAfter != nil && time == 0 }

    /// Whether the record of `header` was changed, as the node's projection or as another type, after the call of
    /// `number`.
    private func isNewer(_ header: RecordHeader, than node: NodeTree.Node, _ number: CallNumber) -> Bool {
        guard header.sequence > number, !header.flags.contains(.tombstone) else { return false }
        guard header.flags.contains(.projections), unsafe isEqual(header.recordName, node.recordName) else {
            // A change to a record of another projection says nothing of this one's fields.
            return unsafe hasShape(of: header) || !isEqual(header.recordName, node.recordName)
                || isEqual(header.projection, node.projection)
        }
        guard let table = unsafe try? ProjectionTable(header, fieldCount: RecordBody.fieldCount(header.body)) else {
            return true
        }
        return unsafe table.row(of: node.projection).map { $0.sequence > number } ?? false
    }

    /// The time of a record that is stored over that of `header`.
    private func time(over header: RecordHeader?) -> UInt32 { time > 0 ? time : header?.time ?? 0 }

    private func applyTombstone(
        over header: RecordHeader?, into out: inout ByteBuffer
    ) throws(CacheError) -> Outcome {
        let isDeleted = header.map { $0.flags.contains(.tombstone) } ?? false
        if let header, isDeleted, header.sequence >= sequence { return .unchanged }
        if let header, !isDeleted, header.sequence > sequence {
            // A later call has written the node again already: earlier holders must not show the new node.
            guard header.deletion < sequence else { return .superseded }
            if header.flags.contains(.projections),
                let kept = try? RecordMerge(stored: header, forgettingBefore: sequence)
            {
                try build(kept, over: header, RecordBuilder.Deletion(sequence: sequence), into: &out)
                return .overtaken
            }
            try unsafe rebuild(
                header, header.projectionTable, time: header.time, RecordBuilder.Deletion(sequence: sequence),
                into: &out)
            return .overtaken
        }
        // A tombstone takes the newest deletion's number, so that no call from between the two lands after it.
        try unsafe RecordBuilder.build(into: &out, key: key, flags: .tombstone, sequence: sequence)
        return .replaced(bodyChanged: !isDeleted)
    }

    /// Forgets the projections of the stored record that were not written after `number`, if there are any: others
    /// were.
    private func forget(
        upTo number: CallNumber, of header: RecordHeader, into out: inout ByteBuffer
    ) throws(CacheError) -> Outcome {
        guard header.flags.contains(.projections),
            let kept = try? RecordMerge(stored: header, forgettingBefore: number.next)
        else { return .superseded }
        if kept.isUnchanged {
            kept.deallocate()
            return .superseded
        }
        try build(kept, over: header, deletion, into: &out)
        return .replaced(bodyChanged: true)
    }

    /// Writes what `kept` has of the stored record of `header`, and frees it.
    private func build(
        _ kept: RecordMerge, over header: RecordHeader, _ deletion: RecordBuilder.Deletion, into out: inout ByteBuffer
    ) throws(CacheError) {
        defer { kept.deallocate() }
        try unsafe kept.table.withUnsafeBytesTyped { (table) throws(CacheError) in
            try unsafe RecordBuilder.build(
                into: &out, key: key, flags: kept.flags, sequence: kept.sequence, time: header.time,
                deletion: deletion, recordName: header.recordName, projection: header.projection,
                projectionTable: table, body: kept.bytes)
        }
    }

    private mutating func applyNode(
        _ node: NodeTree.Node, over header: RecordHeader, into out: inout ByteBuffer
    ) throws(CacheError) -> Outcome {
        let hasShape = hasShape(of: header)
        guard !header.flags.contains(.tombstone), unsafe hasShape || isEqual(header.recordName, node.recordName) else {
            return try storeAnew(node, into: &out)
        }
        storedSequence = header.sequence
        if !header.flags.contains(.projections), unsafe hasShape || isEqual(header.projection, node.projection) {
            let isSame = isSame(node, as: header)
            if isSame, !refreshes || header.sequence >= sequence { return try renew(header, into: &out) }
            try build(node, time: time(over: header), into: &out)
            return .replaced(bodyChanged: !isSame)
        }
        do {
            let merged = try RecordMerge(stored: header, node: node, sequence: sequence, time: time)
            defer { merged.deallocate() }
            storedSequence = merged.oldestPlace
            if merged.isUnchanged, !refreshes || merged.oldestPlace >= sequence {
                return try unsafe renew(header, merged.before, node.projection, into: &out)
            }
            try unsafe merged.table.withUnsafeBytesTyped { (table) throws(CacheError) in
                try unsafe RecordBuilder.build(
                    into: &out, key: key, flags: merged.flags, sequence: merged.sequence, time: time(over: header),
                    deletion: deletion,
                    recordName: node.recordName,
                    projection: node.projection, projectionTable: table, body: merged.bytes)
            }
            return .replaced(bodyChanged: merged.bodyChanged)
        } catch let error as CacheError {
            throw error
        } catch {
            // A stored body that cannot be taken apart has nothing to merge with.
            try build(node, time: time, into: &out)
            return .replaced(bodyChanged: true)
        }
    }

    /// Whether the record of `header`, of the same names, has the fields of `node`.
    private func isSame(_ node: NodeTree.Node, as header: RecordHeader) -> Bool {
        if header.flags.contains(.shape) {
            guard let shaped, hasShape(of: header) else { return false }
            return unsafe isEqual(header.body, shaped.values)
        }
        guard let shape = unsafe node.shape?.takeUnretainedValue() else {
            return unsafe isEqual(header.body, node.body)
        }
        return unsafe (try? shape.map(of: node.body))?.elementsEqual(header.body) ?? false
    }

    /// Whether the record of `header` has the shape of the node of the change, and so its names.
    private func hasShape(of header: RecordHeader) -> Bool {
        guard let shaped else { return false }
        return header.flags.contains(.shape) && header.shapeHash == shaped.hash
    }

    /// Writes the stored record of `header` with the call's time, if its own is old enough.
    private func renew(_ header: RecordHeader, into out: inout ByteBuffer) throws(CacheError) -> Outcome {
        guard isDue(header.time) else { return .unchanged }
        try unsafe rebuild(header, header.projectionTable, time: time, deletion, into: &out)
        return .renewed
    }

    /// The same of one that several projections wrote, for the row of `projection` in `table`.
    private func renew(
        _ header: RecordHeader, _ table: ProjectionTable, _ projection: UnsafeRawBufferPointer,
        into out: inout ByteBuffer
    ) throws(CacheError) -> Outcome {
        var table = table
        guard let index = unsafe table.index(of: projection), isDue(table.rows[index].time) else { return .unchanged }
        table.rows[index].time = time
        try unsafe table.encoded().withUnsafeBytesTyped { (bytes) throws(CacheError) in
            try unsafe rebuild(header, bytes, time: time, deletion, into: &out)
        }
        return .renewed
    }

    private func isDue(_ stored: UInt32) -> Bool {
        renewal.map { RenewalInterval.isDue(stored, at: time, every: $0) } ?? false
    }

    /// Appends the stored record of `header` with another table, time and deletion.
    private func rebuild(
        _ header: RecordHeader, _ table: UnsafeRawBufferPointer, time: UInt32, _ deletion: RecordBuilder.Deletion,
        into out: inout ByteBuffer
    ) throws(CacheError) {
        try unsafe RecordBuilder.build(
            into: &out, key: key, flags: header.flags.subtracting([.deletion, .deletionUncertain]),
            sequence: header.sequence, time: time, deletion: deletion, recordName: header.recordName,
            projection: header.projection, projectionTable: table, shape: header.shapeHash, body: header.body)
    }

    /// Writes `node` if no stored record has a say in it.
    private mutating func storeAnew(
        _ node: NodeTree.Node, into out: inout ByteBuffer
    ) throws(CacheError) -> Outcome {
        try build(node, time: time, into: &out)
        return .replaced(bodyChanged: true)
    }

    /// Appends the record of `node` as the one projection that wrote it.
    private mutating func build(_ node: NodeTree.Node, time: UInt32, into out: inout ByteBuffer) throws(CacheError) {
        if let shaped, shaped.isStored {
            return try unsafe RecordBuilder.build(
                into: &out, key: key, flags: node.holdsReferences ? [.references, .shape] : .shape, sequence: sequence,
                time: time, deletion: deletion, recordName: node.recordName, projection: node.projection,
                shape: shaped.hash, body: shaped.values)
        }
        guard let shape = unsafe node.shape?.takeUnretainedValue() else {
            return try unsafe build(node, body: node.body, time: time, into: &out)
        }
        let body: [UInt8]
        do throws(NodeReadFailure) {
            body = try unsafe shape.map(of: node.body)
        } catch {
            throw CacheError.bodyIsNoMap
        }
        try unsafe body.withUnsafeBytesTyped { (body) throws(CacheError) in
            try unsafe build(node, body: body, time: time, into: &out)
        }
    }

    /// The same with the names in the record: `body` is a map.
    private func build(
        _ node: NodeTree.Node, body: UnsafeRawBufferPointer, time: UInt32, into out: inout ByteBuffer
    ) throws(CacheError) {
        try unsafe RecordBuilder.build(
            into: &out, key: key, flags: node.holdsReferences ? .references : [], sequence: sequence,
            time: time, deletion: deletion, recordName: node.recordName, projection: node.projection, body: body)
    }
}

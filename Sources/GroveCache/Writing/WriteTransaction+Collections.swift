import GroveCoding
import GroveModel

/// Collections inside the transaction that writes: a long list is in chunks, and an edit writes those that it touches, and
/// the head.
extension WriteTransaction {
    /// Applies `extra` where it sets or edits a collection; where it forgets one, removes the chunks.
    ///
    /// - Returns: `nil` where the rest of it is yet to be done.
    mutating func applyToCollection(
        _ extra: PendingWrite.Extra, _ key: [UInt8], of write: PendingWrite, sequence: UInt64,
        deletions: [Int: UInt64]
    ) throws(CacheError) -> RecordUpdate.Outcome? {
        guard key.first == Namespace.collection else { return nil }
        do throws(CacheError) {
            switch extra {
            case .collection(_, let body):
                return try setCollection(key, body, of: write, sequence: sequence, deletions: deletions, write.held)
            case .edit(_, let edit):
                let stored = try transaction.collection(key)
                guard let held = write.held else {
                    return try editCollection(key, edit, of: stored, sequence: sequence)
                }
                if let whole = held.body {
                    return try setCollection(key, whole, of: write, sequence: sequence, deletions: deletions, held)
                }
                return try editCollection(key, edit, of: stored, held.list, deletions: deletions, sequence: sequence)
            default:
                try removeChunks(of: key)
                return nil
            }
        } catch {
            throw error.concerning(ModelIdentifier(String(decoding: key.dropFirst(), as: UTF8.self)))
        }
    }

    /// Stores `body`, an encoded array, as the list under `key`, a store's key.
    ///
    /// - Parameter deletions: nodes of `tree` that were deleted before, with the numbers of their deletions: a list that says
    ///   the same and was set before is stored all the same, for its number.
    mutating func setCollection(
        _ key: [UInt8], _ body: [UInt8], of write: PendingWrite, sequence: UInt64, deletions: [Int: UInt64],
        _ held: HeldEdit? = nil
    ) throws(CacheError) -> RecordUpdate.Outcome {
        let elements = try unsafe body.withUnsafeBytesTyped { (body) throws(CacheError) -> StoredElements in
            do throws(NodeReadFailure) {
                // Who was deleted since the place that the list is as of does not come back by it.
                return try unsafe StoredElements(list: body, number: write.asOf?.numbers?.number.rawValue ?? sequence)
            } catch {
                throw CacheError(.unencodable, "The body of a collection is one array.")
            }
        }
        let stored = try transaction.collection(key)
        var isSame = false
        if let stored, stored.count == elements.count, let others = try transaction.elements(of: stored),
            others.bytes == elements.bytes
        {
            isSame = true
            let oldest = others.numbers.min() ?? stored.sequence
            if !isNamed(deletions, after: oldest, in: body, write.tree) {
                note(held?.list, HeldList.Version(stored))
                return try confirm(key, stored, write.time)
            }
        }
        if let head = stored?.head { try remove(chunksOf: head) }
        try store(elements, key, sequence: sequence, time: write.time > 0 ? write.time : stored?.time ?? 0)
        note(held?.list, HeldList.Version(sequence: sequence, count: elements.count))
        return .replaced(bodyChanged: !isSame)
    }

    /// Applies an edit of `held` where `stored`, the list under `key`, is still that.
    ///
    /// - Throws: ``CacheError`` with code `outOfRange` where it is not, and then nothing was stored.
    private mutating func editCollection(
        _ key: [UInt8], _ edit: CollectionEdit, of stored: StoredCollection?, _ held: HeldList,
        deletions: [Int: UInt64], sequence: UInt64
    ) throws(CacheError) -> RecordUpdate.Outcome {
        let expected = heldLists.last { $0.list === held }?.version ?? held.stored
        guard let stored, HeldList.Version(stored) == expected else {
            throw CacheError(.outOfRange, "The collection was changed by others since the edit before.")
        }
        // To put a deleted element there again is a change, though it looks the same.
        if deletions.isEmpty, try isThere(edit, in: stored) {
            note(held, HeldList.Version(stored))
            return .unchanged
        }
        let outcome = try editCollection(key, edit, of: stored, sequence: sequence)
        if !edit.changesNothing {
            note(
                held,
                HeldList.Version(
                    sequence: max(stored.sequence, sequence), count: stored.count + edit.growth))
        }
        return outcome
    }

    /// Whether `edit` puts in the place of elements what is there.
    private func isThere(_ edit: CollectionEdit, in stored: StoredCollection) throws(CacheError) -> Bool {
        guard case .replace(let range, let others) = edit, range.count == others.count, !range.isEmpty,
            range.lowerBound >= 0, range.upperBound <= stored.count
        else { return false }
        switch stored.content {
        case .elements(let elements): return elements[range].bytes == others.bytes
        case .chunks(let head):
            let (chunks, positions) = head.window(of: range)
            guard chunks.count == 1 else { return false }
            let start = range.lowerBound - positions.lowerBound
            return try elements(chunks.lowerBound, of: head)[start..<start + range.count].bytes == others.bytes
        }
    }

    /// Remembers what a held list is in the store, once this transaction is committed.
    private mutating func note(_ held: HeldList?, _ version: HeldList.Version) {
        if let held { heldLists.append((held, version)) }
    }

    /// Applies `edit` to `stored`, the list under `key`, a store's key.
    ///
    /// A list that is edited keeps its time: what was there before is not confirmed by it.
    ///
    /// - Complexity: O(*m* + *n* / 128) for *m* elements that the edit is about, of *n*.
    /// - Throws: ``CacheError`` with code `outOfRange` where the list has no such position, or is not there, or where what the edit
    ///   needs of it was lost. Then nothing was stored.
    mutating func editCollection(
        _ key: [UInt8], _ edit: CollectionEdit, of stored: StoredCollection?, sequence: UInt64
    ) throws(CacheError) -> RecordUpdate.Outcome {
        guard var stored else {
            throw CacheError(.outOfRange, "There is no such collection; write it before it is edited.")
        }
        try edit.check(stored.count)
        guard !edit.changesNothing else { return .unchanged }
        // A later call may have come first; the list must not become older by this one.
        let version = max(stored.sequence, sequence)
        switch stored.content {
        case .elements(var elements):
            edit.apply(to: &elements, number: sequence)
            try store(elements, key, sequence: version, time: stored.time)
        case .chunks(var head):
            try apply(edit, to: &head, number: sequence)
            stored.content = .chunks(head)
            if head.count < CollectionHead.fewElements, let elements = try transaction.elements(of: stored) {
                try remove(chunksOf: head)
                stored.content = .elements(elements)
            }
            try store(stored, key, sequence: version, time: stored.time)
        }
        return .replaced(bodyChanged: true)
    }

    /// Takes the node of `identifier` out of every collection of which it is an element; a list of which a part was lost, or
    /// that a later version wrote, stays as it is.
    ///
    /// - Complexity: one pass over all collections.
    /// - Returns: the keys of the collections that had it.
    mutating func removeFromCollections(
        _ identifier: ModelIdentifier, sequence: UInt64
    ) throws(CacheError) -> [ModelIdentifier] {
        var keys: [[UInt8]] = []
        try unsafe [Namespace.collection].withUnsafeBytesTyped { (prefix) throws(CacheError) in
            try unsafe transaction.scan(prefix: prefix) { key, _ in
                unsafe keys.append(Array(key))
                return true
            }
        }
        var changed: [ModelIdentifier] = []
        for key in keys {
            guard let elements = try knownElements(key) else { continue }
            let positions = elements.positions(of: identifier)
            for position in positions.reversed() {
                _ = try editCollection(
                    key, .replace(position..<position + 1, with: StoredElements()),
                    of: try transaction.collection(key), sequence: sequence)
            }
            guard !positions.isEmpty else { continue }
            changed.append(ModelIdentifier(String(decoding: key.dropFirst(), as: UTF8.self)))
        }
        return changed
    }

    /// All elements of the list under `key`; `nil` where a part of it was lost, or a later version wrote it.
    private func knownElements(_ key: [UInt8]) throws(CacheError) -> StoredElements? {
        do throws(CacheError) {
            return try transaction.collection(key).flatMap { (list) throws(CacheError) in
                try transaction.elements(of: list)
            }
        } catch {
            guard error.code == .unsupportedFormat else { throw error }
            return nil
        }
    }

    /// Removes the chunks of the collection under `key`, a store's key, where it has any.
    mutating func removeChunks(of key: [UInt8]) throws(CacheError) {
        if let head = try head(key) { try remove(chunksOf: head) }
    }

    /// Which chunks the collection under `key` has; `nil` where that has none, or is a later version's.
    func head(_ key: [UInt8]) throws(CacheError) -> CollectionHead? {
        do throws(CacheError) {
            return try transaction.collection(key)?.head
        } catch {
            guard error.code == .unsupportedFormat else { throw error }
            return nil
        }
    }

    // MARK: The whole list

    /// Stores `elements` as the whole list under `key`, which has no chunks now.
    private mutating func store(
        _ elements: StoredElements, _ key: [UInt8], sequence: UInt64, time: UInt32
    ) throws(CacheError) {
        let list: StoredCollection
        if elements.count <= CollectionHead.mostElements {
            list = StoredCollection(.elements(elements), sequence: sequence, time: time)
        } else {
            var head = CollectionHead(key, sequence: sequence)
            try replace(0..<0, with: elements.parts(areLast: true), in: &head)
            try storeName(of: key, head, sequence: sequence)
            list = StoredCollection(.chunks(head), sequence: sequence, time: time)
        }
        try store(list, key, sequence: sequence, time: time)
    }

    private mutating func store(
        _ list: StoredCollection, _ key: [UInt8], sequence: UInt64, time: UInt32
    ) throws(CacheError) {
        try unsafe key.withUnsafeBytesTyped { (key) throws(CacheError) in
            try unsafe store(key) { (out) throws(CacheError) in
                try unsafe list.build(into: &out, key: key, sequence: sequence, time: time)
            }
        }
    }

    /// Renews the time of a list that was set to what it is, where that is due.
    private mutating func confirm(
        _ key: [UInt8], _ stored: StoredCollection, _ time: UInt32
    ) throws(CacheError) -> RecordUpdate.Outcome {
        for key in [key] + (stored.head?.chunkKeys ?? []) {
            unsafe key.withUnsafeBytes { unsafe confirm($0) }
        }
        guard let renewal, RenewalInterval.isDue(stored.time, at: time, every: renewal) else { return .unchanged }
        try store(stored, key, sequence: stored.sequence, time: time)
        return .renewed
    }

    // MARK: Chunks

    private mutating func apply(
        _ edit: CollectionEdit, to head: inout CollectionHead, number: UInt64
    ) throws(CacheError) {
        switch edit {
        case .replace(let range, let elements): try replace(range, with: elements.numbered(number), in: &head)
        case .append(let elements):
            try replace(head.count..<head.count, with: elements.numbered(number), in: &head)
        case .move(let from, let to):
            let chunk = head.window(of: from..<from + 1)
            let element = try elements(chunk.chunks.lowerBound, of: head)
            let offset = from - chunk.positions.lowerBound
            try replace(from..<from + 1, with: StoredElements(), in: &head)
            try replace(to..<to, with: element[offset..<offset + 1], in: &head)
        }
    }

    /// Puts `others` in the place of the elements of `range`; reads of the chunks that they are in the first and the last, at
    /// most.
    private mutating func replace(
        _ range: Range<Int>, with others: StoredElements, in head: inout CollectionHead
    ) throws(CacheError) {
        let (chunks, positions) = head.window(of: range)
        var (first, end) = (chunks.lowerBound, chunks.upperBound)
        let (keepsStart, keepsEnd) = (positions.lowerBound < range.lowerBound, range.upperBound < positions.upperBound)
        var elements = StoredElements()
        var last = keepsEnd ? try self.elements(end - 1, of: head) : elements
        if keepsStart {
            let start = keepsEnd && first == end - 1 ? last : try self.elements(first, of: head)
            elements = start[0..<range.lowerBound - positions.lowerBound]
        }
        elements.append(others)
        if keepsEnd {
            last = last[last.count - (positions.upperBound - range.upperBound)..<last.count]
            elements.append(last)
        }
        let few = CollectionHead.fewElements
        if elements.count == 0 {
            // Whole chunks went: those beside them may fit into one.
            if first > 0, end < head.chunks.count, head.chunks[first - 1].count + head.chunks[end].count < few,
                let before = try transaction.elements(of: head.chunks[first - 1], in: head),
                let behind = try transaction.elements(of: head.chunks[end], in: head)
            {
                elements = before
                elements.append(behind)
                (first, end) = (first - 1, end + 1)
            }
        } else if elements.count < few {
            if first > 0, head.chunks[first - 1].count + elements.count < few,
                let neighbour = try transaction.elements(of: head.chunks[first - 1], in: head)
            {
                elements.replace(0..<0, with: neighbour)
                first -= 1
            } else if end < head.chunks.count, head.chunks[end].count + elements.count < few,
                let neighbour = try transaction.elements(of: head.chunks[end], in: head)
            {
                elements.append(neighbour)
                end += 1
            }
        }
        try replace(first..<end, with: elements.parts(areLast: end == head.chunks.count), in: &head)
    }

    /// Stores `parts`, a chunk each, in the place of the chunks of `range`.
    private mutating func replace(
        _ range: Range<Int>, with parts: [StoredElements], in head: inout CollectionHead
    ) throws(CacheError) {
        let former = head.chunks[range].map(\.number)
        let numbers = try former + head.unusedNumbers(max(parts.count - former.count, 0))
        var chunks: [CollectionHead.Chunk] = []
        for (number, part) in zip(numbers, parts) {
            chunks.append(CollectionHead.Chunk(number: number, count: part.count))
            try unsafe head.key(of: number).withUnsafeBytesTyped { (key) throws(CacheError) in
                if evictor != nil { unsafe own.insert(Evictor.hash(key)) }
                try unsafe store(key) { (out) throws(CacheError) in
                    // The list's age is its head's.
                    try unsafe part.build(into: &out, key: key, time: 0)
                }
            }
        }
        for number in former.dropFirst(parts.count) { try remove(chunk: head.key(of: number)) }
        head.chunks.replaceSubrange(range, with: chunks)
    }

    private mutating func remove(chunksOf head: CollectionHead) throws(CacheError) {
        for key in head.chunkKeys { try remove(chunk: key) }
        try remove(chunk: head.nameKey)
    }

    private mutating func remove(chunk key: [UInt8]) throws(CacheError) {
        try unsafe key.withUnsafeBytesTyped { (key) throws(CacheError) in try unsafe discard(key) }
    }

    /// The elements of the chunk at `index`.
    private func elements(_ index: Int, of head: CollectionHead) throws(CacheError) -> StoredElements {
        if let elements = try transaction.elements(of: head.chunks[index], in: head) { return elements }
        throw CacheError(.outOfRange, "The part of the collection that the edit is about was lost; write it again.")
    }

    private func isNamed(
        _ deletions: [Int: UInt64], after sequence: UInt64, in body: [UInt8], _ tree: NodeTree?
    ) -> Bool {
        guard let tree, !deletions.isEmpty else { return false }
        return unsafe body.withUnsafeBytes { unsafe names(deletions, after: sequence, in: $0, tree) }
    }
}

extension HeldList.Version {
    init(_ stored: StoredCollection) { self.init(sequence: stored.sequence, count: stored.count) }
}

extension CollectionHead {
    /// The chunks that an edit of the elements of `range` is about, and the positions of their elements.
    ///
    /// What is put behind the last element goes into the last chunk where that has room, and behind it where it is full.
    fileprivate func window(of range: Range<Int>) -> (chunks: Range<Int>, positions: Range<Int>) {
        var (first, start) = (0, 0)
        while first < chunks.count, start + chunks[first].count <= range.lowerBound {
            if range.isEmpty, first == chunks.count - 1, chunks[first].count < CollectionHead.mostElements { break }
            start += chunks[first].count
            first += 1
        }
        var (end, stop) = (first, start)
        while end < chunks.count, stop < range.upperBound || end == first {
            stop += chunks[end].count
            end += 1
        }
        return (first..<end, start..<stop)
    }
}

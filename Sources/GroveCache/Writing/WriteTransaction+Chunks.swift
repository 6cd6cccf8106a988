import GroveCoding
import GroveModel

/// The chunks of a long list inside the transaction that writes: an edit writes those that it touches.
extension WriteTransaction {
    /// Applies `edit` to the chunks of `head`.
    mutating func apply(
        _ edit: CollectionEdit, to head: inout CollectionHead, number: CallNumber
    ) throws(CacheError) {
        switch edit {
        case .replace(let range, let elements): try replace(range, with: elements.numbered(number), in: &head)
        case .append(let elements):
            try replace(
                head.count..<head.count, with: elements.numbered(number), isBehindGap: true, in: &head)
        case .move(let from, let to):
            let chunk = head.window(of: from..<from + 1)
            let element = try elements(chunk.chunks.lowerBound, of: head)
            let offset = from - chunk.positions.lowerBound
            try replace(from..<from + 1, with: StoredElements(), in: &head)
            try replace(to..<to, with: element[offset..<offset + 1], in: &head)
        case .gap(let position, true): try openGap(before: position, in: &head)
        case .gap(let position, false): head.closeGap(before: position)
        }
    }

    /// Replaces the elements of `range` with `others`.
    ///
    /// Of the chunks that hold the elements, it reads at most the first and the last.
    ///
    /// - Parameter isBehindGap: whether elements that are put beside a gap come behind it; otherwise they follow the
    ///   element before the gap.
    /// - Throws: ``CacheError`` with code `outOfRange` if there is a gap between the elements: the number of elements
    ///   to replace would be unknown.
    private mutating func replace(
        _ range: Range<Int>, with others: StoredElements, isBehindGap: Bool = false, in head: inout CollectionHead
    ) throws(CacheError) {
        let (chunks, positions) = head.window(of: range, isBehindGap: isBehindGap)
        guard !head.chunks[chunks].contains(where: \.isGap) else {
            throw CacheError(.outOfRange, "The edit is about a part of the collection that was never fetched.")
        }
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
    mutating func replace(
        _ range: Range<Int>, with parts: [StoredElements], in head: inout CollectionHead
    ) throws(CacheError) {
        let former = head.chunks[range].map(\.number)
        let numbers = try former + head.unusedNumbers(max(parts.count - former.count, 0))
        var chunks: [CollectionHead.Chunk] = []
        for (number, part) in zip(numbers, parts) {
            chunks.append(CollectionHead.Chunk(number: number, count: part.count))
            try unsafe head.key(of: number).withUnsafeBytesTyped { (key) throws(CacheError) in
                if evictor != nil { unsafe eviction.own.insert(Evictor.hash(key)) }
                try unsafe store(key) { (out) throws(CacheError) in
                    // The list's age is its head's.
                    try unsafe part.build(into: &out, key: key, time: 0)
                }
            }
        }
        for number in former.dropFirst(parts.count) { try remove(chunk: head.key(of: number)) }
        head.chunks.replaceSubrange(range, with: chunks)
        // Two gaps side by side are one.
        let index = range.lowerBound
        if index > 0, index < head.chunks.count, head.chunks[index - 1].isGap, head.chunks[index].isGap {
            head.chunks.remove(at: index)
        }
    }

    /// Removes the chunks of `head`, and the record of their list's name.
    mutating func remove(chunksOf head: CollectionHead) throws(CacheError) {
        for key in head.chunkKeys { try remove(chunk: key) }
        try remove(chunk: head.nameKey)
    }

    private mutating func remove(chunk key: [UInt8]) throws(CacheError) {
        try unsafe key.withUnsafeBytesTyped { (key) throws(CacheError) in try unsafe discard(key) }
    }

    /// The elements of the chunk at `index`.
    private func elements(_ index: Int, of head: CollectionHead) throws(CacheError) -> StoredElements {
        if let elements = try transaction.elements(of: head.chunks[index], in: head) { return elements }
        throw .lostPart
    }
}

extension CollectionHead {
    /// Says that nothing is unknown right before `position`.
    fileprivate mutating func closeGap(before position: Int) {
        var start = 0
        chunks.removeAll { chunk in
            defer { start += chunk.count }
            return chunk.isGap && start == position
        }
    }

    /// The chunks that an edit of the elements of `range` is about, and the positions of their elements.
    ///
    /// Elements that are put behind the last one go into the last chunk if that has room, and behind it if it is full.
    ///
    /// - Parameter isBehindGap: whether elements that are put beside a gap come behind it.
    fileprivate func window(
        of range: Range<Int>, isBehindGap: Bool = false
    ) -> (chunks: Range<Int>, positions: Range<Int>) {
        var (first, start) = (0, 0)
        while first < chunks.count, start + chunks[first].count <= range.lowerBound {
            if range.isEmpty, first == chunks.count - 1, 1..<CollectionHead.mostElements ~= chunks[first].count {
                break
            }
            if range.isEmpty, !isBehindGap, start == range.lowerBound, chunks[first].isGap {
                return (first..<first, start..<start)
            }
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

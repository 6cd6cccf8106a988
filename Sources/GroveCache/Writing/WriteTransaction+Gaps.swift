import GroveCoding
import GroveModel

/// Gaps without a length: parts of a list that were never fetched.
extension WriteTransaction {
    /// Opens a gap in `stored`, the short list under `key`, a store's key, which has chunks from then on.
    mutating func openGap(
        _ key: [UInt8], _ edit: CollectionEdit, of stored: StoredCollection, sequence: CallNumber
    ) throws(CacheError) {
        guard case .elements(let elements) = stored.content else { return }
        var head = CollectionHead(key, sequence: sequence)
        try replace(0..<0, with: elements.parts(areLast: true), in: &head)
        try storeName(of: key, head, sequence: sequence)
        let list = StoredCollection(.chunks(head), sequence: stored.sequence, time: stored.time)
        _ = try editCollection(key, edit, of: list, sequence: sequence)
    }

    /// Says that the list of `head` has elements before position `position` of which nothing is known, not even how
    /// many.
    ///
    /// - Throws: ``CacheError`` with code `outOfRange` if the part there was lost.
    mutating func openGap(before position: Int, in head: inout CollectionHead) throws(CacheError) {
        var (index, start) = (0, 0)
        while index < head.chunks.count, start + head.chunks[index].count <= position {
            start += head.chunks[index].count
            index += 1
        }
        if start < position {
            guard let elements = try transaction.elements(of: head.chunks[index], in: head) else {
                throw CacheError(.outOfRange, "The part of the collection that the gap is in was lost.")
            }
            let (before, behind) = (elements[0..<position - start], elements[position - start..<elements.count])
            try replace(index..<index + 1, with: [before, behind], in: &head)
            index += 1
        }
        // Two gaps side by side are one.
        let isThere = index > 0 && head.chunks[index - 1].isGap
        if !isThere { head.chunks.insert(.gap, at: index) }
    }

    /// The key of the list of which the chunk under `key` is a part.
    func list(ofChunk key: [UInt8]) throws(CacheError) -> ModelIdentifier? {
        try transaction.header(CollectionHead.nameKey(ofChunk: key)).map {
            unsafe ModelIdentifier(String(decoding: $0.body, as: UTF8.self))
        }
    }

    /// Stores the name of the list whose chunks `head` names.
    mutating func storeName(of list: [UInt8], _ head: CollectionHead, sequence: CallNumber) throws(CacheError) {
        try unsafe head.nameKey.withUnsafeBytesTyped { (key) throws(CacheError) in
            try unsafe store(key) { (out) throws(CacheError) in
                try unsafe Array(list.dropFirst()).withUnsafeBytesTyped { (name) throws(CacheError) in
                    try unsafe RecordBuilder.build(into: &out, key: key, sequence: sequence, body: name)
                }
            }
        }
    }
}

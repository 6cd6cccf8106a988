package import GroveCoding
package import GroveModel

/// The records of lists and shapes in a view of the store.
extension NodeView {
    /// The record under `key`, a store's key; `nil` if there is none, or it cannot be read.
    ///
    /// It points into bytes of the view, which may be gone at the next call.
    func header(_ key: [UInt8]) throws(CacheError) -> RecordHeader? {
        try unsafe key.withUnsafeBytesTyped { (key) throws(CacheError) in
            try unsafe get(key).flatMap { try? unsafe RecordHeader($0, key: key) }
        }
    }

    /// The shape of `hash`; `nil` if it is lost.
    ///
    /// Bytes that the view returned before may be gone.
    package func shape(_ hash: UInt64) throws(CacheError) -> RecordShape? {
        try unsafe RecordShape.withKey(of: hash) { (key) throws(CacheError) -> RecordShape? in
            guard let stored = try unsafe get(key), let header = try? unsafe RecordHeader(stored, key: key),
                let shape = try? unsafe RecordShape(header.body), shape.hash == hash
            else { return nil }
            return shape
        }
    }

    /// The collection under `key`, a store's key; `nil` if there is none, or it is damaged.
    ///
    /// - Throws: ``CacheError`` with code `unsupportedFormat` if a later version wrote it, and what the engine throws.
    func collection(_ key: [UInt8]) throws(CacheError) -> StoredCollection? {
        try unsafe key.withUnsafeBytesTyped { (key) throws(CacheError) -> StoredCollection? in
            guard let stored = try unsafe get(key) else { return nil }
            do throws(RecordHeader.Failure) {
                let header = try unsafe RecordHeader(stored, key: key)
                return try? StoredCollection(header)
            } catch {
                guard case .unsupportedFormat = error else { return nil }
                throw CacheError(
                    .unsupportedFormat, "A later version of Grove wrote the record; it is left as it is.")
            }
        }
    }

    /// The elements of `chunk`; `nil` if it was lost, is damaged, or is not the chunk that `head` means.
    func elements(of chunk: CollectionHead.Chunk, in head: CollectionHead) throws(CacheError) -> StoredElements? {
        guard !chunk.isGap, let header = try header(head.key(of: chunk.number)),
            let elements = try? StoredElements(header), elements.count == chunk.count
        else { return nil }
        return elements
    }

    /// Whether `name`, the encoding of an element's name, is among the bytes of `chunk`, or the chunk cannot be read.
    func mayHold(
        _ name: [UInt8], _ chunk: CollectionHead.Chunk, in head: CollectionHead
    ) throws(CacheError) -> Bool {
        try header(head.key(of: chunk.number)).map { unsafe name.isIn($0.body) } ?? true
    }

    /// All elements of `collection`; `nil` if a chunk is a gap, missing or damaged.
    func elements(of collection: StoredCollection) throws(CacheError) -> StoredElements? {
        switch collection.content {
        case .elements(let elements): return elements
        case .chunks(let head):
            var all = StoredElements()
            for chunk in head.chunks {
                guard let elements = try elements(of: chunk, in: head) else { return nil }
                all.append(elements)
            }
            return all
        }
    }

    /// The elements of `collection`, with its gaps, and with lost ones for a chunk that is missing or damaged.
    func knownElements(of collection: StoredCollection) throws(CacheError) -> StoredElements {
        switch collection.content {
        case .elements(let elements): return elements
        case .chunks(let head):
            var all = StoredElements()
            for chunk in head.chunks {
                if chunk.isGap {
                    all.appendGap()
                } else {
                    all.append(try elements(of: chunk, in: head) ?? StoredElements(lost: chunk.count))
                }
            }
            return all
        }
    }
}

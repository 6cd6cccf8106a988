package import GroveModel

/// A collection as a store holds it: its elements if they are few, else the head that names its chunks.
package struct StoredCollection {
    package enum Content {
        case elements(StoredElements)
        case chunks(CollectionHead)
    }

    package var content: Content
    /// The number of the last call that changed the list.
    package let sequence: CallNumber
    /// The time at which the list was last confirmed, in seconds since 1970; 0 if that is not known.
    package let time: UInt32

    /// The number of its elements.
    package var count: Int {
        switch content {
        case .elements(let elements): elements.count
        case .chunks(let head): head.count
        }
    }

    /// The head that names its chunks; `nil` if it has none.
    package var head: CollectionHead? {
        if case .chunks(let head) = content { head } else { nil }
    }

    package init(_ content: Content, sequence: CallNumber, time: UInt32) {
        self.content = content
        self.sequence = sequence
        self.time = time
    }

    /// Reads the record of `header`.
    package init(_ header: RecordHeader) throws(NodeReadFailure) {
        content =
            header.flags.contains(.chunks)
            ? .chunks(try CollectionHead(header)) : .elements(try StoredElements(header))
        sequence = header.sequence
        time = header.time
    }

    /// Appends the record to `out`, as of the call `sequence` and confirmed at `time`.
    package func build(
        into out: inout ByteBuffer, key: UnsafeRawBufferPointer, sequence: CallNumber, time: UInt32
    ) throws(CacheError) {
        switch content {
        case .elements(let elements): try unsafe elements.build(into: &out, key: key, sequence: sequence, time: time)
        case .chunks(let head): try unsafe head.build(into: &out, key: key, sequence: sequence, time: time)
        }
    }
}

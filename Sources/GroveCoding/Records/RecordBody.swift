import GroveModel

/// A record's body taken apart into its fields: the encoded name of each and the encoded value.
@safe
package struct RecordBody {
    package var fields: [(key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)] = unsafe []

    /// Takes `body`, one CBOR map whose keys ascend strictly, apart; the fields point into it.
    package init(_ body: UnsafeRawBufferPointer) throws(NodeReadFailure) {
        var decoder = unsafe NodeDecoder(body, source: NoSource.shared, isStable: true)
        let count = try decoder.readMapHead()
        unsafe fields.reserveCapacity(min(count, 256))
        for _ in 0..<count {
            let key = try unsafe decoder.readEncoded()
            if let last = unsafe fields.last, unsafe lexicographicOrder(last.key, key) >= 0 { throw .corrupted }
            unsafe fields.append((key, try decoder.readEncoded()))
        }
        guard decoder.isAtEnd else { throw .corrupted }
    }

    /// Takes the body of the record of `header` apart; names point into its shape, if it has one.
    package init(_ header: RecordHeader) throws(NodeReadFailure) {
        guard header.flags.contains(.shape) else {
            try unsafe self.init(header.body)
            return
        }
        guard let shape = header.shape else { throw .corrupted }
        try unsafe self.init(values: header.body, shape)
    }

    /// Takes the body of `node` apart; names point into its shape, if it has one.
    package init(_ node: NodeTree.Node) throws(NodeReadFailure) {
        if let shape = unsafe node.shape?.takeUnretainedValue() {
            try unsafe self.init(values: node.body, shape)
        } else {
            try unsafe self.init(node.body)
        }
    }

    private init(values: UnsafeRawBufferPointer, _ shape: RecordShape) throws(NodeReadFailure) {
        var decoder = unsafe NodeDecoder(values, source: NoSource.shared, isStable: true)
        unsafe fields.reserveCapacity(shape.count)
        for index in 0..<shape.count { unsafe fields.append((shape.name(index), try decoder.readEncoded())) }
        guard decoder.isAtEnd else { throw .corrupted }
    }

    /// Whether there is a field whose encoded name is `key`.
    package func contains(_ key: UnsafeRawBufferPointer) -> Bool {
        unsafe fields.contains { unsafe isEqual($0.key, key) }
    }

    /// The number of fields of `body`, read off its head.
    package static func fieldCount(_ body: UnsafeRawBufferPointer) -> Int {
        var decoder = unsafe NodeDecoder(body, source: NoSource.shared, isStable: true)
        return (try? decoder.readMapHead()) ?? 0
    }

    /// The index of the field of `body` whose value has the bytes at `position`, or ends there; `nil` if there is none.
    package static func field(of body: UnsafeRawBufferPointer, at position: UnsafeRawPointer) -> Int? {
        var decoder = unsafe NodeDecoder(body, source: NoSource.shared, isStable: true)
        guard let count = try? decoder.readMapHead() else { return nil }
        for index in 0..<count {
            guard unsafe (try? decoder.readEncoded()) != nil, let value = unsafe try? decoder.readEncoded(),
                let start = value.baseAddress
            else { return nil }
            // A reader that has read the value to its end stands just behind it; a name follows before the next value.
            if unsafe position >= start, unsafe position <= start + value.count { return index }
        }
        return nil
    }

    /// Whether there is a map in `encoded`, from which a field may be absent; true if it cannot be read.
    package static func holdsMaps(_ encoded: UnsafeRawBufferPointer) -> Bool {
        var decoder = unsafe NodeDecoder(encoded, source: NoSource.shared, isStable: true)
        while !decoder.isAtEnd {
            guard let (major, argument) = try? decoder.readHead() else { return true }
            switch major {
            case CBORMajor.map: return true
            case CBORMajor.bytes, CBORMajor.text: guard (try? decoder.skip(bytes: argument)) != nil else { return true }
            default: break
            }
        }
        return false
    }

    /// Calls `visit` with the identifier of each reference in `encoded`, in order, duplicates included.
    package static func forEachReference(
        in encoded: UnsafeRawBufferPointer, _ visit: (UnsafeRawBufferPointer) -> Void
    ) throws(NodeReadFailure) {
        var decoder = unsafe NodeDecoder(encoded, source: NoSource.shared, isStable: true)
        while !decoder.isAtEnd {
            if let reference = try decoder.readReference() {
                unsafe visit(reference.identifierBytes)
                continue
            }
            let (major, argument) = try decoder.readHead()
            if major == CBORMajor.bytes || major == CBORMajor.text { try decoder.skip(bytes: argument) }
        }
    }
}

/// A container of the standard library with `Decodable` elements; it is read by elements, so that one that needs a
/// deleted node can be dropped.
protocol DecodableContainer {
    /// Reads exactly one value, found under `key` inside the value of `outer`.
    static func decodeElements(
        from decoder: inout NodeDecoder, inside outer: RecordDecoder, key: (any CodingKey)?
    ) throws(NodeReadFailure) -> Self
}

extension Optional: DecodableContainer where Wrapped: Decodable {
    static func decodeElements(
        from decoder: inout NodeDecoder, inside outer: RecordDecoder, key: (any CodingKey)?
    ) throws(NodeReadFailure) -> Wrapped? {
        try DecodableValue.decodePresent(Wrapped.self, from: &decoder, inside: outer, key: key)
    }
}

extension Array: DecodableContainer where Element: Decodable {
    static func decodeElements(
        from decoder: inout NodeDecoder, inside outer: RecordDecoder, key: (any CodingKey)?
    ) throws(NodeReadFailure) -> [Element] {
        let count = try decoder.readArrayHead()
        var elements: [Element] = []
        elements.reserveCapacity(Swift.min(count, 256))
        let coding = decodeCoding(of: Element.self)
        for _ in 0..<count {
            let element = try DecodableValue.decodeUnlessDeleted(coding, from: &decoder, inside: outer, key: key)
            if let element { elements.append(element) }
        }
        return elements
    }
}

extension Set: DecodableContainer where Element: Decodable {
    static func decodeElements(
        from decoder: inout NodeDecoder, inside outer: RecordDecoder, key: (any CodingKey)?
    ) throws(NodeReadFailure) -> Set<Element> {
        let count = try decoder.readArrayHead()
        var set: Set<Element> = []
        let coding = decodeCoding(of: Element.self)
        var order = EncodingOrder()
        for _ in 0..<count {
            try order.check(decoder)
            let element = try DecodableValue.decodeUnlessDeleted(coding, from: &decoder, inside: outer, key: key)
            if let element { set.insert(element) }
        }
        return set
    }
}

extension Dictionary: DecodableContainer where Key: Decodable, Value: Decodable {
    static func decodeElements(
        from decoder: inout NodeDecoder, inside outer: RecordDecoder, key: (any CodingKey)?
    ) throws(NodeReadFailure) -> [Key: Value] {
        let absence = decoder.absence
        defer { decoder.absence = absence }
        let count = try decoder.readMapHead()
        decoder.absence = absence.insideField
        var dictionary: [Key: Value] = [:]
        let (keys, values) = (decodeCoding(of: Key.self), decodeCoding(of: Value.self))
        var order = EncodingOrder()
        for _ in 0..<count {
            try order.check(decoder)
            let name = try DecodableValue.decodeUnlessDeleted(keys, from: &decoder, inside: outer, key: key)
            guard let name else {
                try decoder.skip()
                continue
            }
            let value = try DecodableValue.decodeUnlessDeleted(
                values, from: &decoder, inside: outer, key: EntryKey(name))
            guard let value else { continue }
            guard dictionary.updateValue(value, forKey: name) == nil else { throw .otherShape }
        }
        return dictionary
    }
}

/// A dictionary's key, or an array's index, in a coding path.
struct EntryKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(stringValue: String) {
        self.stringValue = stringValue
        intValue = nil
    }

    init(intValue: Int) {
        stringValue = "\(intValue)"
        self.intValue = intValue
    }

    init?(_ key: some Any) {
        switch key {
        case let key as String: self.init(stringValue: key)
        case let key as Int: self.init(intValue: key)
        default: return nil
        }
    }
}

import GroveModel

/// The order in which a record holds the keys of dictionaries and the elements of sets: that of their encodings.
package enum RecordOrder {
    /// `values` in that order; unsorted if one of them cannot be encoded.
    package static func sorted<Value>(_ values: some Collection<Value>) -> [Value] {
        guard values.count > 1 else { return Array(values) }
        let values = Array(values)
        if let texts = values as? [String], let sorted = FieldTable.sorted(texts) as? [Value] { return sorted }
        var encoder = NodeEncoder(into: NodeTree())
        do throws(CacheError) {
            let order = try encoder.sortedEncodings(count: values.count) { (index, encoder) throws(CacheError) in
                try encode(values[index], to: &encoder)
            }
            return order.map { values[$0.index] }
        } catch {
            return values
        }
    }

    private static func encode<Value>(_ value: Value, to encoder: inout NodeEncoder) throws(CacheError) {
        if let value = value as? any NodeCodable { return try value.encodeValue(to: &encoder) }
        guard let value = value as? any Encodable else {
            throw CacheError(.notCacheable, "\(Value.self) has no coding that a record can hold.")
        }
        try CodableValue.encode(value, to: &encoder)
    }
}

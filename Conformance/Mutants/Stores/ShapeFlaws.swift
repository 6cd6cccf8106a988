import GroveConformance

/// Shapes are not stored.
enum LosesShapes: StoreFlaw {
    static func batch(_ changes: [ReferenceChange], number: Int) -> [ReferenceChange] {
        changes.filter { $0.key.first != StoredRecord.shapes }
    }
}

/// A look-up of a shape finds the first one.
enum ConfusesShapes: StoreFlaw {
    static func lookUp(_ key: [UInt8], in content: ReferenceContent) -> [UInt8] {
        guard key.first == StoredRecord.shapes else { return key }
        return content.keys.filter { $0.first == StoredRecord.shapes }.min { $0.lexicographicallyPrecedes($1) } ?? key
    }
}

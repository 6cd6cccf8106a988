import GroveConformance

/// The shapes of letters are not stored.
enum LosesShapes: StoreFlaw {
    static func batch(_ changes: [ReferenceChange], number: Int) -> [ReferenceChange] {
        changes.filter { !isOfLetters($0.key, $0.value) }
    }
}

/// A look-up of the shape of letters finds another one.
enum ConfusesShapes: StoreFlaw {
    static func lookUp(_ key: [UInt8], in content: ReferenceContent) -> [UInt8] {
        guard isOfLetters(key, content[key]?.bytes) else { return key }
        let others = content.keys.filter { $0.first == SealedRecord.shapes && $0 != key }
        return others.min { $0.lexicographicallyPrecedes($1) } ?? key
    }
}

/// Whether a key is that of a shape with the name of letters in it; with all shapes lost, all rules would break.
private func isOfLetters(_ key: [UInt8], _ value: [UInt8]?) -> Bool {
    key.first == SealedRecord.shapes && value.map { String(decoding: $0, as: UTF8.self).contains("Letter") } == true
}

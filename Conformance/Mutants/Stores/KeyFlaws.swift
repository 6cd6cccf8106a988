/// Keys are cut at 511 bytes, LMDB's limit.
enum CutsKeys: StoreFlaw {
    static func key(_ key: [UInt8], in content: ReferenceContent) -> [UInt8] { Array(key.prefix(511)) }
}

/// Keys are compared as Swift compares strings, so that canonically equivalent spellings are one key.
enum ComparesText: StoreFlaw {
    static func key(_ key: [UInt8], in content: ReferenceContent) -> [UInt8] {
        guard let text = String(validating: key, as: UTF8.self), content[key] == nil else { return key }
        return content.keys.first { String(validating: $0, as: UTF8.self) == text } ?? key
    }
}

/// A NUL ends a key, as it ends a C string.
enum EndsKeysAtNUL: StoreFlaw {
    static func key(_ key: [UInt8], in content: ReferenceContent) -> [UInt8] {
        guard let end = key.dropFirst().firstIndex(of: 0) else { return key }
        return Array(key[..<end])
    }
}

/// A look-up of a key that ends in a slash and one byte lands one row beside: it returns the value of the key that
/// differs in the last bit.
enum ReturnsNeighbour: StoreFlaw {
    static func lookUp(_ key: [UInt8], in content: ReferenceContent) -> [UInt8] {
        guard let last = key.last, key.dropLast().last == UInt8(ascii: "/") else { return key }
        let neighbour = Array(key.dropLast()) + [last ^ 1]
        return content[neighbour] == nil ? key : neighbour
    }
}

/// A scan visits keys in the wrong order.
enum ScansBackwards: StoreFlaw {
    static func scan(_ keys: [[UInt8]]) -> [[UInt8]] { keys.reversed() }
}

/// Keys are compared without regard to the case of their letters.
enum FoldsCase: StoreFlaw {
    static func key(_ key: [UInt8], in content: ReferenceContent) -> [UInt8] {
        guard String(validating: key, as: UTF8.self) != nil else { return key }
        return key.map { $0 >= 0x41 && $0 <= 0x5A ? $0 | 0x20 : $0 }
    }
}

/// Aliases and collections share one namespace.
enum MergesNamespaces: StoreFlaw {
    static func key(_ key: [UInt8], in content: ReferenceContent) -> [UInt8] {
        key.first == 3 && key.count > 1 ? [2] + key.dropFirst() : key
    }
}

/// An alias ends at its first colon.
enum EndsAliasesAtColon: StoreFlaw {
    static func key(_ key: [UInt8], in content: ReferenceContent) -> [UInt8] {
        guard key.first == 3, let end = key.firstIndex(of: UInt8(ascii: ":")), end > 1 else { return key }
        return Array(key[..<end])
    }
}

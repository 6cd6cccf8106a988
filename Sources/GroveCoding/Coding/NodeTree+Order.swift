extension NodeTree {
    /// The indices of the entries in an order in which a store that sorts its keys finds neighbours together.
    ///
    /// Entries of a type come together, by their keys. If some identifier has several entries, all are in pre-order, so
    /// that the later occurrence wins. It is `nil` if there are too few entries for the order to matter.
    ///
    /// - Complexity: O(*n* log *n*).
    package func storeOrder() -> [Int32]? {
        let entries = entries
        guard !hasProjections else {
            return entries.indices.sorted { entries[$0].order < entries[$1].order }.map(Int32.init)
        }
        guard entries.count >= NodeTree.few else { return nil }
        let starts = commonPrefixes(entries)
        var places: [Place] = []
        places.reserveCapacity(entries.count)
        for (index, entry) in entries.enumerated() {
            let name = unsafe identifier(of: entry)
            let word = unsafe NodeTree.word(name, from: starts[entry.type])
            places.append(Place(type: Int32(entry.type), index: Int32(index), word: word))
        }
        places.sort { precedes($0, $1, entries) }
        return places.map(\.index)
    }

    @inline(__always)
    private func precedes(_ left: Place, _ right: Place, _ entries: [Entry]) -> Bool {
        if left.type != right.type { return left.type < right.type }
        if left.word != right.word { return left.word < right.word }
        return unsafe lexicographicOrder(
            identifier(of: entries[Int(left.index)]), identifier(of: entries[Int(right.index)])) < 0
    }

    /// The fewest entries for which an order pays.
    private static let few = 32

    /// An entry with the bytes that distinguish most keys of one type.
    private struct Place {
        var type: Int32
        var index: Int32
        var word: UInt64
    }

    /// The length of the common beginning of the identifiers of each type.
    private func commonPrefixes(_ entries: [Entry]) -> [Int] {
        var firsts = [Int](repeating: -1, count: types.count)
        var counts = [Int](repeating: 0, count: types.count)
        for (index, entry) in entries.enumerated() {
            let first = firsts[entry.type]
            guard first >= 0 else {
                firsts[entry.type] = index
                counts[entry.type] = entry.identifierCount
                continue
            }
            let limit = min(counts[entry.type], entry.identifierCount)
            let (name, other) = unsafe (identifier(of: entry), identifier(of: entries[first]))
            var count = 0
            while count < limit, unsafe name[count] == other[count] { count += 1 }
            counts[entry.type] = count
        }
        return counts
    }

    /// The eight bytes of `name` from `start` on, as a number that sorts as they do; missing bytes are 0.
    private static func word(_ name: UnsafeRawBufferPointer, from start: Int) -> UInt64 {
        if start + 8 <= name.count {
            return unsafe UInt64(bigEndian: name.loadUnaligned(fromByteOffset: start, as: UInt64.self))
        }
        var word: UInt64 = 0
        for offset in 0..<8 {
            word = unsafe word << 8 | (start + offset < name.count ? UInt64(name[start + offset]) : 0)
        }
        return word
    }
}

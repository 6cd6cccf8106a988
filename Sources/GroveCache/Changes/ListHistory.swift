import GroveCoding
import GroveModel

/// The changes of one list in one commit, as an entry of the history keeps them.
///
/// In the entry each list is an array: its index among the lists that the entry names, then its changes, four items
/// each. These are whether the list was set as a whole, the position of the first element that went, the number that
/// went, and the identifiers that came.
struct ListHistory {
    /// The index of the list among those that the commit names.
    let place: Int
    private(set) var changes: [(splice: ListSplice, isWhole: Bool)] = []

    private init(place: Int) { self.place = place }

    /// The part of `changes` that an entry keeps; each is a change of one of the lists `names`.
    ///
    /// A list with a change of unknown splices is left out: a follower reads it again, as the entry names it.
    static func told(_ changes: [ListChange], of names: [ModelIdentifier]) -> [ListHistory] {
        guard !changes.isEmpty else { return [] }
        let untold = Set(changes.lazy.filter { $0.splices == nil }.map(\.name))
        return names.enumerated().compactMap { place, name in
            guard !untold.contains(name) else { return nil }
            var list = ListHistory(place: place)
            for change in changes where change.name == name {
                list.changes += (change.splices ?? []).map { ($0, change.isWhole) }
            }
            return list.changes.isEmpty ? nil : list
        }
    }

    /// Reads the changes of the lists `names`.
    static func changes(
        _ decoder: inout NodeDecoder, of names: [ModelIdentifier]
    ) throws(NodeReadFailure) -> [ListChange] {
        var changes: [ListChange] = []
        for _ in 0..<(try decoder.readArrayHead()) {
            let count = try decoder.readArrayHead()
            let place = try decoder.readInteger(Int.self)
            guard names.indices.contains(place), count % 4 == 1 else { throw .corrupted }
            for _ in 0..<count / 4 {
                let isWhole = try decoder.readInteger(Int.self) == 1
                let (start, removed) = (try decoder.readInteger(Int.self), try decoder.readInteger(Int.self))
                guard start >= 0, removed >= 0, start <= .max - removed else { throw .corrupted }
                let splice = ListSplice(start..<start + removed, try decoder.readNames())
                changes.append(ListChange(names[place], [splice], isWhole: isWhole))
            }
        }
        return changes
    }
}

extension ByteBuffer {
    /// Appends identifiers as an array of texts.
    mutating func append(_ names: [ModelIdentifier]) {
        appendHead(CBORMajor.array, UInt64(names.count))
        for name in names {
            unsafe name.withUTF8 { name in
                appendHead(CBORMajor.text, UInt64(name.count))
                unsafe append(name)
            }
        }
    }

    /// Appends the changes of lists.
    mutating func append(_ lists: [ListHistory]) {
        appendHead(CBORMajor.array, UInt64(lists.count))
        for list in lists {
            appendHead(CBORMajor.array, UInt64(1 + 4 * list.changes.count))
            appendHead(CBORMajor.unsigned, UInt64(list.place))
            for (splice, isWhole) in list.changes {
                appendHead(CBORMajor.unsigned, isWhole ? 1 : 0)
                appendHead(CBORMajor.unsigned, UInt64(splice.range.lowerBound))
                appendHead(CBORMajor.unsigned, UInt64(splice.range.count))
                append(splice.elements)
            }
        }
    }
}

extension NodeDecoder {
    /// Reads an array of texts as identifiers.
    mutating func readNames() throws(NodeReadFailure) -> [ModelIdentifier] {
        var names: [ModelIdentifier] = []
        for _ in 0..<(try readArrayHead()) { names.append(ModelIdentifier(try readString())) }
        return names
    }
}

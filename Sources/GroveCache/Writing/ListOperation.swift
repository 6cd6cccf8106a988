import GroveCoding
import GroveModel

/// An edit of a stored list, by the names of its elements or by positions in the list that it finds when its turn
/// comes.
enum ListOperation: Sendable {
    /// By position.
    case at(CollectionEdit)
    /// Puts elements in.
    case insert(StoredElements, Place)
    /// Puts in elements that are references to stored models.
    case refer(StoredElements, Place)
    /// Puts in those elements that the list does not have.
    case upsert(StoredElements, Place)
    /// Puts in a page of an answer; its elements that the list has already move.
    case page(StoredElements, Place, PageFit, Since)
    /// Puts other elements, or none, in the place of an element.
    case replace(Element, with: StoredElements)
    /// Removes every element of these names.
    case remove([ElementName])
    /// Takes an element to another place.
    case move(Element, Place)

    /// A place between elements.
    enum Place: Sendable {
        case first, last
        case before(Element)
        case after(Element)
    }

    /// An element, and its place in the list that the editor saw, if it saw one.
    struct Element: Sendable {
        let name: ElementName
        /// The position that it is near; the first of its name is meant if that is `nil`.
        var position: Int?
        /// The list that the editor saw, and the element's index in it.
        var seen: (list: any SeenList, index: Int)?
    }

    /// The elements that it brings.
    var elements: StoredElements {
        switch self {
        case .at(let edit): edit.elements
        case .insert(let elements, _), .refer(let elements, _), .upsert(let elements, _), .page(let elements, _, _, _),
            .replace(_, let elements):
            elements
        case .remove, .move: StoredElements()
        }
    }

    /// The edits by position that it amounts to in a list, each of the list that the ones before leave; none if it
    /// changes nothing.
    ///
    /// - Throws: ``CacheError`` with code `outOfRange` if the list has no such position, or if an element that it names
    ///   may be in a lost part.
    func resolved(in list: inout ElementFinder) throws(CacheError) -> [CollectionEdit] {
        switch self {
        case .at(let edit):
            try edit.check(list.count)
            return edit.changesNothing ? [] : [edit]
        case .insert(let elements, let place), .refer(let elements, let place):
            guard elements.count > 0 else { return [] }
            if case .last = place { return [.append(elements)] }
            let gap = try list.gap(place)
            return [.replace(gap..<gap, with: elements)]
        case .upsert(let elements, let place):
            var new = StoredElements()
            var seen: Set<ElementName> = []
            for index in 0..<elements.count {
                let name = elements.name(at: index)
                guard seen.insert(name).inserted, try list.find(Element(name: name)) == nil else { continue }
                new.append(elements[index..<index + 1])
            }
            return try ListOperation.insert(new, place).resolved(in: &list)
        case .page(let elements, let place, let fit, let since):
            return try ListPage(elements, place, fit, since).resolved(in: &list)
        case .replace(let element, let others):
            guard let index = try list.find(element) else { return [] }
            if others.count == 1, try list.isThere(others, at: index) { return [] }
            return [.replace(index..<index + 1, with: others)]
        case .remove(let names):
            var positions: Set<Int> = []
            for name in names { positions.formUnion(try list.all(name)) }
            return positions.sorted(by: >).map { .replace($0..<$0 + 1, with: StoredElements()) }
        case .move(let element, let place):
            guard let from = try list.find(element) else { return [] }
            let gap = try list.gap(place)
            let to = gap > from ? gap - 1 : gap
            return from == to ? [] : [.move(from: from, to: to)]
        }
    }

    /// The same without the list that the editor saw, to be applied again to an answer that was asked for before.
    ///
    /// - Parameter list: the list that it finds, by whose elements positions are named.
    func anchored(in list: inout ElementFinder) throws(CacheError) -> [ListOperation] {
        switch self {
        case .at(.append(let elements)): return [.upsert(elements, .last)]
        case .at(.replace(let range, let elements)):
            var operations: [ListOperation] = []
            for index in range.reversed() {
                operations.append(
                    .replace(Element(name: try list.name(at: index), position: index), with: StoredElements()))
            }
            if elements.count > 0 { operations.append(.upsert(elements, try list.place(range.lowerBound))) }
            return operations
        case .at(.move(let from, let to)):
            let place = try list.place(to > from ? to + 1 : to)
            return [.move(Element(name: try list.name(at: from), position: from), place)]
        case .at(.gap): return []
        case .insert(let elements, let place), .refer(let elements, let place), .upsert(let elements, let place),
            .page(let elements, let place, _, _):
            return [.upsert(elements, place.alone)]
        case .replace(let element, let others): return [.replace(element.alone, with: others)]
        case .remove: return [self]
        case .move(let element, let place): return [.move(element.alone, place.alone)]
        }
    }
}

extension ListOperation.Element {
    /// The same without the list around it.
    fileprivate var alone: ListOperation.Element { ListOperation.Element(name: name, position: position) }
}

extension ListOperation.Place {
    fileprivate var alone: ListOperation.Place {
        switch self {
        case .first, .last: self
        case .before(let element): .before(element.alone)
        case .after(let element): .after(element.alone)
        }
    }
}

/// The name by which an element of a list is found: its identifier, or its whole content if it has none.
enum ElementName: Hashable, Sendable {
    case identifier([UInt8])
    case content([UInt8])

    init(_ identifier: ModelIdentifier) { self = .identifier(Array(identifier.rawValue.utf8)) }

    /// The identifier; `nil` if it has none.
    var identifier: ModelIdentifier? {
        guard case .identifier(let bytes) = self else { return nil }
        return ModelIdentifier(String(decoding: bytes, as: UTF8.self))
    }

    /// The bytes that an element of the name has among its own.
    var encoded: [UInt8] {
        switch self {
        case .content(let bytes): return bytes
        case .identifier(let bytes):
            var encoded = ByteBuffer(capacity: bytes.count + 9)
            defer { encoded.deallocate() }
            encoded.appendHead(CBORMajor.text, UInt64(bytes.count))
            unsafe bytes.withUnsafeBytes { unsafe encoded.append($0) }
            return unsafe Array(encoded.bytes)
        }
    }

    var hash: UInt64 {
        switch self {
        case .identifier(let bytes): unsafe bytes.withUnsafeBytes { unsafe ElementName.hash(identifier: $0) }
        case .content(let bytes): unsafe bytes.withUnsafeBytes { unsafe ElementName.hash(content: $0) }
        }
    }

    static func hash(identifier: UnsafeRawBufferPointer) -> UInt64 { unsafe hash64(identifier, seed: 0) }
    static func hash(content: UnsafeRawBufferPointer) -> UInt64 { unsafe hash64(content, seed: 1) }
}

extension [UInt8] {
    /// Whether these bytes, one after the other, are among `bytes`.
    func isIn(_ bytes: UnsafeRawBufferPointer) -> Bool {
        unsafe withUnsafeBytes { wanted in
            // Most places differ in the first bytes: those are compared at once.
            let isLong = wanted.count >= 8
            let first = isLong ? unsafe wanted.loadUnaligned(as: UInt64.self) : 0
            var start = 0
            while start + wanted.count <= bytes.count {
                if unsafe !isLong || bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self) == first,
                    unsafe bytes[start..<start + wanted.count].elementsEqual(wanted)
                {
                    return true
                }
                start += 1
            }
            return false
        }
    }
}

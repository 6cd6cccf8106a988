import GroveCoding
import GroveModel

/// Elements of a collection by their names.
extension StoredElements {
    /// Says that the elements of `names` were put there by call `number`, unless a later one did.
    mutating func renew(_ names: Set<ElementName>, _ number: CallNumber) {
        for index in 0..<count where names.contains(name(at: index)) { renew(at: index, number) }
    }

    /// References to the nodes of `identifiers`, put there by a call whose number is not known yet.
    init(references identifiers: some Sequence<ModelIdentifier>) throws(CacheError) {
        var encoded = ByteBuffer(capacity: 1_024)
        defer { encoded.deallocate() }
        for identifier in identifiers {
            encoded.appendHead(CBORMajor.tag, CBORTag.reference)
            unsafe identifier.withUTF8 { name in
                encoded.appendHead(CBORMajor.text, UInt64(name.count))
                unsafe encoded.append(name)
            }
        }
        guard let elements = unsafe try? StoredElements(encoded.bytes, number: .zero) else {
            throw CacheError(.unencodable, "An element of a collection is encoded as one value.")
        }
        self = elements
    }

    /// The name of the element at `index`, by which it is found.
    func name(at index: Int) -> ElementName {
        unsafe withElement(at: index) { bytes in
            guard unsafe RootReference.isReference(bytes) else { return unsafe .content(Array(bytes)) }
            return unsafe .identifier(RootReference(bytes).identifier)
        }
    }

    /// Whether the element at `index` has the name `name`.
    func isNamed(_ name: ElementName, at index: Int) -> Bool {
        unsafe withElement(at: index) { bytes in
            let isReference = unsafe RootReference.isReference(bytes)
            switch name {
            case .content(let content): return unsafe !isReference && content.elementsEqual(bytes)
            case .identifier(let identifier):
                guard isReference else { return false }
                var decoder = unsafe NodeDecoder(bytes, source: NoSource.shared, isStable: true)
                guard let reference = try? decoder.readReference() else { return false }
                return unsafe reference.identifierBytes.elementsEqual(identifier)
            }
        }
    }

    /// The hash of the name of the element at `index`.
    func nameHash(at index: Int) -> UInt64 {
        unsafe withElement(at: index) { bytes in
            guard unsafe RootReference.isReference(bytes) else { return unsafe ElementName.hash(content: bytes) }
            var decoder = unsafe NodeDecoder(bytes, source: NoSource.shared, isStable: true)
            guard let reference = try? decoder.readReference() else { return ElementName.identifier([]).hash }
            return unsafe ElementName.hash(identifier: reference.identifierBytes)
        }
    }

    /// The identifiers of the elements; `nil` if one has none.
    var identifiers: [ModelIdentifier]? {
        var found: [ModelIdentifier] = []
        found.reserveCapacity(count)
        for index in 0..<count {
            guard let identifier = name(at: index).identifier else { return nil }
            found.append(identifier)
        }
        return found
    }
}

/// An answer of the network for a list, and the edits of the list since it was asked for.
struct ListAnswer {
    /// The elements that the network brought.
    let elements: StoredElements
    /// Whether it is the first page of the list, so that the elements behind it may be kept.
    let isPage: Bool
    /// The number after which calls are later than the place that the answer is as of; `nil` if that is the call
    /// itself.
    var since: CallNumber?
    /// The edits since, in order, as far as this process made them.
    var edits: [ListLog.Entry] = []

    /// The list that takes the place of `stored`.
    ///
    /// Edits since are applied again. An element that another process has put in since stays: at the end if it is
    /// there, or behind the element before it.
    func settled(over stored: StoredElements?, number: CallNumber) throws(CacheError) -> StoredElements {
        var list = elements.numbered(number)
        guard let stored else { return try applyingEdits(to: list) }
        let names = Set((0..<list.count).map { list.name(at: $0) })
        // The elements that the list had behind the page are kept, if the page has one of its first elements.
        let first = 0..<min(stored.count, elements.count)
        let end =
            isPage ? first.last { names.contains(stored.name(at: $0)) }.map { $0 + 1 } ?? stored.count : stored.count
        for index in end..<stored.count where !names.contains(stored.name(at: index)) {
            list.append(stored[index..<index + 1])
        }
        list = try applyingEdits(to: list)
        guard let since else { return list }
        let removed = Set(
            edits.compactMap { edit -> ElementName? in
                guard case .replace(let element, let others) = edit.operation, others.count == 0 else { return nil }
                return element.name
            })
        list.putIn(stored, end) { stored.numbers[$0] > since && !removed.contains(stored.name(at: $0)) }
        return list
    }

    private func applyingEdits(to list: StoredElements) throws(CacheError) -> StoredElements {
        var list = list
        for edit in edits {
            guard let operation = edit.operation else { continue }
            try? list.apply(operation, number: edit.number)
            // An element of the edit that the answer has too counts as put there by the edit: an earlier deletion does
            // not count.
            if case .upsert(let others, _) = operation {
                list.renew(Set((0..<others.count).map(others.name)), edit.number)
            }
        }
        return list
    }
}

extension StoredElements {
    /// Takes `body`, an encoded array, apart.
    ///
    /// - Throws: ``CacheError`` with code `unencodable` if it is not an array.
    init(body: [UInt8], number: CallNumber) throws(CacheError) {
        self = try unsafe body.withUnsafeBytesTyped { (body) throws(CacheError) -> StoredElements in
            do throws(NodeReadFailure) {
                return try unsafe StoredElements(list: body, number: number)
            } catch {
                throw CacheError(.unencodable, "The body of a collection is one array.")
            }
        }
    }

    /// Puts in those of the first `end` elements of `stored` that are new and missing here: at the end if they are
    /// there, or behind the element before them.
    fileprivate mutating func putIn(_ stored: StoredElements, _ end: Int, where isNew: (Int) -> Bool) {
        var names = Set((0..<count).map { name(at: $0) })
        let new = (0..<end).map(isNew)
        let tail = stored.count - (end < stored.count ? 0 : new.reversed().prefix { $0 }.count)
        var before: ElementName?
        for index in 0..<end where stored.numbers[index] != StoredElements.lostNumber {
            let name = stored.name(at: index)
            defer { before = name }
            guard new[index], names.insert(name).inserted else { continue }
            let place: ListOperation.Place =
                if index >= tail { .last } else { before.map { .after(ListOperation.Element(name: $0)) } ?? .first }
            try? apply(.insert(stored[index..<index + 1], place), number: nil)
        }
    }

    /// This list with its lost parts taken from `base`, the whole list as it was.
    func filled(with base: StoredElements) throws(CacheError) -> StoredElements {
        guard whole == nil else { return self }
        // An element that comes back is no newer than the newest that is there.
        let number = numbers.filter { $0 != StoredElements.lostNumber }.max()
        var list = number.map(base.numbered) ?? base
        let known = Set((0..<base.count).map { base.name(at: $0) })
        list.putIn(self, count) { !known.contains(self.name(at: $0)) }
        return list
    }

    /// This list, if no element was lost or never fetched; `nil` otherwise.
    var whole: StoredElements? { gaps.isEmpty && !numbers.contains(StoredElements.lostNumber) ? self : nil }

    /// Applies an operation to the whole list.
    ///
    /// - Parameter number: the number of the call; `nil` to keep the numbers of the elements.
    /// - Throws: ``CacheError`` with code `outOfRange` if the list has no such position; then it stays as it is.
    mutating func apply(_ operation: ListOperation, number: CallNumber?) throws(CacheError) {
        var finder = ElementFinder(self)
        for edit in try operation.resolved(in: &finder) { edit.apply(to: &self, number: number) }
    }
}

import GroveCoding
import GroveModel

/// An edit of a collection with the trees of the elements that it brings: what a call that edits writes.
struct EncodedEdit {
    let tree: NodeTree?
    let edit: CollectionEdit

    static func inserting(_ roots: EncodedRoots, at index: Int) throws(CacheError) -> EncodedEdit {
        try replacing(index..<index, roots)
    }

    static func replacing(_ range: Range<Int>, _ roots: EncodedRoots) throws(CacheError) -> EncodedEdit {
        EncodedEdit(tree: roots.tree, edit: .replace(range, with: try roots.elements))
    }

    static func appending(_ roots: EncodedRoots) throws(CacheError) -> EncodedEdit {
        EncodedEdit(tree: roots.tree, edit: .append(try roots.elements))
    }

    static func removing(_ range: Range<Int>) -> EncodedEdit {
        EncodedEdit(tree: nil, edit: .replace(range, with: StoredElements()))
    }

    static func moving(_ from: Int, _ to: Int) -> EncodedEdit {
        EncodedEdit(tree: nil, edit: .move(from: from, to: to))
    }

    /// The edit, of the collection under `key`.
    func content(_ key: String) -> PendingWrite.Content {
        PendingWrite.Content(tree: tree, extras: [.edit(key: Array(key.utf8), edit)])
    }
}

extension DynamicRoots {
    /// Puts the roots in the place of the elements of `range` in the collection under `key`.
    func replacing(_ range: Range<Int>, _ key: String) throws(CacheError) -> PendingWrite.Content {
        let elements = try EncodedRoots.elements(references, count: roots.count)
        return EncodedEdit(tree: tree, edit: .replace(range, with: elements)).content(key)
    }
}

extension EncodedRoots {
    /// Encodes the elements of a collection, of which none needs an identifier.
    init<M: CacheableModel>(list: some Collection<M>) throws(CacheError) {
        try self.init(list, mustBeIdentified: false)
    }

    /// The roots as elements of a collection, put there by a call whose number is not known yet.
    fileprivate var elements: StoredElements {
        get throws(CacheError) { try EncodedRoots.elements(references, count: count) }
    }

    fileprivate static func elements(_ references: [UInt8], count: Int) throws(CacheError) -> StoredElements {
        let elements = unsafe references.withUnsafeBytes { try? unsafe StoredElements($0, number: .zero) }
        guard let elements, elements.count == count else {
            throw CacheError(.unencodable, "An element of a collection is encoded as one value.")
        }
        return elements
    }
}

import GroveCoding
import GroveModel

/// An edit of a collection with the trees of the elements that it brings.
struct EncodedEdit {
    var tree: NodeTree?
    let operation: ListOperation

    init(_ operation: ListOperation, tree: NodeTree? = nil) {
        self.operation = operation
        self.tree = tree
    }

    /// Takes apart an edit by a follower; `nil` if it makes a whole list or its first page.
    init?(_ edit: ListEdit) throws(CacheError) {
        switch edit {
        // These are encoded as a list.
        case .set, .refresh, .restore, .fill: return nil
        case .insert, .upsert, .page, .replace, .move: break
        }
        let models = edit.models
        let roots = models.isEmpty ? nil : try DynamicRoots(models)
        let elements =
            try roots.map { (roots) throws(CacheError) in
                try EncodedRoots.elements(roots.references, count: roots.roots.count)
            } ?? StoredElements()
        tree = roots?.tree
        switch edit {
        case .set, .refresh, .restore, .fill: return nil
        case .insert(_, let place): operation = .insert(elements, try ListOperation.Place(place))
        case .upsert(_, let place): operation = .upsert(elements, try ListOperation.Place(place))
        case .page(_, let place, let fit):
            operation = .page(elements, try ListOperation.Place(place), fit, ListOperation.Since())
        case .replace(let element, _): operation = .replace(try ListOperation.Element(element), with: elements)
        case .move(let element, let place):
            operation = .move(try ListOperation.Element(element), try ListOperation.Place(place))
        }
    }

    /// The edit, of the collection under `key`.
    func content(_ key: String) -> PendingWrite.Content {
        PendingWrite.Content(tree: tree, extras: [.edit(key: Array(key.utf8), operation)])
    }
}

extension ListOperation.Element {
    /// Names an element as a follower saw it.
    init(_ element: ListElement) throws(CacheError) {
        position = element.position
        seen = (element.list, element.index)
        if let identifier = element.model.modelIdentifier {
            name = ElementName(identifier)
        } else {
            name = .content(try DynamicRoots([element.model]).references)
        }
    }
}

extension ListOperation.Place {
    init(_ place: ListPlace) throws(CacheError) {
        switch place {
        case .first: self = .first
        case .last: self = .last
        case .before(let element): self = .before(try ListOperation.Element(element))
        case .after(let element): self = .after(try ListOperation.Element(element))
        }
    }
}

extension EncodedRoots {
    /// The roots as elements of a collection, put there by a call whose number is not known yet.
    var elements: StoredElements {
        get throws(CacheError) { try EncodedRoots.elements(references, count: count) }
    }

    static func elements(_ references: [UInt8], count: Int) throws(CacheError) -> StoredElements {
        let elements = unsafe references.withUnsafeBytes { try? unsafe StoredElements($0, number: .zero) }
        guard let elements, elements.count == count else {
            throw CacheError(.unencodable, "An element of a collection is encoded as one value.")
        }
        return elements
    }
}

import GroveCoding
import GroveModel

extension PendingWrite.Content {
    /// An edit of the collection under `key`, with the trees of the elements that it brings.
    init(_ operation: ListOperation, of key: String, tree: NodeTree? = nil) {
        self.init(tree: tree, extras: [.edit(key: Array(key.utf8), operation)])
    }

    /// An edit by a follower of the list under `key`.
    init(_ edit: ListEdit, of key: String) throws(CacheError) {
        let models = edit.models
        let roots = try EncodedRoots(any: models)
        func whole(_ kind: WholeList = .set) -> Self { Self(tree: roots.tree, extras: [roots.collection(key, kind)]) }
        func part(_ operation: ListOperation) -> Self {
            Self(operation, of: key, tree: models.isEmpty ? nil : roots.tree)
        }
        switch edit {
        case .set: self = whole()
        case .restore:
            self = whole()
            if models.allSatisfy({ $0.modelIdentifier != nil }) { tree = nil }
        case .refresh: self = whole(.page)
        case .fill: self = whole(.fill)
        case .insert(_, let place): self = part(.insert(try roots.elements, try ListOperation.Place(place)))
        case .upsert(_, let place): self = part(.upsert(try roots.elements, try ListOperation.Place(place)))
        case .page(_, let place, let fit):
            self = part(.page(try roots.elements, try ListOperation.Place(place), fit, ListOperation.Since()))
        case .replace(let element, _):
            let elements = try roots.elements
            self = part(.replace(try ListOperation.Element(element), with: elements))
        case .move(let element, let place):
            self = part(.move(try ListOperation.Element(element), try ListOperation.Place(place)))
        }
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
            name = .content(try EncodedRoots(any: [element.model]).references)
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
        get throws(CacheError) {
            let elements = unsafe references.withUnsafeBytes { try? unsafe StoredElements($0, number: .zero) }
            guard let elements, elements.count == count else {
                throw CacheError(.unencodable, "An element of a collection is encoded as one value.")
            }
            return elements
        }
    }
}

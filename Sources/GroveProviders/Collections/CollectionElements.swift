import GroveModel

/// The elements of a collection at one moment.
///
/// A view of the provider's own storage: getting one costs nothing, and reading one element is O(log *n*). Neither
/// makes later changes of the collection cost more. `Array(elements)` is O(*n*).
public struct CollectionElements<T: Sendable>: RandomAccessCollection, Sendable {
    let entries: PersistentVector<Entry<T>>

    /// Zero.
    public var startIndex: Int { 0 }
    /// The number of elements.
    public var endIndex: Int { entries.count }
    /// The element at `position`, in O(log *n*).
    public subscript(position: Int) -> T { entries[position].model }
}

/// An element of a collection, with a handle that no other element of its list ever has.
struct Entry<T: Sendable>: Sendable {
    let handle: Int
    /// The number of the element's version.
    var revision = 0
    /// The place, in the order of calls, of the edit that set the model; older news are ignored.
    var editedAt = Turn.zero
    var model: T
}

extension Array {
    /// The numbers of elements at the beginning, and of others at the end, that have the same handles as those of
    /// `other`.
    func sharedEnds<T>(with other: [Element]) -> (head: Int, tail: Int) where Element == Entry<T> {
        let shared = Swift.min(count, other.count)
        let head = (0..<shared).first { self[$0].handle != other[$0].handle } ?? shared
        let tail = (0..<shared - head).first { self[count - 1 - $0].handle != other[other.count - 1 - $0].handle }
        return (head, tail ?? shared - head)
    }
}

extension CollectionElements where T: SimpleModel {
    /// Whether these are the models of `others`, each in an equal version.
    func isEqual(to others: some Collection<T>) -> Bool {
        count == others.count && zip(self, others).allSatisfy { $0.isEqual(to: $1) }
    }
}

import GroveModel

/// A place in a list whose model does not exist yet.
struct AwaitedElement {
    let identifier: ModelIdentifier
    /// The handle of the element or awaited place before it.
    let predecessor: Int?
    /// The index at which the place was made.
    let index: Int
    let isSaved: Bool
}

/// The places in a list that wait for their models, by handle.
///
/// A place that got its model is known until none waits any more.
struct AwaitedElements {
    /// The places that wait for a model.
    private(set) var waiting: [Int: AwaitedElement] = [:]
    /// The places that got a model while others still wait.
    private var arrived: [Int: AwaitedElement] = [:]

    var isEmpty: Bool { waiting.isEmpty }

    mutating func add(_ handle: Int, _ place: AwaitedElement) { waiting[handle] = place }

    /// Ends the wait of a place, for which no model comes.
    mutating func drop(_ handle: Int) { waiting[handle] = nil }

    /// Notes that the place of `handle` got its model.
    mutating func arrive(_ handle: Int) { arrived[handle] = waiting.removeValue(forKey: handle) }

    /// Forgets the places that got a model, if no other waits.
    mutating func forgetArrived() {
        if isEmpty { arrived = [:] }
    }

    /// The handles that were before the place when it was made, the nearest first, as far as they are known.
    func predecessors(of place: AwaitedElement) -> [Int] {
        var found: [Int] = []
        var next = place.predecessor
        while let handle = next {
            found.append(handle)
            next = (waiting[handle] ?? arrived[handle])?.predecessor
        }
        return found
    }

    /// The handles of the places that got a model and were made behind that of `handle`.
    func arrived(behind handle: Int) -> [Int] {
        arrived.filter { predecessors(of: $0.value).contains(handle) }.map(\.key)
    }
}

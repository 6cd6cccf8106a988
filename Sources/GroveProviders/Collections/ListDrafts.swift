import GroveModel

/// The elements of a list over which something is pending.
///
/// Each has a handle, under which it goes on as the same row when it is confirmed.
struct ListDrafts<T: SimpleModel> {
    /// The handles of elements that are pending, by their identifiers.
    var handles: [ModelIdentifier: Int] = [:]
    /// The elements that are shown with another model than the confirmed one, by handle.
    var shown: [Int: Entry<T>] = [:]
    /// The revision of the newest of them: no version of the list itself has a number below zero.
    private var revision = 0

    /// The element of `handle` with `model` over it: the one that was shown last, if that is equal.
    ///
    /// - Parameter next: gets the element.
    mutating func entry(_ handle: Int, _ model: T, notedIn next: inout [Int: Entry<T>]) -> Entry<T> {
        if let last = shown[handle], last.model.isEqual(to: model) {
            next[handle] = last
            return last
        }
        revision -= 1
        let entry = Entry(handle: handle, revision: revision, model: model)
        next[handle] = entry
        return entry
    }

    /// Takes the handle of the pending element that `model` confirms, if there is one.
    mutating func takeHandle(of model: T) -> Int? {
        guard !handles.isEmpty, let identifier = model.modelIdentifier else { return nil }
        return handles.removeValue(forKey: identifier)
    }
}

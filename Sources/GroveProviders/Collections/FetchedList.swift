import GroveModel

/// A list that was read, each element in its newest version.
struct FetchedList<T: SimpleModel>: Sendable {
    let models: [T]
    let hidden: [HiddenElement]
    /// The identifiers of hidden elements that the cache does not show either.
    let hiddenInCache: [ModelIdentifier]
    let commit: CommitNumber?
    let ticket: EditTicket

    /// - Parameter newest: the newest versions of the elements; `nil` for those that were deleted since.
    init(_ read: ListRead<T>, _ newest: [T?]) {
        models = newest.compactMap(\.self)
        (commit, ticket) = (read.commit, read.ticket)
        hiddenInCache = read.hidden.compactMap(\.identifier)
        guard models.count < newest.count else {
            hidden = read.hidden
            return
        }
        var hidden: [HiddenElement] = []
        var left = read.hidden[...]
        var position = 0
        for (model, newest) in zip(read.elements, newest) {
            while left.first?.position == position {
                hidden.append(left.removeFirst())
                position += 1
            }
            if newest == nil { hidden.append(HiddenElement(position, model.modelIdentifier)) }
            position += 1
        }
        self.hidden = hidden + left
    }
}

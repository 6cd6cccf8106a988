// What a server pushes into a list. It is no answer to a request, and is as old as the moment before it was waited for.
import Grove
import GroveLMDB

extension CacheTransaction {
    /// Stores models that the server has pushed, and puts those into a list that it does not have.
    ///
    /// What was changed since `asked` stays as it is, and what was deleted stays away, for they are put in by their identifiers: to insert the
    /// models would write them once more, as an edit of now. Every screen that shows the list follows. If the list is not there, none is made.
    func put<M: CacheableModel & KeyedModel>(
        pushed models: [M], at place: ElementPlace, inCollection key: String, asOf asked: Place
    ) throws {
        try write(contentsOf: models, asOf: asked)
        guard try count(ofCollection: key) != nil else { return }
        var new: [ModelIdentifier] = []
        for identifier in models.compactMap(\.modelIdentifier) where !new.contains(identifier) {
            let isLeft = try model(identifier, as: M.self) != nil
            if isLeft, try !contains(identifier, inCollection: key) { new.append(identifier) }
        }
        try insert(references: new, at: place, inCollection: key)
    }
}

// Models that a server pushes into a list. They answer no request: their age is that of the moment before the wait.
import Grove
import GroveLMDB

extension CacheTransaction {
    /// Stores models that the server has pushed, and inserts those into a list that are not in it.
    ///
    /// A model that was changed since `asked` keeps the change, and a deleted one is not inserted. The models are
    /// inserted by their identifiers: to insert the models themselves would write them again, as an edit of now. Every
    /// screen that shows the list follows. If the list is not there, this makes none.
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

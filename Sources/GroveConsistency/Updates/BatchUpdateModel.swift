public import GroveModel

/// Several models as one: posted together, they reach every listener in one update.
///
/// The models apply in order; if two hold versions of one model, the later one wins.
public struct BatchUpdateModel: Model {
    /// The models; `nil` for each that was deleted.
    public let models: [(any ConsistencyManagerModel)?]

    /// The identifier of the batch itself; usually `nil`.
    public let modelIdentifier: ModelIdentifier?

    /// Makes a batch of `models`, which may have an identifier of its own.
    public init(models: [(any ConsistencyManagerModel)?], modelIdentifier: ModelIdentifier? = nil) {
        self.models = models
        self.modelIdentifier = modelIdentifier
    }

    /// A copy with each model replaced; a model that `transform` removes leaves `nil` in its place.
    public func map(_ transform: (any Model) -> (any Model)?) -> BatchUpdateModel? {
        BatchUpdateModel(models: models.map { $0.flatMap(transform) }, modelIdentifier: modelIdentifier)
    }

    /// Visits the models that are not `nil`.
    public func forEach(_ visit: (any Model) -> Void) {
        for case let model? in models { visit(model) }
    }

    /// Whether `model` is a batch of equal models.
    public func isEqual(to model: any SimpleModel) -> Bool {
        guard let other = model as? BatchUpdateModel, other.modelIdentifier == modelIdentifier,
            other.models.count == models.count
        else { return false }
        return zip(models, other.models).allSatisfy { mine, theirs in
            switch (mine, theirs) {
            case (nil, nil): true
            case (let mine?, let theirs?): mine.isEqual(to: theirs)
            default: false
            }
        }
    }
}

public import GroveModel

/// A tree of models that a ``ConsistencyManager`` keeps consistent.
///
/// It is an older name of `Model`, whose members the manager needs: identity, `map`, `forEach`, `merge` and equality.
/// It is the same protocol so that a model has the same children under both names.
public typealias ConsistencyManagerModel = Model

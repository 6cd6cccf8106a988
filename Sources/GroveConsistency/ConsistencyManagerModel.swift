public import GroveModel

/// What a ``ConsistencyManager`` keeps consistent: a tree of models.
///
/// It is `Model` itself, by its older name. What it needs is what `Model` has (identity, `map`, `forEach`, `merge`,
/// equality), and a second protocol would make the children of the one no children of the other.
public typealias ConsistencyManagerModel = Model

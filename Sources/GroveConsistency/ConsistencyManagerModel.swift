public import GroveModel

/// A tree of models that a ``ConsistencyManager`` keeps consistent.
///
/// It is `Model` by its older name. The manager needs the members of `Model`: identity, `map`, `forEach`, `merge` and
/// equality. With a second protocol, the children of the one would be no children of the other.
public typealias ConsistencyManagerModel = Model

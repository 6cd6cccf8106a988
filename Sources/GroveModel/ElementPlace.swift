/// A place in a list, named by an element beside it.
///
/// If the list does not have that element, the place is the end of the list.
public enum ElementPlace: Sendable, Hashable {
    /// Before the first element.
    case first
    /// After the last element.
    case last
    /// Right before the element with this identifier; before the gap, if the list has one there.
    case before(ModelIdentifier)
    /// Right after the element with this identifier.
    case after(ModelIdentifier)

    /// Right before the element of type `M` whose identity is `id`.
    public static func before<M: KeyedModel>(_ type: M.Type, id: M.ModelID) -> ElementPlace {
        .before(M.modelIdentifier(for: id))
    }

    /// Right after the element of type `M` whose identity is `id`.
    public static func after<M: KeyedModel>(_ type: M.Type, id: M.ModelID) -> ElementPlace {
        .after(M.modelIdentifier(for: id))
    }
}

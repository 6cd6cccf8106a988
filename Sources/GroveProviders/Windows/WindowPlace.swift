public import GroveModel

/// The place in a list at which a window is opened.
public enum WindowPlace: Sendable, Hashable {
    /// At the first row.
    case first
    /// At the last row.
    case last
    /// Around a position, counting all elements of the list; near an end, the rows at that end.
    case position(Int)
    /// Around the element with this identifier.
    case around(ModelIdentifier)

    /// Around the element of type `M` whose identity is `id`.
    public static func around<M: KeyedModel>(_ type: M.Type, id: M.ModelID) -> WindowPlace {
        .around(M.modelIdentifier(for: id))
    }

    var anchor: WantedRows.Anchor {
        switch self {
        case .first: .first
        case .last: .last
        case .position(let position): .position(position)
        case .around(let identifier): .element(identifier)
        }
    }
}

public import GroveModel
public import Observation

/// One row of a window: an element through all its versions.
@MainActor
@Observable
public final class WindowRow<Element: SimpleModel>: Identifiable {
    /// The element in its newest version, with what is pending over it; of a row that is no longer shown, the last known one.
    ///
    /// A view that reads it is told when this element changes, and of nothing else.
    public internal(set) var model: Element {
        get {
            access(keyPath: \.model)
            return shownModel
        }
        set {
            withMutation(keyPath: \.model) { (shownModel, revision) = (newValue, revision + 1) }
        }
    }

    /// The same, for one that is not told of changes.
    @ObservationIgnored private(set) var shownModel: Element
    /// Counts the element's versions.
    @ObservationIgnored private(set) var revision = 0
    /// The element without what is pending over it; of a row that is pending itself, the draft.
    @ObservationIgnored var confirmed: Element
    /// The row's number in its window.
    @ObservationIgnored let handle: Int
    /// The place, in the order of calls, of the read that brought the model; older news are not for it.
    @ObservationIgnored var readAt = Turn.zero

    init(_ model: Element, handle: Int) {
        (shownModel, confirmed) = (model, model)
        self.handle = handle
    }

    /// Shows a version of the element, if it is another one.
    func show(_ model: Element) {
        if !shownModel.isEqual(to: model) { self.model = model }
    }
}

/// A part of a list, beside rows of a window, that the cache does not have.
public struct WindowGap: Sendable, Equatable {
    /// The index of the row behind it; the number of rows if it is behind the last one.
    public let index: Int
    /// How many elements it has; `nil` if that is not known, as the part was never fetched.
    public let count: Int?
}

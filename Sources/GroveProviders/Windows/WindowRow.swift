public import GroveModel
public import Observation

/// One row of a window: an element through all its versions.
@MainActor
@Observable
public final class WindowRow<Element: SimpleModel>: Identifiable {
    /// The element in its newest version, with pending changes applied; if the row is no longer shown, its last known
    /// version.
    ///
    /// A view that reads it is told of changes to this element only.
    public internal(set) var model: Element {
        get {
            access(keyPath: \.model)
            return shownModel
        }
        set {
            withMutation(keyPath: \.model) { (shownModel, revision) = (newValue, revision + 1) }
        }
    }

    /// The same element, for a reader that is not told of changes.
    @ObservationIgnored private(set) var shownModel: Element
    /// The number of the element's version.
    @ObservationIgnored private(set) var revision = 0
    /// The element without the pending changes; for a pending element, the draft.
    @ObservationIgnored var confirmed: Element
    /// The row's number in its window.
    @ObservationIgnored let handle: Int
    /// The place, in the order of calls, of the read that brought the model; older news are ignored.
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

/// A part of a list, between or beside rows of a window, that the cache does not have.
public struct WindowGap: Sendable, Equatable {
    /// The index of the row after the gap; the number of rows if the gap is after the last one.
    public let index: Int
    /// The number of elements in the gap; `nil` if it is unknown, because the part was never fetched.
    public let count: Int?
}

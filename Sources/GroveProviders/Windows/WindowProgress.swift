import GroveModel

/// The reads, pages and rows that a window waits for, and the state that a view shows meanwhile.
///
/// A request goes on until the cache was read after the opening, and no page is on its way.
struct WindowProgress {
    enum Phase {
        /// The cache has yet to be read for the first time since the window was opened.
        case opening
        /// It was read, or the window is not open.
        case read
        /// Everything was wiped, and nothing was asked for or shown since.
        case emptied
    }

    var request = RequestState()
    var phase = Phase.read
    /// The number of pages on their way.
    private var loads = 0
    /// Whether rows were read that are gone already, so that others are read.
    var isReadAgain = false
    /// The callers that wait for rows, with the numbers of their wishes.
    var waiting: [(wish: Int, continuation: CheckedContinuation<Void, Never>)] = []

    var isOpening: Bool { phase == .opening }

    /// A page is asked for.
    mutating func beginLoad() {
        loads += 1
        request.begin()
    }

    /// A page has come, or was refused; with `nil` the state stays as it was.
    mutating func endLoad(_ state: ProviderState?) {
        loads -= 1
        if let state { request.note(state) }
        if loads == 0, !isOpening { request.end() }
    }

    /// The cache was read; `nil` if it has found rows.
    mutating func settle(_ state: ProviderState?, isEmptied: Bool) {
        if let state {
            request.note(state)
        } else if isOpening {
            request.note(.cached)
        } else {
            request.noteData()
        }
        if loads == 0 { request.end() }
        phase = isEmptied ? .emptied : .read
    }

    /// Removes the callers that asked for rows up to a wish.
    mutating func takeWaiting(
        through wish: Int
    ) -> [(wish: Int, continuation: CheckedContinuation<Void, Never>)] {
        defer { waiting.removeAll { $0.wish <= wish } }
        return waiting.filter { $0.wish <= wish }
    }
}

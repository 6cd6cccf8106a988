import GroveModel
import GrovePlatform

/// The views that users hold open, and since when: an engine cannot give back the pages that they show.
final class OpenViews: Sendable {
    private struct State {
        var count: UInt64 = 0
        var begun: [ViewID: ContinuousClock.Instant] = [:]
    }

    /// A view that is open.
    ///
    /// It is given as the view begins, and orders nothing.
    struct ViewID: Hashable, Sendable {
        fileprivate let rawValue: UInt64
    }

    private let state = Lock(State())

    /// The time after which an open view is mentioned.
    private static let long = Duration.milliseconds(250)

    /// Notes a view that begins; returns the identifier by which it leaves.
    func enter() -> ViewID {
        state.withLock { state in
            state.count += 1
            let view = ViewID(rawValue: state.count)
            state.begun[view] = .now
            return view
        }
    }

    /// Notes that a view has ended.
    func leave(_ view: ViewID) { state.withLock { $0.begun[view] = nil } }

    /// The time for which the oldest view has been open, if that is long.
    var longest: Duration? {
        guard let begun = state.withLock({ $0.begun.values.min() }) else { return nil }
        let age = ContinuousClock.now - begun
        return age > OpenViews.long ? age : nil
    }

    /// Waits until the views that are open now have ended, or one of them has been open for long.
    func awaitEnds() {
        let last = state.withLock { $0.count }
        while longest == nil, state.withLock({ $0.begun.keys.contains { $0.rawValue <= last } }) { usleep(1_000) }
    }

    /// `error`, which names a view that has long been open if the store is full: the view may be the cause.
    func explain(_ error: CacheError) -> CacheError {
        guard error.code == .full, let longest else { return error }
        return CacheError(
            .full,
            "\(error.message) A view has been open for \(longest.components.seconds) seconds, and what it shows cannot be given back; end it.",
            identifier: error.identifier, engineCode: error.engineCode)
    }
}

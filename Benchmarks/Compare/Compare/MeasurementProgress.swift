/// How far a comparison came, how long the rest may take, and whether the user wants no more of it.
package final class MeasurementProgress {
    private let steps: Int
    private let isStopped: () -> Bool
    private var done = 0
    private let start = ContinuousClock.now

    /// - Parameters:
    ///   - steps: how many there are.
    ///   - isStopped: asked before each.
    init(steps: Int, until isStopped: @escaping () -> Bool) { (self.steps, self.isStopped) = (steps, isStopped) }

    /// Whether the run is to end here, with what it has.
    var isOver: Bool { isStopped() }

    /// Says what is measured now.
    func begin(_ name: String) {
        Terminal.progress("\(done + 1) of \(max(steps, done + 1)), \(name)\(left)")
        done += 1
    }

    /// The rest of the time, if the rest takes as long as what is done.
    private var left: String {
        guard done > 1 else { return "" }
        let elapsed = Double(start.duration(to: .now).components.seconds)
        let seconds = elapsed / Double(done) * Double(max(steps - done, 0))
        return seconds < 60 ? ", about \(Int(seconds) + 1) s left" : ", about \(Int(seconds / 60) + 1) min left"
    }
}

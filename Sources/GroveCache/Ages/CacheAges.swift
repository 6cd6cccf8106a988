import GroveModel

/// What a cache knows of ages: part of what is behind the lock under which calls take their numbers.
struct CacheAges: Sendable {
    var line: AgeLine
    let confirmations = Confirmations()
    /// The last session that this process saw in the store, its own once it has written.
    var session: UInt64
    /// What the store said when it was opened: what was saved must be about that.
    private(set) var opened: StoreState
    /// Whether what was saved was looked at.
    var isLoaded = false
    /// What was last saved, and the last number that it is about.
    private var saved: (line: AgeLine, session: UInt64, sequence: UInt64)?

    init(_ opened: StoreState) {
        line = AgeLine(after: opened.sequence)
        session = opened.session
        self.opened = opened
    }

    /// Notes that the call `number` is made now.
    @inline(__always)
    mutating func note(_ number: UInt64, at reading: Double) {
        if line.note(number, at: reading) { confirmations.removeAll() }
    }

    /// Notes the time of a read, before the call `number` is made.
    mutating func notice(_ reading: Double, before number: UInt64) {
        if line.notice(reading, before: number) { confirmations.removeAll() }
    }

    /// Begins anew with a store that was opened again.
    ///
    /// - Parameters:
    ///   - last: the number up to which this process knew the store; `nil` where it is another one.
    ///   - top: the highest number of a call so far.
    mutating func reopen(_ state: StoreState, lastCommitted last: UInt64?, upTo top: UInt64) {
        // The one that was let go of: nobody wrote since, and nobody put another in its place.
        guard state.session != session || state.sequence != last || state.session == 0 else { return }
        forget(upTo: max(top, state.sequence))
        session = state.session
        opened = state
        isLoaded = false
    }

    private mutating func forget(upTo top: UInt64) {
        line = AgeLine(after: top)
        confirmations.removeAll()
    }

    /// Notes that the store was emptied by the call `number`.
    mutating func forgetStored(upTo number: UInt64) {
        line.forget(upTo: number)
        confirmations.removeAll()
        session = 0
        opened = StoreState()
        isLoaded = true
    }

    /// Takes up what was saved, where it is about the store that was opened.
    mutating func load(_ saved: AgeFile?, epoch: Int) {
        guard !isLoaded else { return }
        isLoaded = true
        // Somebody else wrote last: what this is about may be another copy of the store.
        guard let saved, saved.session == opened.session, saved.session != 0 else { return }
        guard line.floor >= opened.sequence else { return }
        guard line.prepend(saved.line, upTo: min(saved.sequence, opened.sequence)) else { return }
        confirmations.restore(saved.confirmations, epoch: epoch)
    }

    /// Whether there is anything to save of a store whose last write has the number `sequence`.
    func isDirty(_ sequence: UInt64) -> Bool {
        guard let saved, saved.session == session, saved.sequence == sequence else { return true }
        return confirmations.changes > 0 || saved.line.samples != line.samples
    }

    /// Notes that ages are saved as they are, up to `sequence`.
    mutating func didSave(_ sequence: UInt64) { saved = (line, session, sequence) }
}

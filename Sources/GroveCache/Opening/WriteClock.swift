import GroveModel

/// The time of eviction: bytes of keys and values that were written, and of hits on records that had not been asked for
/// lately.
///
/// The store's own record keeps it, with the last pairs of a call's number and the time of its commit. By them the
/// number in a record tells the time at which it was written, and no time is kept for each record.
struct WriteClock: Equatable {
    /// A call's number and the time of its commit, in steps of ``step``.
    private struct Mark: Equatable {
        var sequence: CallNumber
        var step: UInt64
    }

    /// The most marks.
    static let mostMarks = 32
    /// The bytes of the marks in the store, however many there are.
    static let storedBytes = mostMarks * markBytes
    private static let markBytes = 8
    private static let stepShift: UInt64 = 6

    private(set) var now: UInt64 = 0
    /// The marks, the oldest first.
    private var marks: [Mark] = []

    /// Lets the time advance.
    mutating func advance(_ bytes: Int) { now &+= UInt64(max(bytes, 0)) }

    /// Notes that calls up to the number `sequence` are committed now, if the last mark is far enough behind.
    ///
    /// - Parameter payload: the bytes that are stored: the marks go back for twice as many.
    mutating func note(_ sequence: CallNumber, payload: Int) {
        let step = now >> WriteClock.stepShift
        let span = UInt64(max(payload, 0) / (WriteClock.mostMarks / 2)) >> WriteClock.stepShift
        let last = marks.last ?? Mark(sequence: .zero, step: 0)
        guard sequence > last.sequence, step > last.step + span else { return }
        marks.append(Mark(sequence: sequence, step: step))
        if marks.count > WriteClock.mostMarks { marks.removeFirst() }
    }

    /// About the time at which the call of the number `sequence` was committed; `nil` for longer ago than the marks go
    /// back.
    ///
    /// - Parameter last: the number of the last call.
    func time(of sequence: CallNumber, last: CallNumber) -> UInt64? {
        // The first mark that is no earlier.
        let low = marks.indices.firstIndex(behind: { marks[$0].sequence < sequence })
        let after = low < marks.count ? (marks[low].sequence, marks[low].step << WriteClock.stepShift) : (last, now)
        let before: (CallNumber, UInt64)
        if low > 0 {
            before = (marks[low - 1].sequence, marks[low - 1].step << WriteClock.stepShift)
        } else {
            guard marks.count < WriteClock.mostMarks else { return nil }
            before = (.zero, 0)
        }
        guard after.0 > before.0, after.1 > before.1, sequence < after.0 else { return after.1 }
        let part = Double(sequence.rawValue &- before.0.rawValue) / Double(after.0.rawValue - before.0.rawValue)
        return before.1 + UInt64(Double(after.1 - before.1) * part)
    }

    // MARK: In the store

    /// Makes a clock of `bytes`, the marks that ``forEachMark(_:_:)`` gave.
    init(now: UInt64, marks bytes: UnsafeRawBufferPointer, sequence: CallNumber) {
        self.now = now
        for offset in stride(from: 0, to: bytes.count, by: WriteClock.markBytes) {
            let back = unsafe bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self).littleEndian
            guard back != UInt64.max else { break }
            marks.append(
                Mark(
                    sequence: CallNumber(rawValue: sequence.rawValue &- (back & 0xFFFF_FFFF)),
                    step: now >> WriteClock.stepShift &- back >> 32))
        }
    }

    init() {}

    /// The marks as numbers of eight bytes: the distance to `sequence` in the lower half, and the time since in the
    /// upper; all bits set for no mark.
    func forEachMark(_ sequence: CallNumber, _ body: (UInt64) -> Void) {
        for mark in marks {
            let calls = UInt64(UInt32(clamping: CallNumber.numbers(after: mark.sequence, upTo: sequence).rawValue))
            let steps = UInt64(UInt32(clamping: now >> WriteClock.stepShift &- mark.step))
            body(steps << 32 | calls)
        }
        for _ in marks.count..<WriteClock.mostMarks { body(.max) }
    }
}

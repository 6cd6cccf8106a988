/// What workers wrote and read, checked: fresh reads are linearizable for each key, reads near are bounded, and no
/// worker's reads of a key go back.
///
/// A key has one writer at a time, and its values are numbers that only grow. A value is written to both halves of a
/// tree in one commit. A read must not bring less than what was known to be committed when it began, and a read near
/// not less than what was known `patience` earlier: known is what a write has returned, or a read. It must not bring
/// what was not sent, or what failed.
///
/// Events of several workers may be added in any order, if they come within ``slack``.
package struct SharedHistory: Sendable {
    /// What a worker tells.
    ///
    /// Times are nanoseconds of one clock of the machine.
    package enum Event: Sendable, Equatable {
        /// A write is about to be sent.
        case sent(key: Int, value: Int, at: UInt64)
        /// It has returned; `isCommitted` is `nil` if its outcome is unknown.
        case written(key: Int, value: Int, at: UInt64, isCommitted: Bool?)
        /// A read has returned both halves.
        case read(key: Int, halves: [Int], isFresh: Bool, from: UInt64, to: UInt64)
        /// A call has failed with a typed error.
        case failed
    }

    private struct Read {
        let worker: Int
        let key: Int
        let value: Int
        let isFresh: Bool
        let from: UInt64
        let to: UInt64
    }

    private struct Key {
        /// When each value was sent.
        var sent: [Int: UInt64] = [:]
        /// When each value was first known to be committed.
        var known: [Int: UInt64] = [:]
        var failed: Set<Int> = []
        /// The values of writes whose outcome is unknown.
        var unknown: Set<Int> = []
    }

    /// How late an event may be added.
    package static let slack: UInt64 = 10_000_000_000

    private let patience: UInt64
    private var keys: [Int: Key] = [:]
    private var unchecked: [Read] = []
    private var seen: [Int: [Int: Int]] = [:]

    /// What was wrong; empty if nothing was.
    package private(set) var found: [String] = []
    /// How many reads, writes and failures there were.
    package private(set) var totals = (reads: 0, writes: 0, failures: 0)

    /// Makes an empty history of workers whose caches have that `patience`, in nanoseconds.
    package init(patience: UInt64) { self.patience = patience }

    /// Adds what `worker` tells; a process that is started again is another worker.
    package mutating func add(_ event: Event, of worker: Int) {
        switch event {
        case .sent(let key, let value, let time):
            keys[key, default: Key()].sent[value] = time
        case .written(let key, let value, let time, true):
            totals.writes += 1
            know(key, value, time)
        case .written(let key, let value, _, let isCommitted):
            totals.failures += 1
            switch isCommitted {
            case false?: keys[key, default: Key()].failed.insert(value)
            case nil: keys[key, default: Key()].unknown.insert(value)
            case true?: break
            }
        case .read(let key, let halves, let isFresh, let from, let to):
            totals.reads += 1
            let value = halves.first ?? 0
            if Set(halves).count > 1 { found.append("worker \(worker) read a mixture of key \(key): \(halves)") }
            know(key, value, to)
            unchecked.append(
                Read(worker: worker, key: key, value: value, isFresh: isFresh, from: from, to: to))
        case .failed: totals.failures += 1
        }
    }

    /// Adds what else was wrong.
    package mutating func accuse(_ lie: String) { found.append(lie) }

    /// Checks the reads that ended before `time`: by default all.
    package mutating func check(before time: UInt64 = .max) {
        let reads = unchecked.filter { $0.to < time }.sorted { $0.from < $1.from }
        unchecked.removeAll { $0.to < time }
        for read in reads {
            let what = "worker \(read.worker) read \(read.isFresh ? "fresh" : "near") \(read.value) of key \(read.key)"
            let key = keys[read.key] ?? Key()
            let bound = read.isFresh ? read.from : read.from - min(patience, read.from)
            // A write that its writer gave up may be committed behind a later one.
            let isLate = key.unknown.contains(read.value)
            if !isLate, let later = key.known.filter({ $0.key > read.value && $0.value < bound }).keys.max() {
                found.append("\(what), and \(later) was committed")
            }
            if read.value > 0, key.sent[read.value].map({ $0 > read.to }) ?? true {
                found.append("\(what), which was not sent")
            }
            if key.failed.contains(read.value) { found.append("\(what), which was not written") }
            if !isLate, let before = seen[read.worker]?[read.key], before > read.value {
                found.append("\(what) after \(before)")
            }
            seen[read.worker, default: [:]][read.key] = read.value
        }
        forget(before: time)
    }

    private mutating func know(_ key: Int, _ value: Int, _ time: UInt64) {
        let known = keys[key]?.known[value] ?? .max
        keys[key, default: Key()].known[value] = min(known, time)
    }

    /// Forgets what a later value was known beside, long before `time`.
    private mutating func forget(before time: UInt64) {
        guard time != .max, time > Self.slack + patience else { return }
        let bound = time - Self.slack - patience
        for (name, key) in keys {
            guard let floor = key.known.filter({ $0.value < bound }).keys.max() else { continue }
            keys[name]?.known = key.known.filter { $0.key >= floor }
        }
    }
}

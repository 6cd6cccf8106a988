import GroveCache
import GroveConformance
import GroveModel
import Synchronization

/// A correct persistent store, the whole content in memory and each commit one frame of a log, with at most one flaw.
///
/// It shares no code with the backends either. A frame is its length, its checksum and its changes; what follows the
/// last whole frame was never committed. The log is rewritten to one frame when most of it is out of date.
final class LogStore: NodeStore {
    static var profile: BackendProfile {
        BackendProfile(
            name: "log", isPersistent: true, survivesCrash: true, isMultiProcess: false, readersNeverStall: false,
            opensOnFullDisk: true, maxValueBytes: 1 << 30)
    }

    private struct State {
        var content: ReferenceContent = [:]
        /// Where the next frame goes.
        var end = 0
        /// What was acknowledged and is not in the file.
        var late: [UInt8] = []
        /// Whether the file may hold what was not committed, or the disk less than what was.
        var isDoubtful = false
    }

    private let flaw: LogFlaw?
    private let files: LogFiles
    private let state: Mutex<State>

    init(directory: String?, options: LogOptions) throws(CacheError) {
        guard let directory else { throw CacheError(.unsupported, "A log needs a directory.") }
        flaw = options.flaw
        files = try LogFiles(directory, flaw: options.flaw)
        var state = State()
        if flaw != .startsEmpty {
            let bytes = try files.read()
            (state.content, state.end) = LogFrame.replay(bytes, trusting: flaw == .trustsFrames)
            if flaw == .refusesDamage, state.end < bytes.count {
                files.close()
                throw CacheError(.notAStore, "The log is damaged.")
            }
            // What was cut off in the middle must not be in the way of the next frame.
            if state.end < bytes.count, flaw != .keepsTornTail { try files.cut(to: state.end) }
            if flaw == .keepsTornTail { state.end = bytes.count }
        }
        self.state = Mutex(state)
        if flaw == .rewritesInPlace || flaw == .rewritesAtOpening {
            try change { (state) throws(CacheError) in try rewrite(&state) }
        }
    }

    func view() throws(CacheError) -> ReferenceView<NoFlaw> { ReferenceView(state.withLock { $0.content }, of: nil) }

    func write(_ body: (ReferenceTransaction<NoFlaw>) throws(CacheError) -> Void) throws(CacheError) {
        let transaction = ReferenceTransaction<NoFlaw>(state.withLock { $0.content })
        try body(transaction)
        guard !transaction.changes.isEmpty else { return }
        try change { (state) throws(CacheError) in
            if flaw == .splitsCommits {
                for change in transaction.changes { try append(LogFrame.bytes([change]), to: &state) }
            } else if case .splitsAt(let limit) = flaw {
                var rest = transaction.changes[...]
                while !rest.isEmpty {
                    try append(LogFrame.bytes(Array(rest.prefix(limit))), to: &state)
                    rest = rest.dropFirst(limit)
                }
            } else {
                try append(LogFrame.bytes(transaction.changes), to: &state)
            }
            state.content = transaction.content
            if flaw != .neverRewrites, state.end > 1 << 20, state.end > 3 * LogFrame.size(of: state.content) {
                // The commit stands whether or not this succeeds.
                try? rewrite(&state)
            }
        }
    }

    private func append(_ frames: [UInt8], to state: inout State) throws(CacheError) {
        if state.isDoubtful { try rewrite(&state) }
        let written = flaw == .writesLate ? state.late : frames
        do throws(CacheError) {
            try files.append(written, at: state.end)
        } catch {
            if flaw == .ignoresFailedWrites { return }
            state.isDoubtful = true
            if (try? files.cut(to: state.end)) != nil { state.isDoubtful = false }
            throw error
        }
        state.end += written.count
        if flaw == .writesLate { state.late = frames }
    }

    /// Puts the content into a log of one frame, in place of the old log.
    private func rewrite(_ state: inout State) throws(CacheError) {
        let changes = state.content.map { ReferenceChange(key: $0.key, value: $0.value.bytes) }
        let frame = changes.isEmpty ? [] : LogFrame.bytes(changes)
        if flaw == .rewritesInPlace {
            try files.cut(to: 0)
            try files.append(frame, at: 0)
        } else {
            try files.replace(with: frame)
        }
        state.end = frame.count
        state.isDoubtful = false
    }

    func synchronize() throws(CacheError) {
        guard flaw != .skipsSyncs else { return }
        try change { (state) throws(CacheError) in
            if state.isDoubtful { try rewrite(&state) }
            do throws(CacheError) {
                try files.synchronize()
            } catch {
                // What could not be written may be gone from memory too: it is written again from here.
                state.isDoubtful = true
                if flaw == .ignoresFailedSyncs { return }
                throw error
            }
        }
    }

    func size() throws(CacheError) -> StoreSize {
        let content = state.withLock { $0.content }
        let payload = content.reduce(0) { $0 + $1.key.count + $1.value.count }
        return StoreSize(
            bytesOnDisk: flaw == .hidesFiles ? 0 : files.allocatedBytes(), payloadBytes: payload, entries: content.count
        )
    }

    func wipe() throws(CacheError) {
        try change { (state) throws(CacheError) in
            if flaw == .wipesAllFiles { files.removeOthers() }
            if flaw == .wipeRenames { try files.rename() } else { try files.cut(to: 0) }
            state = State()
            try files.synchronize()
        }
    }

    func close() {
        if flaw == .writesLate { try? change { (state) throws(CacheError) in try append([], to: &state) } }
        files.close()
    }

    private func change(_ body: (inout State) throws(CacheError) -> Void) throws(CacheError) {
        let outcome: Result<Void, CacheError> = state.withLock { state in
            do throws(CacheError) { return .success(try body(&state)) } catch { return .failure(error) }
        }
        try outcome.get()
    }
}

/// The harness of a ``LogStore``.
struct LogHarness: StoreHarness {
    typealias Store = LogStore

    var options = LogOptions()
}

import GroveCache
import GroveConformance
import GroveModel
import Synchronization

/// The simplest correct store, a dictionary, with at most one flaw.
///
/// It shares no code with the four backends: where a rule fails on it without a flaw, the rule is wrong.
final class ReferenceStore<Flaw: StoreFlaw>: NodeStore {
    static var profile: BackendProfile {
        BackendProfile(
            name: "reference", isPersistent: false, survivesCrash: false, isMultiProcess: false, isEvicting: true,
            readersNeverStall: true, maxValueBytes: 1 << 30, livePayloadShare: 0.9)
    }

    private let disk: ReferenceDisk
    private let writing = Mutex(())

    init(directory: String?, options: ReferenceOptions) throws(CacheError) {
        disk = options.sharedDisk ?? ReferenceDisk()
    }

    func view() throws(CacheError) -> ReferenceView<Flaw> {
        if Flaw.stallsReaders { writing.withLock { _ in } }
        let (now, before) = disk.contents
        return ReferenceView(Flaw.lagsBehind ? before : now, of: disk)
    }

    func write(_ body: (ReferenceTransaction<Flaw>) throws(CacheError) -> Void) throws(CacheError) {
        let outcome: Result<Void, CacheError> = writing.withLock { _ in
            let transaction = ReferenceTransaction<Flaw>(disk.contents.now)
            do throws(CacheError) {
                try body(transaction)
            } catch {
                if Flaw.commitsAborted { commit(transaction) }
                return .failure(error)
            }
            return .success(commit(transaction))
        }
        try outcome.get()
    }

    private func commit(_ transaction: ReferenceTransaction<Flaw>) {
        disk.publish { content, number in
            for change in Flaw.batch(transaction.changes, number: number) {
                ReferenceStore.apply(change, to: &content)
            }
        }
    }

    static func apply(_ change: ReferenceChange, to content: inout ReferenceContent) {
        let key = Flaw.key(change.key, in: content)
        guard let value = change.value else {
            content[key] = nil
            return
        }
        content[key] = Flaw.value(value, over: content[key]?.bytes).map { ReferenceBytes($0) }
    }

    func synchronize() throws(CacheError) {}

    func setBudget(_ bytes: Int) throws(CacheError) -> Int { Flaw.payload(within: bytes) }

    func size() throws(CacheError) -> StoreSize {
        let content = disk.contents.now
        let payload = content.reduce(0) { $0 + $1.key.count + $1.value.count }
        return StoreSize(bytesOnDisk: 0, payloadBytes: payload, entries: content.count)
    }

    func wipe() throws(CacheError) { disk.publish { content, _ in content = Flaw.wiped(content) } }

    func close() {}
}

/// Where a ``ReferenceStore`` keeps its content.
final class ReferenceDisk: Sendable {
    private struct State {
        var now: ReferenceContent = [:]
        var before: ReferenceContent = [:]
        var commits = 0
    }

    private let state = Mutex(State())

    var contents: (now: ReferenceContent, before: ReferenceContent) { state.withLock { ($0.now, $0.before) } }

    func publish(_ change: (inout ReferenceContent, Int) -> Void) {
        state.withLock { state in
            state.before = state.now
            state.commits += 1
            change(&state.now, state.commits)
        }
    }
}

/// How a ``ReferenceStore`` is opened.
struct ReferenceOptions: Sendable, Equatable {
    /// A disk that several stores share, which none should.
    var sharedDisk: ReferenceDisk?

    static func == (left: ReferenceOptions, right: ReferenceOptions) -> Bool { left.sharedDisk === right.sharedDisk }
}

/// The harness of a ``ReferenceStore``.
struct ReferenceHarness<Flaw: StoreFlaw>: StoreHarness {
    typealias Store = ReferenceStore<Flaw>

    var options = ReferenceOptions()
}

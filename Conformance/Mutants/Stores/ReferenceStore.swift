import Dispatch
import GroveCache
import GroveConformance
import GroveModel
import Synchronization

/// The simplest correct store, a dictionary, with at most one flaw.
///
/// It shares no code with the four backends: where a rule fails on it without a flaw, the rule is wrong.
final class ReferenceStore<Flaw: StoreFlaw>: BudgetedStore {
    static var profile: BackendProfile {
        BackendProfile(
            name: "reference", isPersistent: false, survivesCrash: false, isMultiProcess: false, isEvicting: true,
            readersNeverStall: true, maxValueBytes: 1 << 30, livePayloadShare: 0.9)
    }

    private let disk: ReferenceDisk
    private let limit: Int
    private let writing = Mutex(())
    private let round = ReferenceRound()

    init(directory: String?, options: ReferenceOptions) throws(CacheError) {
        limit = options.limit
        disk = options.share?.disk ?? ReferenceDisk()
    }

    func view() throws(CacheError) -> ReferenceView<Flaw> {
        let (now, before) = disk.contents
        return ReferenceView(Flaw.lagsBehind ? before : now, of: disk)
    }

    func write(_ body: (ReferenceTransaction<Flaw>) throws(CacheError) -> Void) throws(CacheError) {
        let outcome: Result<Void, CacheError> = writing.withLock { _ in
            let transaction = ReferenceTransaction<Flaw>(disk.contents.now, sweeping: round)
            if Flaw.commitsEvery != nil { transaction.commitEarly = { [self] in publish($0) } }
            do throws(CacheError) {
                try body(transaction)
                let payload = limit == .max ? 0 : transaction.content.reduce(0) { $0 + $1.key.count + $1.value.count }
                if payload > limit { throw CacheError(.full, "The store holds \(limit) bytes.") }
            } catch {
                if Flaw.commitsAborted { commit(transaction) }
                return .failure(error)
            }
            return .success(commit(transaction))
        }
        try outcome.get()
    }

    private func commit(_ transaction: ReferenceTransaction<Flaw>) {
        guard let part = Flaw.showsEvery else { return publish(transaction.changes) }
        var rest = transaction.changes[...]
        while !rest.isEmpty {
            publish(Array(rest.prefix(part)))
            rest = rest.dropFirst(part)
            // Long enough to be seen.
            if !rest.isEmpty { _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(100)) }
        }
    }

    private func publish(_ changes: [ReferenceChange]) {
        disk.publish { content, number in
            for change in Flaw.batch(changes, number: number) { ReferenceStore.apply(change, to: &content) }
        }
    }

    static func apply(_ change: ReferenceChange, to content: inout ReferenceContent) {
        let key = Flaw.key(change.key, in: content)
        guard let value = change.value else {
            content[key] = nil
            return
        }
        content[key] = Flaw.value(value, of: key, over: content[key]?.bytes).map { ReferenceBytes($0) }
    }

    func synchronize() throws(CacheError) {}

    convenience init(directory: String?, options: ReferenceOptions, budget: Int) throws(CacheError) {
        try self.init(directory: directory, options: options)
    }

    func setBudget(_ bytes: Int) throws(CacheError) -> Int { Flaw.payload(within: bytes) }

    func makeRoom(for load: WriteLoad) throws(CacheError) -> Bool { true }

    func payloadLimit(holding payload: Int) -> Int { .max }

    func bytesOnDisk() throws(CacheError) -> Int { 0 }

    func size() throws(CacheError) -> StoreSize {
        let content = disk.contents.now
        let payload = content.reduce(0) { $0 + $1.key.count + $1.value.count }
        return StoreSize(bytesOnDisk: 0, payloadBytes: Flaw.said(payload: payload), entries: content.count)
    }

    func wipe() throws(CacheError) { disk.publish { content, _ in content = Flaw.wiped(content) } }

    func close() {}
}

/// Where a ``ReferenceStore`` keeps its content.
final class ReferenceDisk: Sendable {
    private struct State {
        var now: ReferenceContent = [:]
        /// What views showed that were open at the last commit.
        var before: ReferenceContent = [:]
        var commits = 0
        var views = 0
    }

    private let state = Mutex(State())

    var contents: (now: ReferenceContent, before: ReferenceContent) { state.withLock { ($0.now, $0.before) } }

    func publish(_ change: (inout ReferenceContent, Int) -> Void) {
        state.withLock { state in
            state.before = state.now
            state.commits += 1
            change(&state.now, state.commits)
            if state.views == 0 { state.before = state.now }
        }
    }

    /// Counts a view that was opened, or one less.
    func countView(_ step: Int) { state.withLock { $0.views += step } }
}

/// A disk that is every store's as long as one of them is open.
final class ReferenceDiskShare: Sendable {
    private struct State {
        weak var disk: ReferenceDisk?
    }

    private let state = Mutex(State())

    /// The disk that another store has open, or a new one.
    var disk: ReferenceDisk {
        state.withLock { state in
            let disk = state.disk ?? ReferenceDisk()
            state.disk = disk
            return disk
        }
    }
}

/// How a ``ReferenceStore`` is opened.
struct ReferenceOptions: Sendable, Equatable {
    /// The bytes that the store holds.
    var limit = Int.max
    /// What stores share that are open at one time, which none should.
    var share: ReferenceDiskShare?

    static func == (left: ReferenceOptions, right: ReferenceOptions) -> Bool {
        left.share === right.share && left.limit == right.limit
    }
}

/// The harness of a ``ReferenceStore``.
struct ReferenceHarness<Flaw: StoreFlaw>: StoreHarness {
    typealias Store = ReferenceStore<Flaw>

    var options = ReferenceOptions()
    var smallOptions: ReferenceOptions? { ReferenceOptions(limit: 200_000) }
}

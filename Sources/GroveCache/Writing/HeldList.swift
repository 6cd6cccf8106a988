import GroveCoding
import GroveModel

/// A list that a provider holds, and stores edit by edit: which of the stored lists it is.
final class HeldList: Sendable {
    /// A stored list, as far as it takes to tell it from what others made of it.
    struct Version: Equatable {
        /// The number of the last call that changed it.
        let sequence: CallNumber
        let count: Int
    }

    private struct State {
        var stored: Version?
        var isLost = false
    }

    private let state = Lock(State())

    /// What the last call for this list left in the store; `nil` before the first was committed, and once one has failed.
    var stored: Version? { state.withLock { $0.isLost ? nil : $0.stored } }

    /// Whether one of its calls has failed: the rest of them say nothing of the store's list any more.
    var isLost: Bool { state.withLock(\.isLost) }

    func note(_ version: Version) { state.withLock { $0.stored = version } }

    func lose() { state.withLock { $0.isLost = true } }
}

/// One call that stores a held list, by an edit where that will do.
final class HeldEdit: Sendable {
    let list: HeldList
    private let owner: ObjectIdentifier
    private let models: @Sendable () -> [any SimpleModel]
    private let whole = Lock<[UInt8]?>(nil)

    /// - Parameters:
    ///   - owner: the cache, which the models' coding must not call back into.
    ///   - models: makes the whole list after the edit.
    init(_ list: HeldList, owner: ObjectIdentifier, _ models: @escaping @Sendable () -> [any SimpleModel]) {
        self.list = list
        self.owner = owner
        self.models = models
    }

    /// The whole list, as an encoded array of references, that the call is to store in the place of the edit.
    var body: [UInt8]? { whole.withLock(\.self) }

    /// Lets the call store the whole list, not the edit.
    ///
    /// - Throws: what encoding the list throws.
    func storeWhole() throws(CacheError) {
        let made = try makeBody()
        whole.withLock { $0 = made }
    }

    /// The whole list after the edit.
    ///
    /// Runs code of the models, so under no lock.
    func makeBody() throws(CacheError) -> [UInt8] {
        let read = CurrentRead(owner: owner)
        read.enterThread()
        defer { read.leaveThread() }
        let encoded = try DynamicRoots(models())
        return EncodedRoots.list(encoded.references, count: encoded.roots.count)
    }
}

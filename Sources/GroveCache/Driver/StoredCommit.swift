import GroveCoding
import GroveModel

/// The last commit of a store as one part of its files shows it, for backends that compare the parts.
package struct StoredCommit {
    private let state: StoreState

    /// The key of the record that holds the last commit.
    package static var key: [UInt8] { StoreState.key }

    /// Reads it from the beginning of `bytes`; `nil` if there is no such record, or it names no commit.
    package init?(startOf bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= StoreState.count,
            let state = try? unsafe StoreState(stored: UnsafeRawBufferPointer(rebasing: bytes[..<StoreState.count])),
            state.store != .none
        else { return nil }
        self.state = state
    }

    /// Whether it is of the store of `first`, at most one commit before `first`, and no later than `last`.
    package func isBase(ofCommits first: StoredCommit, through last: StoredCommit) -> Bool {
        state.store == first.state.store && first.state.commit.previous <= state.commit
            && state.commit <= last.state.commit
    }
}

import Synchronization

/// The owner of a store's trees: which version is current, which older ones views still hold, and what to free when.
///
/// An object made by version *c* and replaced by version *r* is reached by the views of versions *c* to *r* - 1. A
/// commit frees what no open view can reach; the rest waits with the newest version that is held, and is freed, or
/// handed on to an older one, when the last view of that version ends.
final class MemoryVersions: Sendable {
    /// One committed state.
    struct Version {
        var trie: ByteTrie
        var number: UInt64
        var entries: Int
        var payloadBytes: Int
    }

    private struct Held {
        let number: UInt64
        var views: Int
        var garbage: [TrieSlot]
    }

    private struct State {
        var current: Version
        /// Views of the current version.
        var views = 0
        /// Older versions that views hold, oldest first.
        var held: [Held] = []
        var isClosed = false
    }

    private let state: Mutex<State>

    /// Begins with an empty tree.
    init() {
        let root = TrieBranch.make(version: 0, capacity: 8)
        state = Mutex(State(current: Version(trie: ByteTrie(root: root), number: 0, entries: 0, payloadBytes: 0)))
    }

    deinit {
        state.withLock { state in
            for held in state.held { for slot in held.garbage { slot.free() } }
            ByteTrie.free(state.current.trie.root, madeBy: nil)
        }
    }

    /// The current version, or `nil` after ``close()``.
    var current: Version? { state.withLock { $0.isClosed ? nil : $0.current } }

    /// The current version, held until ``release(_:)`` is called with its number; `nil` after ``close()``.
    func hold() -> Version? {
        state.withLock { state in
            guard !state.isClosed else { return nil }
            state.views += 1
            return state.current
        }
    }

    /// Ends one holding of version `number`.
    func release(_ number: UInt64) {
        let garbage: [TrieSlot] = state.withLock { state in
            if state.current.number == number {
                state.views -= 1
                return []
            }
            guard let index = state.held.lastIndex(where: { $0.number == number }) else { return [] }
            state.held[index].views -= 1
            guard state.held[index].views == 0 else { return [] }
            let garbage = state.held.remove(at: index).garbage
            guard index > 0 else { return garbage }
            state.held[index - 1].garbage += garbage
            return []
        }
        for slot in garbage { slot.free() }
    }

    /// Makes `next` the current version; `retired` is what it no longer reaches of the one before.
    func publish(_ next: Version, retired: [TrieSlot]) {
        let newest: UInt64? = state.withLock { state in
            if state.views > 0 {
                state.held.append(Held(number: state.current.number, views: state.views, garbage: []))
                state.views = 0
            }
            state.current = next
            return state.held.last?.number
        }
        var waiting: [TrieSlot] = []
        for slot in retired {
            if let newest, slot.kind == .tree || slot.version <= newest {
                waiting.append(slot)
            } else {
                slot.free()
            }
        }
        guard !waiting.isEmpty else { return }
        let unheld: Bool = state.withLock { [waiting] state in
            guard !state.held.isEmpty else { return true }
            state.held[state.held.count - 1].garbage += waiting
            return false
        }
        if unheld { for slot in waiting { slot.free() } }
    }

    /// Makes an empty tree current; the old one is freed as soon as no view holds it.
    func clear() {
        guard let version = current else { return }
        let number = version.number + 1
        let root = TrieBranch.make(version: number, capacity: 8)
        publish(
            Version(trie: ByteTrie(root: root), number: number, entries: 0, payloadBytes: 0),
            retired: [TrieSlot(version.trie.root, .tree)])
    }

    /// Clears, and refuses from now on.
    func close() {
        clear()
        state.withLock { $0.isClosed = true }
    }
}

import GroveMemory
import GroveModel
import Testing

@testable import GroveCache

@Suite("The store's own record")
struct StoreStateTests {
    @Test(
        "A sum below nothing, of a store that lost what was counted, is not written, so that the next write counts anew",
        arguments: [(-1, 3), (3, -1), (-1, -1)])
    func impossibleAccount(payloadBytes: Int, entries: Int) throws {
        let store = try MemoryStore(directory: nil, options: MemoryOptions())
        var state = StoreState()
        state.sequence = 7
        state.account = StoreState.Account(payloadBytes: payloadBytes, entries: entries)
        try store.write { (transaction) throws(CacheError) in try state.write(transaction) }
        let view = try store.view()
        defer { view.end() }
        let stored = try StoreState(view)
        #expect(stored.account == nil)
        #expect(stored.sequence == 7)
    }
}

@testable import GroveCache
import GroveCoding
import GroveMemory
import GroveModel
import StoreTesting
import Testing

@Suite("The store's own record")
struct StoreStateTests {
    @Test(
        "A sum below nothing, of a store that lost what was counted, is not written, so that the next write counts anew",
        arguments: [(-1_000, 3), (3, -10), (-1_000, -10)])
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

    @Test("A number of a version that was changed by damage is no later version's; a whole record of one is")
    func versions() throws {
        let store = try MemoryStore(directory: nil, options: MemoryOptions())
        func state(_ bytes: [UInt8]) -> CacheError.Code? {
            do throws(CacheError) {
                try store.write { (transaction) throws(CacheError) in try transaction.put([Namespace.meta], bytes) }
                let view = try store.view()
                defer { view.end() }
                _ = try StoreState(view)
                return nil
            } catch {
                return error.code
            }
        }
        let content: [UInt8] = [2] + (0..<40)
        let sum = unsafe content.withUnsafeBytes { unsafe hash64($0, seed: 1) }
        let later = content + (0..<8).map { UInt8(truncatingIfNeeded: sum >> UInt64(8 * $0)) }
        #expect(state(later) == .unsupportedFormat)
        for version: UInt8 in [0, 1, 3, 4, 0xFF] { #expect(state([version] + later.dropFirst()) == .corrupted) }
        for count in 0..<later.count { #expect(state(Array(later.prefix(count))) == .corrupted) }
    }
}

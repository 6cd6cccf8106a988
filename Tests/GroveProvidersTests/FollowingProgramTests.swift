import Grove
import GroveCache
import GroveMemory
import Testing

/// After any calls, what the cache has is what the screens show.
@MainActor
@Suite("Random programs over managers that follow")
struct FollowingProgramTests {
    @Test(
        "At rest, screens, managers and cache agree, and no version goes backwards",
        arguments: 0..<40 as Range<UInt64>)
    func programs(seed: UInt64) async throws { try await Scene(try MemoryCache()).program(seed) }

    @Test("The same, of more seeds", arguments: 40..<1_000 as Range<UInt64>)
    func slowPrograms(seed: UInt64) async throws { try await Scene(try MemoryCache()).program(seed) }
}

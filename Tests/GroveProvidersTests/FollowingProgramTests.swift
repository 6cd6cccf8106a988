import TestSupport
import Testing

/// After any calls, what the cache has is what the screens show, and what a model of the calls says.
@MainActor
@Suite("Random programs over managers that follow", .serialized)
struct FollowingProgramTests {
    private func run(_ seeds: Range<UInt64>, on backend: FollowedBackend, withPeer: Bool = false) async throws {
        for seed in seeds {
            // With a history other processes' commits are told by name, and without one as anything.
            try await backend.open(history: seed % 4 < 2 ? 100 : 0, withPeer: withPeer) { scene, peer in
                var program = FollowingProgram(scene, seed, beside: peer)
                try await program.run()
            }
        }
    }

    @Test("At rest, screens, managers, cache and model agree, and no version is told twice or goes backwards")
    func programs() async throws { try await run(0..<20, on: .memory) }

    @Test("The same, of more seeds", arguments: stride(from: 20 as UInt64, to: 1_000, by: 49).map { $0..<$0 + 49 })
    func slowPrograms(seeds: Range<UInt64>) async throws { try await run(seeds, on: .memory) }

    @Test("The same of two processes", arguments: FollowedBackend.shared)
    func twoProcesses(backend: FollowedBackend) async throws { try await run(0..<8, on: backend, withPeer: true) }

    @Test(
        "The same of two processes, of more seeds", arguments: FollowedBackend.shared,
        stride(from: 8 as UInt64, to: 1_000, by: 31).map { $0..<$0 + 31 })
    func slowTwoProcesses(backend: FollowedBackend, seeds: Range<UInt64>) async throws {
        try await run(seeds, on: backend, withPeer: true)
    }
}

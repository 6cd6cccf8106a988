import Testing

@Suite("Random programs over an outbox", .serialized)
@MainActor
struct OutboxProgramTests {
    @Test("What is shown is what is confirmed with what is pending over it, after every step", arguments: 1...30)
    func quick(_ seed: Int) async throws { try await run(seed, 60) }

    @Test("The same, for a thousand seeds")
    func slowThousand() async throws {
        for seed in 1_001...2_000 { try await run(seed, 80) }
    }

    private func run(_ seed: Int, _ count: Int) async throws {
        let program = try await OutboxProgram(seed: UInt64(seed))
        try await program.run(count)
        #expect(program.faults.isEmpty, "seed \(seed): \(program.faults) after \(program.log.suffix(12))")
    }
}

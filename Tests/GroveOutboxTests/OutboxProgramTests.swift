import Testing

@Suite("Random programs over an outbox", .serialized)
@MainActor
struct OutboxProgramTests {
    @Test("What is shown is what is confirmed with what is pending over it, after every step", arguments: 1...30)
    func quick(_ seed: Int) async throws { try await run(seed, 60) }

    @Test("The same, for a thousand seeds", arguments: 0..<10)
    func slowThousand(_ hundred: Int) async throws {
        for seed in 1...100 { try await run(1_000 + 100 * hundred + seed, 80) }
    }

    private func run(_ seed: Int, _ count: Int) async throws {
        let program = try await OutboxProgram(seed: UInt64(seed))
        try await program.run(count)
        #expect(program.faults.isEmpty, "seed \(seed): \(program.faults) after \(program.log.suffix(12))")
    }
}

import TestSupport
import Testing

/// What the compiler says of calls that are easy to write wrong.
@Suite("Forms of calls", .enabled(if: SwiftCompiler.modules != nil, "needs the built modules beside the tests"))
struct FormsTests {
    private func check(_ body: String) throws -> (said: [String], succeeds: Bool) {
        let source = DocumentedExamplesTests.application + "}\n" + body
        let (said, succeeds) = try SwiftCompiler.check(source)
        return (said.filter { $0.contains("error:") || $0.contains("warning:") }.map(String.init), succeeds)
    }

    @Test("A transaction of one expression compiles without a warning, in a task too, whatever the backend")
    func single() throws {
        for cache in ["MemoryCache", "any Cache"] {
            let (said, succeeds) = try check(
                """
                func waits(_ cache: \(cache), _ m: Message) throws { try cache.write { tx in try tx.write(m) } }
                func waits2(_ cache: \(cache), _ m: Message) throws { try cache.write { try $0.write(m) } }
                func task(_ cache: \(cache), _ m: Message) async throws {
                    try await cache.write { tx in try tx.write(m) }
                    try await cache.write { try $0.write(m) }
                    try await cache.update(Message.self, id: 34) { $0.isRead = true }
                }
                """)
            #expect(succeeds && said.isEmpty, "\(said)")
        }
    }

    @Test("A write of an array is an error that names the call for it")
    func arrays() throws {
        for effects in ["throws { try", "async throws { try await"] {
            for cache in ["MemoryCache", "any Cache", "borrowing CacheTransaction"] {
                let (said, succeeds) = try check(
                    "func f(_ cache: \(cache), _ a: Message, _ b: Message) \(effects) cache.write([a, b]) }")
                #expect(!succeeds)
                #expect(said.contains { $0.contains("write(contentsOf:") }, "\(said)")
            }
        }
    }
}

import GroveCache
import GroveMemory
import GroveModel
import Testing

/// Calls whose tasks are cancelled (CNC-06).
@Suite("Cancelled calls")
struct CancellationTests {
    /// What a call was meant to do, and what became of it.
    private enum Outcome: Sendable {
        case done
        case failed(CacheError.Code)
    }

    private static func outcome(_ body: () async throws -> Void) async -> Outcome {
        do {
            try await body()
            return .done
        } catch {
            return .failed((error as? CacheError)?.code ?? .unsupported)
        }
    }

    @Test(
        "A thousand mixed calls, three in ten cancelled, end, each done whole or not at all", arguments: [0, 32 << 20])
    func mixed(queueLimit: Int) async throws {
        var random = SystemRandomNumberGenerator()
        let cache = try MemoryCache(directory: nil, options: MemoryOptions(), queueLimit: queueLimit)
        func message(_ index: Int) -> Message {
            Message(
                id: "\(index)", text: "text", sender: Person(id: "s\(index)", name: "sender", age: index),
                readers: [Person(id: "r\(index)", name: "reader", age: index)])
        }
        for index in 0..<1_000 where index % 5 == 1 { try await cache.write(message(index)) }
        let tasks = (0..<1_000).map { index in
            Task { [message = message(index)] in
                await CancellationTests.outcome {
                    switch index % 5 {
                    case 0: try await cache.write(message)
                    case 1: try await cache.delete("Message:\(index)")
                    case 2: try await cache.writeCollection([message], as: "list \(index)")
                    case 3: _ = try await cache.read { try $0.read("Message:\(index - 2)", as: Message.self) }
                    default: try await cache.flush(index % 2 == 0 ? .durable : .standard)
                    }
                }
            }
        }
        for task in tasks where Int.random(in: 0..<10, using: &random) < 3 { task.cancel() }
        for (index, task) in tasks.enumerated() {
            let outcome = await task.value
            if case .failed(let code) = outcome { #expect(code == .cancelled, "call \(index)") }
            let isDone = if case .done = outcome { true } else { false }
            switch index % 5 {
            case 0:
                #expect(try cache.model("Message:\(index)", as: Message.self) == (isDone ? message(index) : nil))
                #expect(try cache.model("Person:s\(index)", as: Person.self) == (isDone ? message(index).sender : nil))
            case 1: #expect(try cache.model("Message:\(index)", as: Message.self) == (isDone ? nil : message(index)))
            case 2:
                #expect(try cache.collection("list \(index)", of: Message.self) == (isDone ? [message(index)] : nil))
            default: break
            }
        }
        try await cache.flush()
        try await cache.write(message(2_000))
        #expect(try cache.model("Message:2000", as: Message.self) == message(2_000))
        #expect(cache.statistics.queuedWrites == 0)
    }
}

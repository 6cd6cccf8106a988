import GroveConsistency
import GroveModel
import Synchronization
import Testing

/// A model that calls its hook whenever it is walked, on the engine's queue.
private struct Hooked: Model {
    final class Hook: Sendable {
        let answers = Mutex<[Bool]>([])
        let ask: @Sendable () -> Bool
        init(_ ask: @escaping @Sendable () -> Bool) { self.ask = ask }
    }

    let id: String
    let hook: Hook

    var modelIdentifier: ModelIdentifier? { ModelIdentifier(id) }
    func map(_ transform: (any Model) -> (any Model)?) -> Hooked? { self }
    func forEach(_ visit: (any Model) -> Void) { hook.answers.withLock { $0.append(hook.ask()) } }
    func isEqual(to other: any SimpleModel) -> Bool { false }
}

@MainActor
@Suite("What is held")
struct HeldIdentifiersTests {
    private final class Receiver: DeliveryReceiver {
        func receive(_ delivery: Delivery) {}
        func finishUpdate(context: (any Sendable)?) {}
    }

    @Test("What a list leaves and takes again in one call is held all the time")
    func givenAgain() async {
        let manager = ConsistencyManager()
        let held = manager.held
        _ = held.contains("a")
        let key = manager.subscribe(Receiver(), to: Hooked.self)
        let hook = Hooked.Hook { held.contains("b") }
        let list: [(handle: Int, model: any Model)] = [
            (0, Hooked(id: "a", hook: hook)), (1, Hooked(id: "b", hook: Hooked.Hook { true })),
        ]
        manager.edit(key, leaving: nil, joining: list, posting: [], context: nil)
        await manager.flush()
        hook.answers.withLock { $0 = [] }
        #expect(held.contains("b"))
        manager.edit(key, leaving: nil, joining: list, posting: [], context: nil)
        await manager.flush()
        #expect(hook.answers.withLock { !$0.isEmpty && $0.allSatisfy(\.self) })
        manager.edit(key, leaving: nil, joining: [], posting: [], context: nil)
        await manager.flush()
        #expect(!held.contains("a") && !held.contains("b"))
    }
}

// The title that Docs/Guides/Screens.md makes of a state, between the two rules; a test holds the two together.
// -----
import Grove

@MainActor
final class MessageScreen {
    let provider: DataProvider<Message>

    init(_ manager: DataModelManager) {
        provider = DataProvider(dataModelManager: manager)
    }
    /// Shows what the cache has, then what the network brings, which is stored and told to every other screen.
    func appear(network: @escaping @Sendable () async throws -> Message?) async {
        _ = try? await provider.load(withCacheKey: "Message:34", maxAge: 60, fetch: network)
    }
    /// A view that reads this is drawn again when the message changes, or anything in it, on whichever screen.
    var title: String {
        if let message = provider.data { return "\(message.sender.name): \(message.text)" }
        return switch provider.state {
        case .missing(let miss): "Not here: \(miss.identifier.rawValue)"
        case .failed(let error): "Try again: \(error)"
        default: "…"
        }
    }
}
// -----

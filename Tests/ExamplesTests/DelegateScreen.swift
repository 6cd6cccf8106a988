// The delegate's example of Docs/Guides/MovingFromRocketData.md, between the two rules; a test holds the two together.
import Grove

// -----
@MainActor
final class MessageController: DataProviderDelegate {
    let provider: DataProvider<Message>
    var shown: Message?

    init(_ manager: DataModelManager) {
        provider = DataProvider(dataModelManager: manager)
        provider.delegate = self
        provider.fetchDataFromCache(withCacheKey: "Message:34", listenToModelIdentifier: "Message:34") {
            [weak self] message, _ in self?.shown = message
        }
    }
    func refresh(_ network: () async throws -> Message) async throws {
        let asked = provider.dataModelManager.place()
        let message = try await network()
        // Stored, and told to every screen, this one too. What was changed since stays; after a log-out it throws.
        try provider.dataModelManager.updateModel(message, asOf: asked)
    }
    func dataProviderHasUpdatedData<T>(_ dataProvider: DataProvider<T>, context: (any Sendable)?) {
        shown = provider.data  // another screen changed the message, or anything in it
    }
}
// -----

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
        provider.fetchDataFromCache(withCacheKey: "Message:34") { [weak self] message, _ in self?.shown = message }
    }
    func networkAnswered(_ message: Message) {
        provider.setData(message)  // wins over the cache's answer; stored, and told to every other screen
        shown = message
    }
    func dataProviderHasUpdatedData<T>(_ dataProvider: DataProvider<T>, context: (any Sendable)?) {
        shown = provider.data  // another screen changed the message, or anything in it
    }
}
// -----

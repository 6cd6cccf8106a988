import Grove
import GroveSQLite
import TestSupport
import Testing

@MainActor
@Suite("Docs/Guides/SigningOut.md")
struct SigningOutTests {
    @Test("After a sign-out nothing is shown or stored, and an answer from before it brings nothing back")
    func signOut() async throws {
        let directory = try TemporaryDirectory()
        let session = try Session(directory: directory.path)
        defer { session.cache.close() }
        let message = Message(id: "34", text: "Hello", sender: Person(id: "1", name: "Ann", isOnline: false))
        try await refreshInbox(session.cache) { [message] }
        let inbox = CollectionDataProvider<Message>(dataModelManager: session.manager)
        _ = try await inbox.fetchDataFromCache(withCacheKey: "inbox")
        #expect(inbox.data == [message])
        let error = await #expect(throws: CacheError.self) {
            try await refreshInbox(session.cache) {
                try await session.signOut()
                return [message]
            }
        }
        #expect(error?.code == .cancelled)
        #expect(inbox.data.isEmpty)
        #expect(try session.cache.collection("inbox", of: Message.self) == nil)
        #expect(try session.cache.model(Person.self, id: "1") == nil)
        try await refreshInbox(session.cache) { [] }
        #expect(try session.cache.collection("inbox", of: Message.self) == [])
    }
}

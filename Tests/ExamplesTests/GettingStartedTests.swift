// The test of Docs/Guides/GettingStarted.md, between rules; a test holds the two together.
import Grove
import GroveOutbox
import GroveTesting
import Testing

// -----
@MainActor
@Suite("The shelf")
struct ShelfTests {
    private let kindred = Book(id: 3, title: "Kindred", writer: Writer(id: 8, name: "Octavia E. Butler"))

    @Test("Without a network the stored books show, and what the user has read shows as read")
    func offline() async throws {
        let fixture = try CacheFixture { try $0.writeCollection([kindred], as: "shelf") }
        let server = ShelfServer(isReachable: false)
        let library = try Library(fixture.cache, server)
        let shelf = ShelfScreen(library.manager, server)
        await shelf.appear()
        #expect(shelf.lines == ["· Kindred, by Octavia E. Butler"])
        try await library.outbox.submit(MarkRead(book: 3))
        #expect(shelf.lines == ["✓ Kindred, by Octavia E. Butler"])
        #expect(try fixture.cache.model(Book.self, id: 3) == kindred, "stored is what the server has confirmed")
    }

    @Test("A book is asked for again after a minute")
    func age() async throws {
        let fixture = try CacheFixture { try $0.write(kindred, confirmed: true) }
        let clock = fixture.clock
        let manager = DataModelManager(cacheDelegate: fixture.cache, now: { clock.now })
        let screen = BookScreen(manager, ShelfServer(isReachable: false))
        await screen.appear(3)
        if case .fresh = screen.book.state {} else { Issue.record("the state is \(screen.book.state)") }
        clock.advance(by: 100)
        await screen.appear(3)
        if case .failed = screen.book.state {} else { Issue.record("the state is \(screen.book.state)") }
        #expect(screen.title == "Kindred, by Octavia E. Butler", "it is shown all the same")
    }
}
// -----

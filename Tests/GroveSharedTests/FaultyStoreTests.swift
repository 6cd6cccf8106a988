import GroveCache
import GroveCoding
import GroveModel
import GroveShared
import GroveSharedRules
import Synchronization
import Testing

@Suite("A near cache over a store that fails")
struct FaultyStoreTests {
    private let world = MemoryWorld()
    private let options = FaultyStore.Options()
    private let near: NearCache<FaultyStore>
    private let time: Clock

    private final class Clock: Sendable {
        let now = Mutex(Duration.zero)
    }

    init() throws {
        let time = Clock()
        self.time = time
        near = NearCache(
            store: try NormalizedCache(directory: nil, options: options), far: world.far, patience: .seconds(1),
            timeLimit: .seconds(5)
        ) { time.now.withLock { $0 } }
    }

    private func put(_ id: String, _ text: String) async throws { try await world.commit([.put(Note(id, text))]) }

    private func text(_ id: String, _ freshness: Freshness = .near) async throws -> String? {
        try await near.model(ModelIdentifier("Note:\(id)"), as: Note.self, freshness)?.text
    }

    private func pass(_ duration: Duration) { time.now.withLock { $0 += duration } }

    private var fetches: Int { world.gated.count(of: .request(.fetch)) }

    private static let refusals: [CacheError.Code] = [.full, .locked, .inputOutput, .corrupted]

    @Test("What the database answered is returned if this machine's store cannot be written", arguments: refusals)
    func unstored(code: CacheError.Code) async throws {
        try await put("x", "1")
        #expect(try await text("x") == "1")
        try await put("y", "1")
        options.faults.refusal.withLock { $0 = code }
        // Within patience, so that the feed is not asked: the fetch alone brings the commit.
        #expect(try await text("y") == "1")
        // What the store has is older than what was returned, and is not read.
        try await put("x", "2")
        #expect(try await text("x") == "2")
        #expect(try await text("absent") == nil)
        options.faults.refusal.withLock { $0 = nil }
        #expect(try await text("x", .fresh) == "2")
        let asked = fetches
        #expect(try await text("x") == "2")
        #expect(fetches == asked)
    }

    @Test("A feed that cannot be stored is heard all the same", arguments: refusals)
    func heard(code: CacheError.Code) async throws {
        try await put("x", "1")
        #expect(try await text("x") == "1")
        options.faults.refusal.withLock { $0 = code }
        pass(.seconds(2))
        // Nothing has changed: the store's record is the database's.
        let asked = fetches
        #expect(try await text("x") == "1")
        #expect(fetches == asked)
        try await put("x", "2")
        pass(.seconds(2))
        #expect(try await text("x") == "2")
        try await put("x", "3")
        #expect(try await text("x", .fresh) == "3")
        let number = try await world.commit([.put(Note("x", "4"))])
        #expect(try await text("x", .atLeast(number)) == "4")
        // Who asks for the store to be brought up to date hears that it was not.
        let error = await #expect(throws: SharedError.self) { try await near.advance() }
        #expect(error?.code == .store && error?.cause?.code == code)
        // A feed that began again cannot be followed before the store has begun again.
        world.renew()
        try await put("x", "5")
        let other = await #expect(throws: SharedError.self) { try await text("x", .fresh) }
        #expect(other?.code == .store)
        options.faults.refusal.withLock { $0 = nil }
        #expect(try await text("x", .fresh) == "5")
        pass(.seconds(2))
        let before = fetches
        #expect(try await text("x") == "5")
        #expect(fetches == before)
    }

    @Test("A new store that cannot be written serves what the database has", arguments: refusals)
    func neverWritten(code: CacheError.Code) async throws {
        options.faults.refusal.withLock { $0 = code }
        try await put("x", "1")
        #expect(try await text("x") == "1")
        try await put("x", "2")
        #expect(try await text("x", .fresh) == "2")
    }

    @Test("A damaged model is fetched again")
    func damagedModel() async throws {
        try await world.commit([
            .put(Note("a", "1")), .put(Note("b", "1")), .put(Pair("p", Note("a", ""), Note("b", ""))),
        ])
        #expect(try await near.model("Pair:p", as: Pair.self)?.right.text == "1")
        try options.faults.damageAll(in: Namespace.node)
        #expect(try await text("a") == "1")
        #expect(try await near.model("Pair:p", as: Pair.self)?.right.text == "1")
        let asked = fetches
        #expect(try await text("b") == "1")
        #expect(try await near.model("Pair:p", as: Pair.self)?.left.text == "1")
        #expect(fetches == asked)
        // The feed forgets a damaged record as it does any other.
        try options.faults.damageAll(in: Namespace.node)
        try await put("a", "2")
        #expect(try await text("a", .fresh) == "2")
        #expect(try await near.model("Pair:p", as: Pair.self)?.left.text == "2")
    }

    @Test("A damaged position counts as none: the store begins again")
    func damagedPosition() async throws {
        for isRead in [false, true] {
            try await put("x", "1")
            #expect(try await text("x", .fresh) == "1")
            try options.faults.damageAll(in: Namespace.kept)
            #expect(try near.applied() == nil)
            if isRead { #expect(try await text("x") == "1") } else { _ = try await near.advance() }
            #expect(try near.applied() != nil)
            #expect(try await text("x") == "1")
            let asked = fetches
            #expect(try await text("x") == "1")
            #expect(fetches == asked)
        }
    }
}

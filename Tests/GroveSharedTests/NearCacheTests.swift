import GroveMemory
import GroveModel
import GroveShared
import GroveSharedRules
import Testing

@Suite("A near cache")
struct NearCacheTests {
    @Test("One request for a missing tree, however many ask")
    func oneRequest() async throws {
        let trial = try SharedTrial(MemoryWorld())
        try await trial.put("x", "1")
        try await trial.near.advance()
        let barrier = Barrier()
        trial.world.gated.gate { message throws(SharedError) in
            if message == .request(.fetch) { await barrier.pass() }
        }
        try await withThrowingTaskGroup(of: String?.self) { group in
            for _ in 0..<50 { group.addTask { try await trial.text("x") } }
            await barrier.arrival()
            barrier.open()
            for try await text in group { #expect(text == "1") }
        }
        // Those that come when the answer is stored read it near.
        #expect(trial.world.gated.count(of: .request(.fetch)) == 1)
    }

    @Test("A hit asks no database")
    func hit() async throws {
        let trial = try SharedTrial(MemoryWorld())
        try await trial.put("x", "1")
        #expect(try await trial.text("x") == "1")
        let asked = trial.world.gated.count(of: .request(.fetch)) + trial.world.gated.count(of: .request(.feed))
        for _ in 0..<10 { #expect(try await trial.text("x") == "1") }
        #expect(trial.world.gated.count(of: .request(.fetch)) + trial.world.gated.count(of: .request(.feed)) == asked)
    }

    @Test("A late answer is stored if nothing of its tree was changed since")
    func lateAndUnchanged() async throws {
        let trial = try SharedTrial(MemoryWorld())
        try await trial.put("x", "1")
        try await trial.near.advance()
        let barrier = Barrier()
        trial.world.gated.gate { message throws(SharedError) in
            if message == .answer(.fetch) { await barrier.pass() }
        }
        let late = Task { try await trial.text("x") }
        await barrier.arrival()
        try await trial.put("y", "2")
        try await trial.near.advance()
        barrier.open()
        #expect(try await late.value == "1")
        #expect(try trial.store.model("Note:x", as: Note.self)?.text == "1")
    }

    @Test("A change of a child is a change of the trees that hold it")
    func child() async throws {
        let trial = try SharedTrial(MemoryWorld())
        try await trial.world.commit([
            .put(Note("a", "1")), .put(Note("b", "1")), .put(Pair("p", Note("a", ""), Note("b", ""))),
        ])
        #expect(try await trial.near.model("Pair:p", as: Pair.self)?.left.text == "1")
        try await trial.put("a", "2")
        #expect(try await trial.near.model("Pair:p", as: Pair.self, .fresh)?.left.text == "2")
        #expect(try await trial.near.model("Pair:p", as: Pair.self)?.right.text == "1")
    }

    @Test("A model of another type is an error")
    func otherType() async throws {
        let trial = try SharedTrial(MemoryWorld())
        try await trial.put("x", "1")
        try await trial.expect([.otherType], "a read of another type") {
            try await trial.near.model("Note:x", as: Pair.self)
        }
    }

    @Test("The task that listens brings what others commit")
    func listens() async throws {
        let world = MemoryWorld()
        let near = NearCache(store: try MemoryCache(), far: world.far, patience: .seconds(30))
        let listener = Task { await near.run() }
        defer { listener.cancel() }
        try await world.commit([.put(Note("x", "1"))])
        #expect(try await near.model("Note:x", as: Note.self, .fresh)?.text == "1")
        let number = try await world.commit([.put(Note("x", "2"))])
        while try #require(try near.applied()).number < number { await Task.yield() }
        #expect(try await near.model("Note:x", as: Note.self)?.text == "2")
    }

    @Test("If commits come without a pause, the task that listens asks a hundred times a second and no more")
    func coalesces() async throws {
        let world = MemoryWorld()
        let near = NearCache(store: try MemoryCache(), far: world.far)
        let listener = Task { await near.run() }
        defer { listener.cancel() }
        let begun = ContinuousClock.now
        var number = FeedNumber(0)
        while begun.duration(to: .now) < .milliseconds(300) {
            number = try await world.commit([.put(Note("x", "1"))])
            try await Task.sleep(for: .microseconds(200))
        }
        while try near.applied().map({ $0.number < number }) ?? true { try await Task.sleep(for: .milliseconds(1)) }
        let most = Int(begun.duration(to: .now) / .milliseconds(10)) + 2
        #expect(world.gated.count(of: .request(.feed)) <= most)
    }

    @Test("Two workers of a machine share its store")
    func workers() async throws {
        let trial = try SharedTrial(MemoryWorld())
        let other = trial.secondWorker()
        for number in 1...20 {
            try await trial.put("x", "\(number)")
            async let mine = trial.near.model("Note:x", as: Note.self, .fresh)
            async let others = other.model("Note:x", as: Note.self, .fresh)
            #expect(try await mine?.text == "\(number)")
            #expect(try await others?.text == "\(number)")
        }
    }
}

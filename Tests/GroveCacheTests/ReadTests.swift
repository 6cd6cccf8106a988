import Dispatch
@testable import GroveCache
import GroveCoding
import GroveMemory
import GroveModel
import Synchronization
import Testing
import TestSupport

@Suite("Reads and the ends of caches", .serialized)
struct ReadTests {
    @Test("A node that holds a smaller projection of itself is no cycle")
    func ownProjection() throws {
        let cache = try MemoryCache()
        let link = ForkLink(id: "a", left: ForkStub(id: "a"), right: ForkStub(id: "b"))
        try cache.write(link)
        #expect(try cache.model("Fork:a", as: ForkLink.self) == link)
    }

    @Test("Fields behind the last that a type knows are passed before its children are fetched")
    func fieldsBehindTheLast() throws {
        let cache = try NormalizedCache<SharedStore>(
            directory: nil, options: SharedStore.Options(disk: try SharedStore.Disk()))
        try cache.write(ForkLink(id: "a", left: ForkStub(id: "l"), right: ForkStub(id: "r")))
        #expect(try cache.model("Fork:a", as: ForkHalf.self) == ForkHalf(id: "a", left: ForkStub(id: "l")))
    }

    @Test("A model's initialiser that closes its cache does not wait for itself")
    func closeInside() throws {
        let cache = try MemoryCache()
        try cache.write(Caller(id: "1"))
        let done = DispatchSemaphore(value: 0)
        Caller.whileDecoding.withLock { $0 = { cache.close() } }
        defer { Caller.whileDecoding.withLock { $0 = nil } }
        DispatchQueue.global().async {
            _ = try? cache.model("Caller:1", as: Caller.self)
            done.signal()
        }
        #expect(done.wait(timeout: .now() + 20) == .success)
        let error = #expect(throws: CacheError.self) { try cache.model("Caller:1", as: Caller.self) }
        #expect(error?.code == .closed)
    }

    @Test("A model's initialiser may open another cache while its own is being closed")
    func openWhileClosing() throws {
        let disk = try SharedStore.Disk()
        let options = SharedStore.Options(disk: disk)
        let directories = try (0..<2).map { _ in try TemporaryDirectory() }
        let cache = try NormalizedCache<SharedStore>(directory: directories[0].path, options: options)
        try cache.write(Caller(id: "1"))
        let barrier = Barrier()
        Caller.whileDecoding.withLock {
            $0 = {
                barrier.pass()
                _ = try? NormalizedCache<SharedStore>(directory: directories[1].path, options: options)
            }
        }
        defer { Caller.whileDecoding.withLock { $0 = nil } }
        let done = DispatchSemaphore(value: 0)
        DispatchQueue.global().async {
            _ = try? cache.model("Caller:1", as: Caller.self)
            done.signal()
        }
        #expect(barrier.awaitArrival())
        // The cache writes what is queued when it is being closed already.
        let isClosing = DispatchSemaphore(value: 0)
        try cache.core.enqueue(
            PendingWrite(sequence: try cache.core.takeSequence(), extras: [.tombstone("Person:1")]),
            schedulingDrain: false)
        disk.faults.withLock { $0.beforeWrite = { isClosing.signal() } }
        DispatchQueue.global().async {
            cache.close()
            done.signal()
        }
        #expect(isClosing.wait(timeout: .now() + 20) == .success)
        barrier.open()
        #expect(done.wait(timeout: .now() + 20) == .success)
        #expect(done.wait(timeout: .now() + 20) == .success)
    }

    @Test("Closing one of two handles commits what was queued")
    func closeOneHandle() throws {
        let options = SharedStore.Options(disk: try SharedStore.Disk())
        let directory = try TemporaryDirectory()
        let first = try NormalizedCache<SharedStore>(directory: directory.path, options: options)
        let second = try NormalizedCache<SharedStore>(directory: directory.path, options: options)
        #expect(first.core === second.core)
        try first.core.enqueue(
            PendingWrite(sequence: try first.core.takeSequence(), extras: [.tombstone("Person:1")]),
            schedulingDrain: false)
        first.close()
        #expect(second.core.state.withLock { $0.queue.isEmpty })
        second.close()
        let third = try NormalizedCache<SharedStore>(directory: directory.path, options: options)
        #expect(third.core !== second.core)
        #expect(try third.read("Person:1", as: Person.self) == .miss(CacheMiss(.deleted, "Person:1")))
    }
}

/// A model whose initialiser calls out.
struct Caller: SimpleModel, CacheableModel, Equatable {
    var id: String

    static let whileDecoding = Mutex<(@Sendable () -> Void)?>(nil)

    var modelIdentifier: ModelIdentifier? { "Caller:\(id)" }
    static let fields = FieldTable("id")

    func encodeFields(to node: inout NodeEncoder) throws(CacheError) { try node.encode(id, at: 0) }

    static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> Caller {
        let id = try node.scan(String.self, at: 0)
        whileDecoding.withLock { $0 }?()
        return Caller(id: try node.finish(id))
    }
}

@Suite("Readers at rest")
struct ReaderPoolTests {
    @Test("A reader at rest holds no more after many reads, and after enormous ones, than a small bound")
    func retained() throws {
        let cache = try NormalizedCache<SharedStore>(
            directory: nil, options: SharedStore.Options(disk: try SharedStore.Disk()))
        let large = Message(
            id: "large", text: String(repeating: "x", count: 1 << 20), sender: Person(id: "1", name: "Ann", age: 30),
            readers: (2..<2_000).map { Person(id: "\($0)", name: "reader", age: $0) })
        let small = Message(id: "small", text: "x", sender: large.sender)
        try cache.write(large)
        try cache.write(small)
        func held() -> Int { cache.core.readers.bytesAtRest }
        #expect(try cache.model("Message:large", as: Message.self) == large)
        #expect(held() <= 64 << 10)
        // Queued writes are folded into what is read.
        let tree = NodeTree()
        var encoder = NodeEncoder(into: tree)
        encoder.beginRoot()
        try large.encodeValue(to: &encoder)
        try cache.core.enqueue(
            PendingWrite(sequence: try cache.core.takeSequence(), tree: tree), schedulingDrain: false)
        #expect(try cache.model("Message:large", as: Message.self) == large)
        #expect(held() <= 96 << 10)
        for _ in 0..<2_000 { #expect(try cache.model("Message:small", as: Message.self) == small) }
        #expect(held() <= 96 << 10)
    }
}

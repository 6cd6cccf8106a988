import Dispatch
import Foundation
import GroveCache
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
        // What is queued is written when the cache is being closed already.
        let isClosing = DispatchSemaphore(value: 0)
        disk.faults.withLock {
            $0.beforeWrite = {
                while (try? cache.read("Person:1", as: Person.self)) != nil { sched_yield() }
                isClosing.signal()
            }
        }
        cache.deleteModel(Person(id: "1", name: "Ann", age: 30), forKey: nil, context: nil)
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
        first.deleteModel(Person(id: "1", name: "Ann", age: 30), forKey: nil, context: nil)
        #expect(first.statistics.queuedWrites == second.statistics.queuedWrites)
        first.close()
        #expect(second.statistics.queuedWrites == 0)
        second.close()
        let third = try NormalizedCache<SharedStore>(directory: directory.path, options: options)
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

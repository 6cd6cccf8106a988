import Dispatch
import Foundation
import GroveModel
import Synchronization
import Testing

@testable import GroveCache

@Suite("Caches that are opened at the same time")
struct OpeningTests {
    typealias Cache = NormalizedCache<SharedStore>

    /// Opens `disk` in `place` on a thread of its own.
    private func open(_ disk: SharedStore.Disk, in place: String, _ opened: @escaping @Sendable (Cache?) -> Void) {
        Thread.detachNewThread {
            opened(try? Cache(directory: place, options: SharedStore.Options(disk: disk)))
        }
    }

    @Test("A directory that takes long to open keeps whoever opens it too, and not others", .timeLimit(.minutes(1)))
    func slow() throws {
        let place = temporaryPlace()
        let others = (0..<12).map { _ in temporaryPlace() }
        defer { for place in others + [place] { removeDirectory(place) } }
        let disk = try SharedStore.Disk()
        let barrier = Barrier()
        disk.faults.withLock { $0.beforeOpening = { barrier.pass() } }
        let caches = Mutex<[Cache]>([])
        let opened = DispatchSemaphore(value: 0)
        for _ in 0..<2 {
            open(disk, in: place) { cache in
                caches.withLock { if let cache { $0.append(cache) } }
                opened.signal()
            }
        }
        #expect(barrier.awaitArrival())
        // Some may have to wait by chance; not all of them.
        let otherOpened = DispatchSemaphore(value: 0)
        for place in others {
            open(try SharedStore.Disk(), in: place) { cache in
                cache?.close()
                otherOpened.signal()
            }
        }
        #expect(otherOpened.wait(timeout: .now() + 20) == .success)
        #expect(caches.withLock { $0.isEmpty })
        barrier.open()
        for _ in 0..<2 { opened.wait() }
        for _ in others.dropFirst() { otherOpened.wait() }
        let both = caches.withLock { $0 }
        try #require(both.count == 2 && both[0].core === both[1].core)
        both[0].close()
        try both[1].write(Person(id: "1", name: "Ann", age: 1))
    }
}

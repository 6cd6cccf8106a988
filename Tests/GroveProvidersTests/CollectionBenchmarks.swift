import Foundation
import Grove
import GroveCache
import GroveMemory
import Testing

/// One element updated in collections of several sizes: run with GROVE_BENCHMARK=1 in a release build.
@MainActor
@Suite("Benchmarks", .serialized, .enabled(if: ProcessInfo.processInfo.environment["GROVE_BENCHMARK"] != nil))
struct CollectionBenchmarks {
    @Test(arguments: [100, 10_000, 100_000])
    func oneElement(count: Int) async throws {
        let manager = DataModelManager(cacheDelegate: try MemoryCache())
        let list = CollectionDataProvider<Person>(dataModelManager: manager)
        list.setData((0..<count).map { Person(id: "\($0)") }, cacheKey: "people", shouldCache: false)
        await manager.flush()
        for name in ["own", "by another"] {
            var times: [Double] = []
            for run in 1...200 {
                let person = Person(id: "\(run * 7 % count)", name: "\(name) \(run)")
                let start = ContinuousClock.now
                if name == "own" {
                    list.update(person, at: run * 7 % count, shouldCache: false)
                } else {
                    manager.updateModel(person, updateCache: false)
                }
                await manager.flush()
                times.append((ContinuousClock.now - start) / .microseconds(1))
            }
            print(String(format: "BENCH collection %d, %@: %.1f µs", count, name, times.sorted()[100]))
        }
    }
}

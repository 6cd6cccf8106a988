#if Metrics
    import GroveCache
    import GroveMemory
    import GroveMetrics
    import GroveModel
    import MetricsTestKit
    import Testing

    @Suite("What a cache counts in metrics")
    struct MetricsTests {
        @Test("Hits, misses, failures, commits and the queue are counted")
        func figures() async throws {
            let metrics = TestMetrics()
            let cache = try MemoryCache(
                directory: nil, options: MemoryOptions(), queueLimit: 0,
                observer: MetricsObserver(dimensions: [("cache", "feed")], factory: metrics))
            try await cache.write(Item(id: "1", name: "one"))
            for _ in 0..<3 { #expect(try cache.model("1", as: Item.self) != nil) }
            #expect(try cache.model("2", as: Item.self) == nil)
            try await cache.delete("1")
            #expect(try cache.model("1", as: Item.self) == nil)
            cache.setModel(Item(id: "3", name: "three"), forKey: "3", context: nil)
            try await cache.evict("1")
            try await cache.told()
            func total(_ label: String, _ own: [(String, String)] = []) throws -> Int64 {
                try metrics.expectCounter(label, [("cache", "feed")] + own).totalValue
            }
            #expect(try total("grove.hits") == 3)
            #expect(try total("grove.misses", [("reason", "absent")]) == 1)
            #expect(try total("grove.misses", [("reason", "deleted")]) == 1)
            #expect(try total("grove.failures", [("operation", "write"), ("code", "queueFull")]) == 1)
            let statistics = cache.statistics
            #expect(try total("grove.records") == Int64(statistics.recordsPut))
            #expect(try total("grove.bytes") == Int64(statistics.bytesPut))
            #expect(try total("grove.commits") >= 3)
            #expect(try total("grove.evictions") >= 1)
            #expect(try metrics.expectGauge("grove.queue.writes", [("cache", "feed")]).lastValue == 0)
        }
    }
#endif

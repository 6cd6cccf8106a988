#if Metrics
    public import CoreMetrics
    public import GroveCache
    public import GroveModel
    import Synchronization

    /// An observer that counts a cache's hits, misses, failures, commits and evictions with swift-metrics.
    ///
    /// | metric | kind | dimensions |
    /// |---|---|---|
    /// | `grove.hits` | counter | |
    /// | `grove.misses` | counter | `reason` |
    /// | `grove.failures` | counter | `operation` (`read`, `write` or `open`) and `code` |
    /// | `grove.commits`, `grove.writes`, `grove.records`, `grove.bytes` | counters | |
    /// | `grove.evictions` | counter | |
    /// | `grove.queue.writes`, `grove.queue.bytes` | gauges | |
    ///
    /// No identifier is ever a dimension.
    public final class MetricsObserver: CacheObserver {
        private let prefix: String
        private let dimensions: [(String, String)]
        private let factory: any MetricsFactory
        private let hits: Counter
        private let commits: Counter
        private let writes: Counter
        private let records: Counter
        private let bytes: Counter
        private let evictions: Counter
        private let queuedWrites: Gauge
        private let queuedBytes: Gauge
        /// Counters whose dimensions come up as they happen; few, for reasons and codes are.
        private let others = Mutex<[String: Counter]>([:])

        /// Makes an observer whose metrics come from `factory` and are named `prefix`, a dot, and the thing that they
        /// count.
        ///
        /// - Parameters:
        ///   - prefix: the beginning of every label.
        ///   - dimensions: dimensions of every metric besides its own, such as the name of the cache.
        ///   - factory: by default the system's, as it is when this is called.
        public init(
            prefix: String = "grove", dimensions: [(String, String)] = [],
            factory: any MetricsFactory = MetricsSystem.factory
        ) {
            self.prefix = prefix
            self.dimensions = dimensions
            self.factory = factory
            func counter(_ name: String) -> Counter {
                Counter(label: prefix + "." + name, dimensions: dimensions, factory: factory)
            }
            func gauge(_ name: String) -> Gauge {
                Gauge(label: prefix + "." + name, dimensions: dimensions, factory: factory)
            }
            hits = counter("hits")
            commits = counter("commits")
            writes = counter("writes")
            records = counter("records")
            bytes = counter("bytes")
            evictions = counter("evictions")
            queuedWrites = gauge("queue.writes")
            queuedBytes = gauge("queue.bytes")
        }

        /// Counts a hit.
        public func cacheDidHit(_ identifier: ModelIdentifier) { hits.increment() }

        /// Counts a miss, by reason.
        public func cacheDidMiss(_ miss: CacheMiss) { count("misses", [("reason", miss.reason.description)]) }

        /// Counts a failure, by code.
        public func cacheDidFailToRead(_ error: CacheError) { fail("read", error) }

        /// Counts a failure, by code.
        public func cacheDidFailToWrite(_ error: CacheError) { fail("write", error) }

        /// Counts a failure, by code.
        public func cacheDidRebuild(after error: CacheError) { fail("open", error) }

        /// Counts evicted records.
        public func cacheDidCommit(_ changes: ChangeSet) {
            let count = changes.evictedModelIds.count
            if count > 0 { evictions.increment(by: count) }
        }

        /// Counts the commits, writes, records and bytes of the group, and notes how much is queued.
        public func cacheDidFinishCommit(_ report: CacheStatistics) {
            if report.commits > 0 { commits.increment(by: report.commits) }
            writes.increment(by: report.writes)
            records.increment(by: report.recordsPut)
            bytes.increment(by: report.bytesPut)
            queuedWrites.record(report.queuedWrites)
            queuedBytes.record(report.queuedBytes)
        }

        private func fail(_ operation: String, _ error: CacheError) {
            count("failures", [("operation", operation), ("code", error.code.description)])
        }

        private func count(_ name: String, _ own: [(String, String)]) {
            let key = own.reduce(name) { $0 + "\u{0}" + $1.1 }
            let counter = others.withLock { others in
                if let known = others[key] { return known }
                let counter = Counter(label: prefix + "." + name, dimensions: dimensions + own, factory: factory)
                others[key] = counter
                return counter
            }
            counter.increment()
        }
    }
#else
    /// Says, if the observer is used without the trait, what to write.
    @available(
        *, unavailable,
        message: """
            MetricsObserver needs the trait Metrics. Add traits: ["Metrics"] to Grove's line in your Package.swift, \
            as in .package(path: "../grove", traits: ["Metrics"])
            """
    )
    public enum MetricsObserver {}
#endif

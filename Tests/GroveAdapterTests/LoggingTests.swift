#if Logging
    import GroveCache
    import GroveLogging
    import GroveMemory
    import GroveModel
    import Logging
    import Synchronization
    import Testing

    /// A handler that keeps what was logged.
    private struct Recorder: LogHandler {
        final class Lines: Sendable {
            let all = Mutex<[String]>([])
        }

        let lines: Lines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let fields = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            lines.all.withLock { $0.append("\(event.level) \(event.message) \(fields.joined(separator: " "))") }
        }
    }

    @Suite("What a cache writes to a log")
    struct LoggingTests {
        @Test("Hits, misses, failures and commits are written, each at its level")
        func lines() async throws {
            let lines = Recorder.Lines()
            var logger = Logger(label: "cache") { _ in Recorder(lines: lines) }
            logger.logLevel = .trace
            let cache = try MemoryCache(
                directory: nil, options: MemoryOptions(), queueLimit: 0, observer: LoggingObserver(logger))
            try await cache.write(Item(id: "1", name: "one"))
            #expect(try cache.model("1", as: Item.self)?.name == "one")
            #expect(try cache.model("2", as: Item.self) == nil)
            cache.setModel(Item(id: "3", name: "three"), forKey: "3", context: nil)
            try await cache.told()
            let seen = lines.all.withLock { $0 }
            #expect(seen.contains("trace cache hit identifier=1"))
            #expect(seen.contains("trace cache miss identifier=2 reason=absent"))
            #expect(seen.contains { $0.hasPrefix("debug cache commit changed=1 deleted=0 everything=false evicted=0") })
            #expect(seen.contains { $0.hasPrefix("debug cache group commit bytes=") })
            #expect(seen.contains { $0.hasPrefix("warning cache write failed code=queueFull") })
        }

        @Test("What the logger's level leaves out is not written")
        func levels() async throws {
            let lines = Recorder.Lines()
            var logger = Logger(label: "cache") { _ in Recorder(lines: lines) }
            logger.logLevel = .info
            let cache = try MemoryCache(
                directory: nil, options: MemoryOptions(), observer: LoggingObserver(logger))
            try await cache.write(Item(id: "1", name: "one"))
            #expect(try cache.model("2", as: Item.self) == nil)
            try await cache.told()
            #expect(lines.all.withLock { $0 } == [])
        }
    }
#endif

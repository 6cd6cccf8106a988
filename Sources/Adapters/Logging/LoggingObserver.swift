#if Logging
    public import GroveCache
    public import GroveModel
    public import Logging

    /// An observer that logs a cache's hits, misses, commits and failures with swift-log.
    ///
    /// Failures and rebuilds are warnings; commits are logged for debugging, and hits and misses for tracing.
    /// Identifiers are written as they are, so a log of these levels may name the things that the application's user
    /// looked at. A level that the logger leaves out costs one comparison.
    public struct LoggingObserver: CacheObserver {
        private let logger: Logger

        /// Makes an observer that writes to `logger`.
        public init(_ logger: Logger) { self.logger = logger }

        /// Writes the identifier, for tracing.
        public func cacheDidHit(_ identifier: ModelIdentifier) {
            logger.trace("cache hit", metadata: ["identifier": "\(identifier.rawValue)"])
        }

        /// Writes the reason and the identifier, for tracing.
        public func cacheDidMiss(_ miss: CacheMiss) {
            logger.trace(
                "cache miss", metadata: ["identifier": "\(miss.identifier.rawValue)", "reason": "\(miss.reason)"])
        }

        /// Writes the error, as a warning.
        public func cacheDidFailToRead(_ error: CacheError) { warn("cache read failed", error) }

        /// Writes the error, as a warning.
        public func cacheDidFailToWrite(_ error: CacheError) { warn("cache write failed", error) }

        /// Writes how much changed, for debugging.
        public func cacheDidCommit(_ changes: ChangeSet) {
            guard logger.logLevel <= .debug else { return }
            logger.debug(
                "cache commit",
                metadata: [
                    "sequence": "\(changes.sequence.rawValue)", "changed": "\(changes.changedModelIds.count)",
                    "deleted": "\(changes.deletedModelIds.count)", "evicted": "\(changes.evictedModelIds.count)",
                    "everything": "\(changes.changesEverything)",
                ])
        }

        /// Writes the results of the group, for debugging.
        public func cacheDidFinishCommit(_ report: CacheStatistics) {
            logger.debug(
                "cache group commit",
                metadata: [
                    "writes": "\(report.writes)", "records": "\(report.recordsPut)", "bytes": "\(report.bytesPut)",
                    "failed": "\(report.failedWrites)", "queued": "\(report.queuedWrites)",
                ])
        }

        /// Writes the error, as a warning.
        public func cacheDidRebuild(after error: CacheError) { warn("cache rebuilt", error) }

        private func warn(_ message: Logger.Message, _ error: CacheError) {
            var metadata: Logger.Metadata = ["code": "\(error.code)", "error": "\(error.message)"]
            if let identifier = error.identifier { metadata["identifier"] = "\(identifier.rawValue)" }
            if let code = error.engineCode { metadata["engineCode"] = "\(code)" }
            logger.warning(message, metadata: metadata)
        }
    }
#else
    /// Says, if the observer is used without the trait, what to write.
    @available(
        *, unavailable,
        message: """
            LoggingObserver needs the trait Logging. Add traits: ["Logging"] to Grove's line in your Package.swift, \
            as in .package(path: "../grove", traits: ["Logging"])
            """
    )
    public enum LoggingObserver {}
#endif

import Dispatch
import GroveCache
import GroveModel
import GrovePlatform
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Weeks of an application's life against a budget, in a minute: what is read shifts, what is missing is fetched.
///
/// Every day reads three times for each write. Of the reads, most are of what came lately and some of anything older;
/// what is missing is written again, and new items are written. The file system is looked at all the time, and another
/// thread reads as well.
package struct ChurnRun {
    package struct Settings {
        let budget: Int
        let writes: Int
        let days: Int
        let seed: UInt64
        /// How many records are deleted beside each batch of some 35 that are written.
        let deletions: Int

        /// - Parameters:
        ///   - budget: bytes on disk.
        ///   - writes: how many records are written in all.
        ///   - deletions: how many messages are deleted beside each batch of them; with 0 there are items without
        ///     children instead.
        package init(budget: Int, writes: Int, days: Int, seed: UInt64, deletions: Int = 0) {
            (self.budget, self.writes, self.days, self.seed) = (budget, writes, days, seed)
            self.deletions = deletions
        }
    }

    package struct Result {
        var backend: BackendName
        var budget: Int
        var peak = 0
        var share = 0.0
        var leastShare = 1.0
        var usage = CacheUsage()
        var amplification: Double?
        var hitRatios: [Double] = []
        /// Three counts of reads after the first third of the run, the first of all reads.
        ///
        /// `possiblyDeleted` counts reads of a message whose sender is there and may have been deleted since.
        /// `forgotten` counts reads of a deleted message whose deletion the cache no longer knows.
        var reads = 0
        var possiblyDeleted = 0
        var forgotten = 0
        /// Reads and writes per second, by day.
        var rates: [Double] = []
        /// Reads and writes per second of processor time, by day; other programs change these rates little.
        var processorRates: [Double] = []

        /// The hit ratio of everything but the first third, in which the cache fills.
        var hitRatio: Double {
            let later = hitRatios.dropFirst(hitRatios.count / 3)
            return later.reduce(0, +) / Double(max(later.count, 1))
        }
    }

    let settings: Settings

    /// Runs on a new store of `backend` in `directory`.
    func run<Store: NodeStore>(
        _ cache: NormalizedCache<Store>, _ backend: BackendName, in directory: String?
    ) throws -> Result {
        var result = Result(backend: backend, budget: settings.budget)
        let watch = DiskWatch(directory, cache)
        var deleted: Set<Int> = []
        defer { watch.stop() }
        var random = SplitMix(seed: settings.seed)
        var newest = 1_000
        let writtenBefore = ProcessBytes.written
        let perDay = max(settings.writes / settings.days, 40)
        // What an application of a week's content reads from.
        let window = max(settings.budget / 400, 1_000)
        for day in 0..<settings.days {
            var (reads, hits, writes) = (0, 0, 0)
            let clock = ContinuousClock()
            let start = clock.now
            let processorStart = ProcessTime.processor - watch.processorTime
            while writes < perDay {
                var batch: [TraceItem] = []
                for _ in 0..<90 {
                    let depth = Double(random.next() >> 11) / Double(1 << 53)
                    let isRecent = random.next() % 10 < 8
                    let back = isRecent ? depth * depth * Double(window) : depth * depth * Double(window * 8)
                    let number = max(newest - Int(back), 0)
                    let answer = try look(number, cache)
                    let isDeleted = deleted.contains(number)
                    if day * 3 > settings.days {
                        result.reads += 1
                        if answer == .possiblyDeleted { result.possiblyDeleted += 1 }
                        if answer != .deleted, isDeleted { result.forgotten += 1 }
                    }
                    // The server has nothing to answer of what was deleted.
                    if isDeleted { continue }
                    reads += 1
                    if answer == .hit { hits += 1 } else if batch.count < 40 { batch.append(item(number, &random)) }
                }
                while batch.count < 30 {
                    newest += 1
                    batch.append(item(newest, &random))
                }
                if settings.deletions == 0 {
                    try cache.write(contentsOf: batch)
                } else {
                    try cache.write(contentsOf: batch.map(message))
                    let numbers = (0..<settings.deletions).map { _ in newest - Int(random.next() % UInt64(window)) }
                    deleted.formUnion(numbers)
                    for number in numbers { try cache.delete(ModelIdentifier("Message:\(number)")) }
                }
                watch.newest.store(newest, ordering: .relaxed)
                watch.batches.add(1, ordering: .relaxed)
                writes += batch.count
                if day * 3 > settings.days, writes % 64 < 30, let bytes = try cache.usage().payloadBytes {
                    result.leastShare = min(result.leastShare, Double(bytes) / Double(settings.budget))
                }
            }
            let seconds = clock.now - start
            result.hitRatios.append(Double(hits) / Double(reads))
            result.rates.append(Double(reads + writes) / max(seconds / .seconds(1), 1e-9))
            let processor = ProcessTime.processor - watch.processorTime - processorStart
            result.processorRates.append(Double(reads + writes) / max(processor, 1e-9))
            Terminal.progress("\(backend.rawValue), day \(day + 1) of \(settings.days)")
        }
        result.usage = try cache.usage()
        result.share = Double(result.usage.payloadBytes ?? 0) / Double(settings.budget)
        if let before = writtenBefore, let after = ProcessBytes.written, backend.isPersistent {
            result.amplification = Double(after - before) / Double(max(result.usage.writtenBytes, 1))
        }
        result.peak = watch.stop()
        return result
    }

    private enum Answer { case hit, miss, deleted, possiblyDeleted }

    private func look<Store: NodeStore>(_ number: Int, _ cache: NormalizedCache<Store>) throws -> Answer {
        guard settings.deletions > 0 else {
            return try cache.model(ModelIdentifier("Item:\(number)"), as: TraceItem.self) != nil ? .hit : .miss
        }
        guard case .miss(let miss) = try cache.read(ModelIdentifier("Message:\(number)"), as: FeedMessage.self) else {
            return .hit
        }
        if miss.reason == .deleted { return .deleted }
        guard miss.identifier.rawValue.hasPrefix("Person:") else { return .miss }
        return try cache.model(miss.identifier, as: FeedPerson.self) == nil ? .miss : .possiblyDeleted
    }

    /// A message of one of 5,000 people, as long as `item`.
    private func message(_ item: TraceItem) -> FeedMessage {
        let number = Int(item.id.dropFirst(5)) ?? 0
        let person = number * 7_919 % 5_000
        return FeedMessage(
            id: number, text: item.text, sent: Double(number), topic: "topic", unread: false,
            sender: FeedPerson(
                id: person, name: "Person \(person)", email: "person\(person)@example.com",
                about: String(repeating: "about ", count: 15), online: false, followers: 1))
    }

    /// Some 300 bytes of which a fifth differ in length.
    private func item(_ number: Int, _ random: inout SplitMix) -> TraceItem {
        TraceItem(id: "Item:\(number)", text: String(repeating: "x", count: 120 + Int(random.next() % 300)))
    }
}

/// Looks at a directory's size all the time, and reads now and then, until it is stopped.
private final class DiskWatch: Sendable {
    private struct State {
        var peak = 0
        var isStopped = false
        var processorTime = 0.0
    }

    let newest = Atomic<Int>(0)
    /// How many batches were written: with each comes so much to read here, however fast a backend is.
    let batches = Atomic<Int>(0)
    private let state = Mutex(State())
    private let ended = DispatchSemaphore(value: 0)

    init<Store: NodeStore>(_ directory: String?, _ cache: NormalizedCache<Store>) {
        DispatchQueue(label: "grove.tool.watch").async { [self] in
            var (number, batch) = (0, 0)
            while !state.withLock({ $0.isStopped }) {
                let bytes =
                    directory.flatMap { try? StoreFiles($0).allocatedBytes() }
                    ?? (try? cache.usage().payloadBytes) ?? 0
                let processor = ProcessTime.thread
                state.withLock { state in
                    state.peak = max(state.peak, bytes)
                    state.processorTime = processor
                }
                if batches.load(ordering: .relaxed) >= batch + 4 {
                    batch = batches.load(ordering: .relaxed)
                    for _ in 0..<20 {
                        number += 7
                        let newest = max(newest.load(ordering: .relaxed), 1)
                        _ = try? cache.model(ModelIdentifier("Item:\(number % newest)"), as: TraceItem.self)
                    }
                }
                usleep(500)
            }
            ended.signal()
        }
    }

    /// The seconds of the processor's time that this took so far.
    var processorTime: Double { state.withLock { $0.processorTime } }

    @discardableResult
    func stop() -> Int {
        let isFirst = state.withLock { state in
            defer { state.isStopped = true }
            return !state.isStopped
        }
        if isFirst { ended.wait() }
        return state.withLock { $0.peak }
    }
}

/// The processor's time that this process and this thread have had, in seconds.
enum ProcessTime {
    static var processor: Double { time(CLOCK_PROCESS_CPUTIME_ID) }
    static var thread: Double { time(CLOCK_THREAD_CPUTIME_ID) }

    private static func time(_ clock: clockid_t) -> Double {
        var time = timespec()
        guard unsafe clock_gettime(clock, &time) == 0 else { return 0 }
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

/// What this process has handed to the system to write.
enum ProcessBytes {
    static var written: Int? {
        guard let data = FileManager.default.contents(atPath: "/proc/self/io") else { return nil }
        for line in String(decoding: data, as: UTF8.self).split(separator: "\n") where line.hasPrefix("wchar:") {
            return Int(line.dropFirst(6).filter { !$0.isWhitespace })
        }
        return nil
    }
}

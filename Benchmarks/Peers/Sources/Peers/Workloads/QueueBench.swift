import Foundation
import GroveCache
import GroveModel
import Synchronization

/// One run of one of Grove's backends, about its queue of writes that nothing waits for.
struct QueueBench<Store: MeasuredStore> {
    private let bench: Bench<GroveContestant<Store>>
    private let feed: Feed
    private let peer: GroveContestant<Store>
    private var cache: NormalizedCache<Store> { peer.cache }

    /// Opens a store with all messages and with a page, and with room in its queue for all that is measured.
    init(feed: Feed, directory: String) throws {
        bench = Bench(feed: feed, directory: directory)
        self.feed = feed
        try? FileManager.default.removeItem(atPath: directory)
        peer = try GroveContestant(directory: directory, feed: feed, queueLimit: 512 << 20)
        for range in feed.batches { try peer.write(feed.messages(version: 0, in: range)[...]) }
        try peer.writePages([feed.messages(version: 0, in: 0..<100)[...]])
    }

    func run(_ mode: Mode) throws {
        if mode == .burst { try burst() } else { try backlog() }
        peer.close()
    }

    // MARK: Backlog

    /// Reads while a large write holds the writer and more and more calls wait behind it.
    private func backlog() throws {
        for (version, depth) in [0, 10, 100, 1_000, 5_000, 10_000].enumerated() where depth <= front / 2 {
            try backlog(depth, version: version)
        }
    }

    /// The first messages are those that queued calls name; the large write has the others.
    private var front: Int { min(20_000, feed.count / 2) }

    private func backlog(_ depth: Int, version: Int) throws {
        let calls = feed.messages(version: version + 1, in: 0..<max(depth, 1))
        if depth > 0 {
            let large = feed.messages(version: version + 100, in: front..<feed.count)
            let isDone = Flag()
            Thread { [cache] in
                _ = try? cache.write(contentsOf: large)
                isDone.value = true
            }.start()
            while cache.statistics.queuedWrites == 0, !isDone.value {}
            report("setModel", depth, calls.prefix(depth).map(setModel))
        }
        var (far, near, page) = ([Double](), [Double](), [Double]())
        var random = SplitMix(state: 3)
        while depth > 0 ? cache.statistics.queuedWrites >= depth : far.count < 2_000 {
            let other = Feed.firstID + front + random.next(below: feed.count - front)
            far.append(try time { try bench.read(other, of: peer) })
            let call = calls[random.next(below: calls.count)]
            near.append(
                try time {
                    guard let message = try peer.read(call.id), depth == 0 || message.text == call.text else {
                        throw Lost("queued message \(call.id)")
                    }
                })
            guard far.count % 5 == 0 else { continue }
            page.append(
                try time {
                    guard try peer.page(from: Feed.firstID).count == 100 else { throw Lost("page") }
                })
        }
        report("read-unnamed", depth, far)
        report("read-named", depth, near)
        report("page-of-100", depth, page)
        bench.report("backlog.\(depth).flush-ms", try time { try cache.flush() } / 1e3)
    }

    private func report(_ what: String, _ depth: Int, _ times: [Double]) {
        guard !times.isEmpty else { return }
        bench.report("backlog.\(depth).\(what).p50us", times.median)
        bench.report("backlog.\(depth).\(what).p99us", times.quantile(0.99))
    }

    // MARK: Burst

    /// As many calls as come at once, with a free writer; then again with a reader beside it.
    private func burst() throws {
        for (version, hasReader) in [false, true].enumerated() {
            let calls = feed.messages(version: version + 1, in: 0..<min(5_000, feed.count))
            let isDone = Flag()
            let reads = Mutex<[Double]>([])
            let group = DispatchGroup()
            if hasReader {
                DispatchQueue.global().async(group: group) { [peer, feed] in
                    let order = feed.order(4_096, seed: 3)
                    var times: [Double] = []
                    while !isDone.value {
                        let start = now()
                        _ = try? peer.read(order[times.count & 4_095])
                        times.append(microseconds(since: start))
                    }
                    reads.withLock { $0 = times }
                }
            }
            let start = now()
            let times = calls.map(setModel)
            let called = microseconds(since: start) / 1e3
            try cache.flush()
            let flushed = microseconds(since: start) / 1e3
            isDone.value = true
            group.wait()
            let name = hasReader ? "burst.reader" : "burst"
            bench.report("\(name).calls-ms", called)
            bench.report("\(name).flushed-ms", flushed)
            bench.report("\(name).setModel.p50us", times.median)
            bench.report("\(name).setModel.p99us", times.quantile(0.99))
            guard hasReader else { continue }
            let read = reads.withLock { $0.sorted() }
            bench.report("burst.reads/s", Double(read.count) / (flushed / 1e3))
            bench.report("burst.read.p50us", read.median)
            bench.report("burst.read.p999us", read.quantile(0.999))
        }
    }

    /// Sets `message`, and returns microseconds.
    private func setModel(_ message: Message) -> Double {
        let key = feed.identifier(of: message.id).rawValue
        let start = now()
        cache.setModel(message, forKey: key, context: nil)
        return microseconds(since: start)
    }

    /// Microseconds that `body` takes.
    private func time(_ body: () throws -> Void) rethrows -> Double {
        let start = now()
        try body()
        return microseconds(since: start)
    }
}

import Foundation

/// One run of one contestant, which prints a line for each measure: its name and its value.
struct Bench<Peer: Contestant> {
    let feed: Feed
    let directory: String

    func run(_ mode: Mode) throws {
        switch mode {
        case .main: try main()
        case .scale: try scale()
        case .commit: try commit()
        case .threads: try threads(filled(), turns: 5)
        case .rss: try memory()
        case .backlog, .burst: throw Lost("a queue, which \(Peer.self) does not have")
        }
    }

    func report(_ name: String, _ value: Double) { print(name, value) }

    // MARK: Opening and filling

    func open() throws -> Peer { try Peer(directory: directory, feed: feed) }

    /// Opens an empty store.
    func opened() throws -> Peer {
        try? FileManager.default.removeItem(atPath: directory)
        return try open()
    }

    func items(version: Int, in range: Range<Int>) -> [Peer.Item] {
        feed.messages(version: version, in: range).map(Peer.item)
    }

    /// Opens a store with all messages, and lets what the engine does in the background end.
    func filled() throws -> Peer {
        let peer = try opened()
        for range in feed.batches { try peer.write(items(version: 0, in: range)[...]) }
        Thread.sleep(forTimeInterval: 0.3)
        return peer
    }

    /// Stores the pages, and 100 lists of 100 messages in random order.
    func writeLists(_ peer: Peer) throws {
        let all = items(version: 0, in: 0..<feed.count)
        try peer.writePages((0..<all.count / 100).map { all[$0 * 100..<$0 * 100 + 100] })
        var random = SplitMix(state: 99)
        try peer.writeLists((0..<100).map { _ in (0..<100).map { _ in all[random.next(below: all.count)] } })
    }

    @inline(__always) func read(_ id: Int, of peer: Peer) throws {
        guard let item = try peer.read(id), Peer.id(of: item) == id else { throw Lost("message \(id)") }
    }

    // MARK: Modes

    private func scale() throws {
        let peer = try filled()
        try writeLists(peer)
        try readTrees(peer, turns: 3)
        try readPages(peer, turns: 3)
        try threads(peer, turns: 3)
        report("h.disk.open.KB", diskKilobytes)
        try peer.close()
    }

    private func main() throws {
        let batches = feed.batches.map { items(version: 0, in: $0) }
        var peer = try bulkWrite(batches)
        if Peer.isInMemory { for batch in batches { try peer.write(batch[...]) } }
        try writeLists(peer)
        try readTrees(peer, turns: 5)
        try readPages(peer, turns: 5)
        try threads(peer, turns: 3)
        try rewrite(peer, unchanged: batches)
        try rename(peer)
        try stall(peer)
        try peer.close()
        if !Peer.isInMemory {
            var times: [Double] = []
            for id in feed.order(25, seed: 77) {
                let start = now()
                peer = try open()
                try read(id, of: peer)
                times.append(microseconds(since: start))
                try peer.close()
            }
            report("g.open-read.p50us", times.median)
        }
        report("h.disk.end.KB", diskKilobytes)
    }
}

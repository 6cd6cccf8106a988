import Foundation

extension Bench {
    /// (c) All messages into an empty store, 500 to a call, and (h) the bytes that they take.
    func bulkWrite(_ batches: [[Peer.Item]]) throws -> Peer {
        let peer = try opened()
        let time = try seconds { for batch in batches { try peer.write(batch[...]) } }
        report("c.bulk.msg/s", Double(feed.count) / time)
        Thread.sleep(forTimeInterval: 0.4)
        report("h.disk.open.KB", diskKilobytes)
        try peer.close()
        report("h.disk.closed.KB", diskKilobytes)
        return try open()
    }

    /// (e) All messages as they are stored already; then all of them changed.
    func rewrite(_ peer: Peer, unchanged batches: [[Peer.Item]]) throws {
        let rate = { (batches: [[Peer.Item]]) in
            Double(feed.count) / (try seconds { for batch in batches { try peer.write(batch[...]) } })
        }
        report("e.unchanged.msg/s", try (0..<3).map { _ in try rate(batches) }.median)
        let changed = try (1...3).map { version in try rate(feed.batches.map { items(version: version, in: $0) }) }
        report("e.changed.msg/s", changed.median)
    }

    /// (d) One person renamed, until all of their messages show it; the store has version 3.
    func rename(_ peer: Peer) throws {
        let messages = feed.messages(version: 3, in: 0..<feed.count)
        let bySender = Dictionary(grouping: messages, by: \.sender.id)
        let senders = Set(bySender.keys.sorted().prefix(200))
        var (writes, totals, count) = ([Double](), [Double](), 0)
        for (id, sent) in bySender.sorted(by: { $0.key < $1.key }) where senders.contains(id) {
            let person = sent[0].sender.named("Renamed \(id)")
            let ids = sent.map(\.id)
            let start = now()
            try peer.rename(person, messages: ids)
            writes.append(microseconds(since: start))
            let items = try peer.readAll(ids)
            totals.append(microseconds(since: start))
            guard items.count == ids.count, items.allSatisfy({ Peer.senderName(of: $0) == person.name }) else {
                throw Lost("a new name")
            }
            count += ids.count
        }
        report("d.rename.write.p50us", writes.median)
        report("d.rename.until-read.p50us", totals.median)
        report("d.messages-per-person", Double(count) / Double(senders.count))
        let stale = try (0..<100).map { index in
            try peer.list(index).count { item in
                let sender = messages[Peer.id(of: item) - Feed.firstID].sender.id
                return senders.contains(sender) && Peer.senderName(of: item) != "Renamed \(sender)"
            }
        }
        report("d.stale-in-lists", Double(stale.reduce(0, +)))
    }

    /// Commits of one changed message and its sender, each awaited before the next.
    func commit() throws {
        let peer = try filled()
        let times = try items(version: 1, in: 0..<min(500, feed.count)).map { item in
            let start = now()
            try peer.write([item])
            return microseconds(since: start)
        }
        report("commit.p50us", times.median)
        report("commit.p99us", times.quantile(0.99))
        try peer.close()
    }
}

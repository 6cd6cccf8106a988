import Dispatch
import Synchronization

extension Bench {
    /// (a) Trees by identity, in random order.
    func readTrees(_ peer: Peer, turns: Int) throws {
        let order = feed.order(20_000, seed: 7)
        for id in order { try read(id, of: peer) }
        var rates: [Double] = []
        for _ in 0..<turns {
            rates.append(Double(order.count) / (try seconds { for id in order { try read(id, of: peer) } }))
        }
        report("a.read-tree/s", rates.median)
        var times: [Double] = []
        times.reserveCapacity(order.count)
        for id in order {
            let start = now()
            try read(id, of: peer)
            times.append(microseconds(since: start))
        }
        report("a.read-tree.p50us", times.median)
        report("a.read-tree.p99us", times.quantile(0.99))
    }

    /// (b) Pages of 100 in the order of identities, and lists of 100 in random order.
    func readPages(_ peer: Peer, turns: Int) throws {
        var random = SplitMix(state: 11)
        let pages = (0..<300).map { _ in Feed.firstID + 100 * random.next(below: feed.count / 100) }
        let lists = (0..<300).map { _ in random.next(below: 100) }
        try report("b.page/s", turns: turns, of: pages) { id in
            let page = try peer.page(from: id)
            guard page.count == 100, Peer.id(of: page[0]) == id else { throw Lost("page from \(id)") }
        }
        try report("b.list/s", turns: turns, of: lists) { index in
            guard try peer.list(index).count == 100 else { throw Lost("list \(index)") }
        }
    }

    /// How many of `arguments` are served in a second, after a turn that does not count.
    private func report(_ name: String, turns: Int, of arguments: [Int], _ body: (Int) throws -> Void) throws {
        try arguments.forEach(body)
        var rates: [Double] = []
        for _ in 0..<turns { rates.append(Double(arguments.count) / (try seconds { try arguments.forEach(body) })) }
        report(name, rates.median)
    }

    /// Random trees, read by one thread and by two.
    func threads(_ peer: Peer, turns: Int) throws {
        let orders = [feed.order(20_000, seed: 21), feed.order(20_000, seed: 22)]
        let failures = Atomic(0)
        let rate = { (threads: Int) in
            let start = now()
            DispatchQueue.concurrentPerform(iterations: threads) { thread in
                for id in orders[thread] {
                    do { try read(id, of: peer) } catch { failures.add(1, ordering: .relaxed) }
                }
            }
            return Double(threads * 20_000) / (microseconds(since: start) / 1e6)
        }
        let (ones, twos) = (0..<turns).reduce(into: ([Double](), [Double]())) { rates, _ in
            rates.0.append(rate(1))
            rates.1.append(rate(2))
        }
        guard failures.load(ordering: .relaxed) == 0 else { throw Lost("messages, with two threads") }
        report("t.one/s", ones.median)
        report("t.two/s", twos.median)
        report("t.two-to-one", zip(ones, twos).map { $1 / $0 }.median)
    }
}

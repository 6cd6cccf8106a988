import Foundation
import Synchronization

extension Bench {
    /// (f) Reads beside commits of 8,000 changed messages and their people, some 10,000 nodes each.
    func stall(_ peer: Peer) throws {
        let batches = (0..<6).map { items(version: 10 + $0, in: 0..<min(8_000, feed.count)) }
        let (isWriting, isDone) = (Flag(), Flag())
        let writes = Mutex<Result<[Double], any Error>>(.success([]))
        let writer = Thread {
            let result = Result {
                try batches.map { batch in
                    Thread.sleep(forTimeInterval: 0.05)
                    isWriting.value = true
                    defer { isWriting.value = false }
                    return try seconds { try peer.write(batch[...]) }
                }
            }
            writes.withLock { $0 = result }
            isDone.value = true
        }
        let order = feed.order(4_096, seed: 5)
        var times: [Double] = []
        var position = 0
        writer.start()
        while !isDone.value {
            let wasWriting = isWriting.value
            let start = now()
            try read(order[position & 4_095], of: peer)
            let time = microseconds(since: start)
            if wasWriting || isWriting.value { times.append(time) }
            position += 1
        }
        report("f.batch-ms", try writes.withLock { try $0.get() }.median * 1e3)
        report("f.stall.reads", Double(times.count))
        // A small batch may be written before this thread has read once.
        guard !times.isEmpty else { return }
        times.sort()
        report("f.stall.p50us", times.median)
        report("f.stall.p999us", times.quantile(0.999))
        report("f.stall.worst-us", times.quantile(1))
    }
}

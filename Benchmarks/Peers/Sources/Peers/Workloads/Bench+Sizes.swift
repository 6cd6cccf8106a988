import Foundation

extension Bench {
    /// Kilobytes of the disk that the store's files take, as `du` counts them.
    var diskKilobytes: Double {
        var bytes = 0
        for path in (try? FileManager.default.subpathsOfDirectory(atPath: directory)) ?? [] {
            var status = stat()
            guard stat("\(directory)/\(path)", &status) == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
            bytes += Int(status.st_blocks) * 512
        }
        return Double(bytes) / 1_024
    }

    /// (i) The process's memory after the store was filled and random trees were read.
    func memory() throws {
        _ = items(version: 0, in: 0..<min(500, feed.count))
        report("i.rss.before.KB", try memory("VmRSS"))
        let peer = try opened()
        for range in feed.batches { try peer.write(items(version: 0, in: range)[...]) }
        for id in feed.order(20_000, seed: 7) { try read(id, of: peer) }
        report("i.rss.peak.KB", try memory("VmHWM"))
        report("i.rss.anon-now.KB", try memory("RssAnon"))
        report("i.rss.file-now.KB", try memory("RssFile") + memory("RssShmem"))
        try peer.close()
    }

    /// Kilobytes, as Linux says them under `key`.
    private func memory(_ key: String) throws -> Double {
        let lines = try String(contentsOfFile: "/proc/self/status", encoding: .utf8).split(separator: "\n")
        let line = lines.first { $0.hasPrefix("\(key):") } ?? ""
        return line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Double($0) } ?? 0
    }
}

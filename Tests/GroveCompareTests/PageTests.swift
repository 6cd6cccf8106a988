import Foundation
@testable import GroveCompare
import Testing

@Suite("The report as a page")
struct PageTests {
    private func report() throws -> CompareReport {
        var report = CompareReport()
        report.dataSet = "20 <messages> & people"
        report.uses = try Use.named(["catalogue"])
        report.command = "grove compare --mix \"reads=1\""
        let rates: [(BackendName, Double, [UInt64])] = [
            (.lmdb, 900_000, [1_000, 2_000, 100_000]), (.sqlite, 300_000, [3_000, 4_000, 1_000_000]),
        ]
        for (backend, rate, samples) in rates {
            report.results.append(
                CompareResult(
                    backend: backend, workload: .readTree, coding: "specialised", operationsPerSecond: rate,
                    repetitions: rate...rate, floorOperationsPerSecond: rate * 2, latencies: Latencies(samples)))
            report.footprints.append(
                Footprint(
                    backend: backend, bytesOnDisk: 200_000, residentBytes: 0, openMilliseconds: 0.5, nodes: 1_000,
                    payloadBytes: 150_000, floorOpenMilliseconds: 0.2, killedOpenMilliseconds: nil))
        }
        return report
    }

    @Test("The answer comes first, each number is there as text, and nothing is loaded or run")
    func html() throws {
        let html = try report().page.html
        let answer = try #require(html.range(of: "Take lmdb for catalogue (3.0 times sqlite)."))
        let table = try #require(html.range(of: "<table>"))
        #expect(answer.upperBound < table.lowerBound)
        for text in ["900k (2.0)", "300k (2.0)", "200", "150", "0.50", "2.00", "100", "1.0k"] {
            #expect(html.contains(">\(text)<"), "\(text)")
        }
        #expect(html.contains("20 &lt;messages&gt; &amp; people"))
        #expect(html.contains("<code>grove compare --mix &quot;reads=1&quot;</code>"))
        for loaded in ["<script", "http", "src=", "@import", "url("] { #expect(!html.contains(loaded), "\(loaded)") }
    }

    @Test("A bar is as long as its part of the best, and a mark is where its number is on a scale of doublings")
    func bars() throws {
        let html = try report().page.html
        #expect(html.contains("900k (2.0)<span class=\"bar\" aria-hidden=\"true\"><span style=\"width:100%\">"))
        #expect(html.contains("300k (2.0)<span class=\"bar\" aria-hidden=\"true\"><span style=\"width:33%\">"))
        // From 2 to 1,000 µs: the least is at the left, the most at the right.
        #expect(html.contains("<i style=\"left:0.0%\"></i>") && html.contains("<i style=\"left:100.0%\"></i>"))
    }

    @Test("Markdown has the same tables, without what only pictures show")
    func markdown() throws {
        let markdown = try report().page.markdown
        #expect(markdown.contains("| read-tree | trees | 900k (2.0) | 300k (2.0) |"))
        #expect(markdown.contains("20 \\<messages> & people"))
        #expect(!markdown.contains("on the scale") && !markdown.contains("bar"))
        let lines = markdown.split(separator: "\n", omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() where line.hasPrefix("|") && lines[index - 1].hasPrefix("|") {
            #expect(line.count(where: { $0 == "|" }) == lines[index - 1].count(where: { $0 == "|" }), "\(line)")
        }
    }

    @Test("What people would write instead is read from the table of make peers, with a line for where each wins")
    func peers() throws {
        var report = try report()
        report.peers = try PeersTable(
            """
            |                   | grove-lmdb | grdb-raw | dict |
            |-------------------|-----------:|---------:|-----:|
            | a.read-tree/s     |       690k |     178k | 2.1M |
            | h.disk.closed.KB  |       4100 |     2600 |    – |
            """)
        let html = report.page.html
        #expect(html.contains("grove-lmdb, of those on disk, is best at a.read-tree/s."))
        #expect(html.contains("grdb-raw, of those on disk, is best at h.disk.closed.KB."))
        #expect(html.contains("<td>2.1M</td>"))
        #expect(throws: ToolError.self) { try PeersTable("nothing of that kind") }
    }
}

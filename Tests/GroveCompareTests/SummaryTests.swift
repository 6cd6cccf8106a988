import Testing

@testable import GroveCompare

@Suite("The summary of a comparison")
struct SummaryTests {
    private func entry(_ backend: BackendName, _ figure: Double, _ repetitions: ClosedRange<Double>? = nil)
        -> Ranking.Entry
    {
        Ranking.Entry(backend: backend, figure: figure, repetitions: repetitions ?? figure...figure)
    }

    private func speeds(_ entries: Ranking.Entry...) -> String {
        Ranking(.speed, entries).sentence(unit: "a second", show: CompareResult.short)
    }

    @Test("The fastest backend is named, and how many times as fast as the others it is")
    func fastest() {
        #expect(
            speeds(entry(.sqlite, 215_000), entry(.lmdb, 844_000), entry(.leveldb, 589_000))
                == "lmdb is fastest with 844k a second, 1.4 times leveldb (589k) and 3.9 times sqlite (215k).")
    }

    @Test("The smallest backend is named, and how many times as much the others take")
    func smallest() {
        let sizes = Ranking(.size, [entry(.lmdb, 170), entry(.sqlite, 270), entry(.leveldb, 137)])
        #expect(
            sizes.sentence(unit: "bytes a record") { $0.fixed(0) }
                == "leveldb is smallest with 137 bytes a record; lmdb takes 1.2 times as much (170) and sqlite takes "
                + "2.0 times as much (270).")
        let equal = Ranking(.size, [entry(.lmdb, 140), entry(.leveldb, 137)])
        #expect(
            equal.sentence(unit: "bytes") { $0.fixed(0) } == "leveldb and lmdb are equally small (137 and 140 bytes).")
    }

    @Test("Backends that differ by less than a tenth are not ranked")
    func nearTie() {
        #expect(
            speeds(entry(.lmdb, 105_000), entry(.leveldb, 100_000), entry(.sqlite, 50_000))
                == "lmdb and leveldb are equally fast (105k and 100k a second), 2.1 times sqlite (50k).")
        #expect(Ranking(.speed, [entry(.lmdb, 111), entry(.leveldb, 100)]).groups.leaders.count == 1)
    }

    @Test("Backends whose repetitions overlap are not ranked, and the machine's noise is named")
    func noise() {
        #expect(
            speeds(entry(.lmdb, 844_000, 500_000...900_000), entry(.leveldb, 589_000, 400_000...600_000))
                == "this run is too noisy to rank lmdb and leveldb (844k and 589k a second).")
        #expect(
            speeds(
                entry(.lmdb, 844_000, 500_000...900_000), entry(.leveldb, 589_000, 400_000...600_000),
                entry(.sqlite, 215_000, 200_000...230_000))
                == "this run is too noisy to rank lmdb and leveldb (844k and 589k a second), 3.9 times sqlite (215k).")
    }

    @Test("A backend alone is not ranked")
    func alone() { #expect(speeds(entry(.lmdb, 844_000)) == "lmdb, 844k a second.") }

    private func report(isInMemory: Bool = false, isVoid: Bool = false) -> CompareReport {
        var report = CompareReport()
        report.dataSet = "20,000 messages"
        report.isInMemory = isInMemory
        let rates: [(BackendName, Workload, Double)] = [
            (.memory, .readTree, 1_240_000), (.lmdb, .readTree, 844_000), (.sqlite, .readTree, 215_000),
            (.memory, .writeOne, 163_000), (.lmdb, .writeOne, 5_200), (.sqlite, .writeOne, 36_000),
        ]
        for (coding, share) in [("specialised", 1.0), ("codable", 0.1)] {
            for (backend, workload, rate) in rates {
                var result = CompareResult(
                    backend: backend, workload: workload, coding: coding, operationsPerSecond: rate * share,
                    repetitions: rate * share...rate * share, floorOperationsPerSecond: nil, latencies: Latencies([]))
                result.isVoid = isVoid && backend == .lmdb
                report.results.append(result)
            }
        }
        for (backend, bytes) in [(BackendName.memory, 0), (.lmdb, 170_000), (.sqlite, 270_000)] {
            report.footprints.append(
                Footprint(
                    backend: backend, bytesOnDisk: bytes, residentBytes: 0, openMilliseconds: 0, nodes: 1_000,
                    payloadBytes: 0, floorOpenMilliseconds: nil, killedOpenMilliseconds: nil))
        }
        return report
    }

    @Test("The first lines of a report are the summary, in 80 columns")
    func summary() throws {
        let summary = """
            20,000 messages; the stores are on a disk.
            Reading trees at random: lmdb is fastest with 844k a second, 3.9 times sqlite
                (215k). Memory does 1.24M.
            Writing one tree to a commit: sqlite is fastest with 36k a second, 6.9 times
                lmdb (5.2k). Memory does 163k. Only lmdb waits for the disk at each commit.
            Size on disk: lmdb is smallest with 170 bytes a record; sqlite takes 1.6 times
                as much (270).
            memory: on all platforms; one process; at least 90 % of a budget is records;
                nothing is left when the process ends.
            lmdb: on Linux and macOS; several processes at once; at least 45 % of a budget
                is records.
            sqlite: on Linux and all of Apple's systems; several processes at once; at least
                50 % of a budget is records.
            Compare only figures of one run. The tables follow.
            """
        #expect(CompareSummary(report())?.text == summary)
        #expect(report().table.hasPrefix(summary + "\n\n"))
    }

    @Test("A summary says if the disk is memory, and if the engines were slower than they should be")
    func reservations() throws {
        let text = try #require(CompareSummary(report(isInMemory: true, isVoid: true))?.text)
        #expect(text.contains("in memory, not on a disk") && !text.contains("waits for the disk"))
        #expect(text.contains("The machine was slow or busy: lmdb, called directly,"))
    }

    @Test("It is known where a file system is in memory", .enabled(if: FilePlace("/dev/shm") == .directory))
    func fileSystems() {
        #expect(FilePlace.isInMemory("/dev/shm") && FilePlace.isInMemory("/dev/shm/nothing"))
        #expect(!FilePlace.isInMemory("/proc") && !FilePlace.isInMemory("/dev/shmem"))
    }

    @Test("A backend that was disturbed while it was measured is not ranked behind another")
    func disturbance() throws {
        var report = report()
        for index in report.results.indices {
            report.results[index].pace = report.results[index].backend == .sqlite ? 200 : 400
        }
        // SQLite, 3.9 times slower, might have been 4 times as fast.
        let text = try #require(CompareSummary(report)?.text)
        #expect(text.contains("Reading trees at random: this run is too noisy to rank lmdb and sqlite"))
        for index in report.results.indices { report.results[index].pace = 300 }
        #expect(CompareSummary(report)?.text.contains("Reading trees at random: lmdb is fastest") == true)
    }

    @Test("The pace of the machine is a number of rounds")
    func pace() { #expect(MachinePace.measure() > 0) }

    @Test("A report on one backend has no summary")
    func oneBackend() {
        var report = report()
        report.results.removeAll { $0.backend != .lmdb }
        #expect(CompareSummary(report) == nil && CompareSummary(CompareReport()) == nil)
        #expect(report.table.hasPrefix("lmdb"))
    }
}

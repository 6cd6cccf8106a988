@testable import GroveCompare
import Testing

@Suite("The order of backends")
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

    @Test("It is known where a file system is in memory", .enabled(if: FilePlace("/dev/shm") == .directory))
    func fileSystems() {
        #expect(FilePlace.isInMemory("/dev/shm") && FilePlace.isInMemory("/dev/shm/nothing"))
        #expect(!FilePlace.isInMemory("/proc") && !FilePlace.isInMemory("/dev/shmem"))
    }

    @Test("The pace of the machine is a number of rounds")
    func pace() { #expect(MachinePace.measure() > 0) }
}

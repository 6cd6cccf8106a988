import Foundation
import GroveCache
import GroveConformance
import GroveHarnesses
import GroveModel
import Testing

/// SQLite's main file and log, put together from two moments of a store whose processes were killed.
@Suite struct MixedFilesTests {
    private static let people = (0..<2_000).map { (number: Int) in
        Person(id: "Person:\(number)", name: String(repeating: "name \(number) ", count: 20), age: -1)
    }

    /// A page in the log, and what is before it.
    private static let frameBytes = 24 + 4_096

    /// The files of a store at one moment.
    private struct Moment {
        let main: Data
        let log: Data

        init(main: Data, log: Data) {
            self.main = main
            self.log = log
        }

        init(_ directory: String) throws {
            main = try Data(contentsOf: URL(fileURLWithPath: directory + "/store.sqlite"))
            log = try Data(contentsOf: URL(fileURLWithPath: directory + "/store.sqlite-wal"))
        }
    }

    /// How a store is found that was put together.
    private enum Found: Equatable {
        /// It holds the commits of one moment, the first so many.
        case commits(Int)
        case setAside
        case mixed
    }

    /// A store that is changed by one process after the other, and put together from what was copied in between.
    private struct Store {
        let site: any CacheSite
        let directory: String
        let worker: WorkerCommand

        init(_ trial: Trial, _ worker: WorkerCommand) throws {
            site = try trial.site()
            directory = try #require(site.directory)
            self.worker = worker
        }

        /// Takes back all that processes have committed.
        func reset() throws -> Moment {
            let cache = try site.open()
            try cache.write(contentsOf: MixedFilesTests.people)
            cache.close()
            site.closeAll()
            return try Moment(directory)
        }

        /// Lets a process commit, one person at a time, and kills it.
        func commit(_ count: Int) throws -> Moment {
            let child = try ChildProcess(worker, ["commit", directory])
            for number in 0..<count { #expect(child.nextLine(within: .seconds(60)) == .line("Person:\(number)")) }
            child.kill()
            child.wait()
            return try Moment(directory)
        }

        /// Puts a store together.
        func put(_ main: Moment, _ log: Moment?) throws {
            for name in ["grove-set-aside", "store.sqlite-shm", "store.sqlite-wal"] {
                try? FileManager.default.removeItem(atPath: directory + "/" + name)
            }
            try main.main.write(to: URL(fileURLWithPath: directory + "/store.sqlite"))
            try log?.log.write(to: URL(fileURLWithPath: directory + "/store.sqlite-wal"))
        }

        func find() throws -> Found {
            defer { site.closeAll() }
            let cache = try site.open()
            let ages = try MixedFilesTests.people.map {
                try cache.read($0.modelIdentifier ?? "", as: Person.self).value?.age
            }
            if FileManager.default.fileExists(atPath: directory + "/grove-set-aside/store.sqlite") {
                return ages.allSatisfy { $0 == nil } ? .setAside : .mixed
            }
            let count = ages.prefix { $0 != -1 }.count
            let expected = (0..<ages.count).map { $0 < count ? $0 : -1 }
            return ages == expected ? .commits(count) : .mixed
        }
    }

    @Test(
        "A main file and a log of two moments are set aside, and those of one moment never", .timeLimit(.minutes(5)),
        arguments: 0..<3)
    func mixes(_ seed: UInt64) throws {
        let worker = try #require(Workers.command("sqlite"))
        let trial = Trial("TEST", on: try #require(Harnesses.backend("sqlite", worker: worker)), seed: seed)
        defer { trial.finish() }
        var generator = SeededGenerator(seed: seed)
        let (store, stranger) = (try Store(trial, worker), try Store(trial, worker))
        let begin = try store.reset()
        // The log begins again after some 300 commits.
        let (few, many, more) = (
            Int.random(in: 1...100, using: &generator), Int.random(in: 600...1_200, using: &generator),
            Int.random(in: 1...1_200, using: &generator)
        )
        let early = try store.commit(few)
        _ = try store.reset()
        let middle = try store.commit(many)
        _ = try store.reset()
        let late = try store.commit(more)
        _ = try stranger.reset()
        let other = try stranger.commit(many)

        func find(_ main: Moment, _ log: Moment?) throws -> Found {
            try store.put(main, log)
            return try store.find()
        }
        func isWhole(_ found: Found, _ count: Int) -> Bool {
            guard case .commits(let commits) = found else { return false }
            // The process goes on until it is dead.
            return commits >= count
        }
        for (moment, count) in [(early, few), (middle, many), (late, more)] {
            let found = try find(moment, moment)
            #expect(isWhole(found, count), "\(found)")
            #expect(try find(moment, other) == .setAside)
            #expect(try find(other, moment) == .setAside)
        }
        // If the log has not begun again since, it holds all that the main file lacks.
        let found = try find(begin, early)
        #expect(early.log.count < 1_000 * 4_096 ? isWhole(found, few) : found == .setAside, "\(found)")
        #expect(try find(begin, nil) == .commits(0))
        for (old, new) in [(begin, middle), (begin, late), (early, middle), (early, late), (middle, late)] {
            #expect(try find(old, new) == .setAside)
            // An old log of which the new main file has the last commit adds nothing to it.
            let found = try find(new, old)
            #expect(try found == .setAside || found == find(new, nil) && found != .mixed)
        }
    }

    @Test("A frame of which a killed process wrote the head only says nothing")
    func tornFrame() throws {
        let worker = try #require(Workers.command("sqlite"))
        let trial = Trial("TEST", on: try #require(Harnesses.backend("sqlite", worker: worker)), seed: 1)
        defer { trial.finish() }
        let store = try Store(trial, worker)
        _ = try store.reset()
        let early = try store.commit(10)
        _ = try store.reset()
        let late = try store.commit(20)
        // The page behind it is what the log had there before. The process may have been killed within its last frame.
        let whole = (early.log.count - 32) / Self.frameBytes
        for frame in (0..<whole).map({ 32 + $0 * Self.frameBytes }) {
            let torn = late.log[32..<56] + early.log[frame + 24..<frame + Self.frameBytes]
            try store.put(late, Moment(main: late.main, log: late.log + torn))
            let found = try store.find()
            #expect(found != .setAside && found != .mixed, "frame \(frame)")
        }
    }

    @Test(
        "An older main file that was put beside the log of a process that lives is set aside", .timeLimit(.minutes(2)))
    func besideProcess() throws {
        let worker = try #require(Workers.command("sqlite"))
        let trial = Trial("TEST", on: try #require(Harnesses.backend("sqlite", worker: worker)), seed: 1)
        defer { trial.finish() }
        let store = try Store(trial, worker)
        let begin = try store.reset()
        let child = try ChildProcess(worker, ["commit", store.directory])
        for number in 0..<800 { #expect(child.nextLine(within: .seconds(60)) == .line("Person:\(number)")) }
        child.stop()
        try begin.main.write(to: URL(fileURLWithPath: store.directory + "/store.sqlite"), options: .atomic)
        let found = try store.find()
        // If the log had just begun again, it holds no commit, and the older main file is whole by itself.
        #expect(found == .setAside || found == .commits(0), "\(found)")
        child.kill()
        child.wait()
    }
}

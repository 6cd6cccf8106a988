import GroveCache
import GroveModel
import GrovePlatform

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A process on a ``SmallDisk``, which fills it to the last page, to the last but one and so on, and uses a cache there
/// until nothing fails any more.
final class FullDiskProcess {
    /// What was done when the disk filled up.
    private enum Moment: String, CaseIterable {
        /// Nothing: the store is yet to be made.
        case new
        /// A store was made and closed.
        case closed
        /// A store was made, and its process killed.
        case killed
        /// A store was made, and is open.
        case open
    }

    private static let pageBytes = 4_096
    private static let people = 0..<6

    private let disk: String
    private let backend: any ConformanceBackend
    /// What each person is to be: what was written last, and whether another write of it failed since.
    private var expected: [Int: Int] = [:]
    private var refusals = 0

    private init(_ disk: String, _ backend: any ConformanceBackend) {
        self.disk = disk
        self.backend = backend
    }

    /// Says in lines what is tried, and what came of it that must not be.
    static func work(_ disk: String, _ backend: any ConformanceBackend) -> Int32 {
        let process = FullDiskProcess(disk, backend)
        var points = 0
        do {
            for moment in Moment.allCases where moment != .killed || backend.profile.survivesCrash {
                var pages = 0
                while true {
                    ConformanceWorker.say("point\tfilled to \(pages) pages, \(moment)")
                    let before = process.refusals
                    try process.fill(leaving: pages, at: moment)
                    points += 1
                    if process.refusals == before { break }
                    pages += pages < 16 ? 1 : pages / 4
                }
            }
        } catch {
            ConformanceWorker.say("wrong\t\(error)")
            return 0
        }
        ConformanceWorker.say("done\t\(points)\t\(process.refusals)")
        return 0
    }

    /// Opens stores twice while the disk has not a page left, reads them, and says what came of it that must not be.
    static func read(_ disk: String, _ backend: any ConformanceBackend) -> Int32 {
        let process = FullDiskProcess(disk, backend)
        do {
            for moment in [Moment.closed, .killed] {
                ConformanceWorker.say("point\tfilled, \(moment)")
                let directory = disk + "/store"
                process.expected = [:]
                _ = try process.prepare(moment, directory)
                try process.fillDisk(leaving: 0)
                for opening in 1...2 {
                    let site = backend.site(at: directory)
                    try process.check(site.open(), isStrict: true, "opening \(opening)")
                    site.closeAll()
                }
                TemporaryDirectory.remove(disk + "/ballast")
                TemporaryDirectory.remove(directory)
            }
        } catch {
            ConformanceWorker.say("wrong\texpected to read the store, got \(error)")
            return 0
        }
        ConformanceWorker.say("done\t2\t\(process.expected.count)")
        return 0
    }

    /// Fills the disk but for so many pages at `moment`, uses the cache, and makes room again.
    private func fill(leaving pages: Int, at moment: Moment) throws {
        let directory = disk + "/store"
        defer { TemporaryDirectory.remove(directory) }
        expected = [:]
        var cache = try prepare(moment, directory)
        let site = backend.site(at: directory)
        try fillDisk(leaving: pages)
        if cache == nil {
            do {
                cache = (try site.open(), site)
            } catch {
                try refused(error, "opening")
            }
        }
        if let cache {
            try look(cache.site)
            for round in 1...3 { try write(round, to: cache.cache) }
            try look(cache.site)
        }
        TemporaryDirectory.remove(disk + "/ballast")
        // Once there is room, nothing fails, and nothing is gone.
        let opened = try cache ?? (site.open(), site)
        try check(opened.cache, isStrict: moment != .new || cache != nil, "once there is room")
        let before = refusals
        try write(9, FullDiskProcess.people.prefix(3), to: opened.cache)
        guard refusals == before else {
            throw CheckFailure("once there is room: expected writes to succeed, got errors.")
        }
        opened.site.closeAll()
        let again = backend.site(at: directory)
        try check(again.open(), isStrict: true, "after reopening")
        again.closeAll()
    }

    /// A store as it is at `moment`, and its cache where that is open.
    private func prepare(
        _ moment: Moment, _ directory: String
    ) throws -> (cache: any ConformanceCache, site: any CacheSite)? {
        guard moment != .new else { return nil }
        let site = backend.site(at: moment == .killed ? disk + "/original" : directory)
        let cache = try site.open()
        try write(0, to: cache)
        if moment == .open { return (cache, site) }
        if moment == .killed {
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
            let original = site.directory ?? ""
            try TemporaryDirectory.copy(original, directory)
            // A killed process leaves its lock file too. Reading the file releases the lock, which no other process
            // needs here.
            for name in try TemporaryDirectory.names(in: original) where name.lowercased().hasPrefix("lock") {
                let bytes = FileManager.default.contents(atPath: "\(original)/\(name)") ?? Data()
                try TemporaryDirectory.writeFile("\(directory)/\(name)", [UInt8](bytes))
            }
        }
        site.closeAll()
        TemporaryDirectory.remove(disk + "/original")
        return nil
    }

    private func fillDisk(leaving pages: Int) throws {
        let file = unsafe open(disk + "/ballast", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw CheckFailure("the disk: expected a file to be made, got error \(errno).") }
        defer { _ = close(file) }
        var length = 0
        for size in [1 << 20, FullDiskProcess.pageBytes] {
            let bytes = [UInt8](repeating: 0xFF, count: size)
            while true {
                let count = unsafe bytes.withUnsafeBytes { unsafe pwrite(file, $0.baseAddress, size, off_t(length)) }
                guard count > 0 else { break }
                length += count
            }
        }
        guard ftruncate(file, off_t(max(length - pages * FullDiskProcess.pageBytes, 0))) == 0 else {
            throw CheckFailure("the disk: expected a file to be cut, got error \(errno).")
        }
    }

    /// Opens two hundred views at once, and reads through each.
    private func look(_ site: any CacheSite) throws {
        let store = try site.interceptor.store()
        var views: [any NodeView] = []
        defer { for view in views { view.end() } }
        do {
            for _ in 0..<200 {
                let view = try store.view()
                views.append(view)
                _ = try view.get(SealedRecord.key("Person:0"))
            }
        } catch {
            try refused(error, "200 views at once")
        }
    }

    /// Writes people with an age that says the round, and checks at once what each person is then.
    private func write(
        _ round: Int, _ people: Range<Int> = FullDiskProcess.people, to cache: any ConformanceCache
    ) throws {
        for number in people {
            let age = round * 10 + number
            let size = [20, 300, 3_000, 20_000][(round + number) % 4]
            do {
                try cache.write(
                    Person(id: "Person:\(number)", name: String(repeating: "n", count: size), age: age))
                expected[number] = age
            } catch {
                try refused(error, "a write")
            }
            try check(cache, isStrict: false, "after a write")
        }
    }

    /// Checks that each person is what was written last.
    ///
    /// - Parameter isStrict: whether it must be there; while the disk is full a read may fail, typed.
    private func check(_ cache: any ConformanceCache, isStrict: Bool, _ moment: String) throws {
        for number in FullDiskProcess.people {
            let read: CacheRead<Person>
            do {
                read = try cache.read("Person:\(number)", as: Person.self)
            } catch {
                guard !isStrict else { throw CheckFailure("\(moment): expected a read to succeed, got \(error).") }
                try refused(error, "a read")
                continue
            }
            let mayMiss = !isStrict || !backend.profile.survivesCrash
            guard read.value?.age == expected[number] || read.value == nil && mayMiss else {
                throw CheckFailure(
                    "\(moment): expected Person:\(number) of age \(expected[number] ?? -1), got \(read.value?.age ?? -1)."
                )
            }
        }
    }

    /// Counts `error`, which must be one that a full disk explains.
    private func refused(_ error: any Error, _ what: String) throws {
        let allowed: [CacheError.Code] = [.full, .inputOutput]
        guard let code = (error as? CacheError)?.code, allowed.contains(code) else {
            throw CheckFailure("\(what): expected one of the errors \(allowed), got \(error).")
        }
        refusals += 1
    }
}

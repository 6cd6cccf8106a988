import GroveCache
import GroveModel
import Synchronization

/// LIF: copies of a store that is in use.
enum CopyRules {
    static let all = [whole, interrupted]

    private static let count = 300

    private static func people(_ age: Int) -> [Person] { (0..<count).map { Person(id: "Person:\($0)", age: age) } }

    private static func outcome(_ body: () async throws(CacheError) -> Void) async -> Result<Void, CacheError> {
        do throws(CacheError) { return .success(try await body()) } catch { return .failure(error) }
    }

    static let whole = Rule(
        "LIF-13",
        "A copy made beside a writer is a store of one moment, with all that was called before, and lives by itself afterwards.",
        because:
            "A file that is copied while it is written mixes two moments, and a backup is looked at when it is too late.",
        requires: [.persistent, .storedBytes], kills: ["copies-a-part"], timeLimit: .seconds(120)
    ) { trial in
        let cache = try trial.cache()
        let folder = try TemporaryDirectory.make()
        defer { TemporaryDirectory.remove(folder) }
        let round = Atomic(1)
        let isOver = Atomic(false)
        try cache.writeCollection(people(1), forKey: "people")
        let writer = Threads.start { () throws -> Int in
            while !isOver.load(ordering: .relaxed) {
                let next = round.load(ordering: .relaxed) + 1
                try cache.writeCollection(people(next), forKey: "people")
                round.store(next, ordering: .sequentiallyConsistent)
            }
            return 0
        }
        // Also if a check fails.
        defer { isOver.store(true, ordering: .relaxed) }
        for number in 0..<5 {
            let path = folder + "/copy \(number)"
            if number == 1 { try TemporaryDirectory.make(at: path) }
            cache.setModel(Person(id: "queued", age: number), forKey: "queued", context: nil)
            let first = round.load(ordering: .sequentiallyConsistent)
            try await cache.copy(to: path)
            let last = round.load(ordering: .sequentiallyConsistent) + 1
            let site = trial.backend.site(at: path)
            let copy = try site.open()
            defer { site.closeAll() }
            let found = try trial.expectHit(try copy.readCollection("people", as: Person.self), "a list in a copy")
            try trial.expectEqual(found.values.map(\.id), people(0).map(\.id), "the list's elements in a copy")
            let ages = Set(found.values.map { $0.age ?? 0 })
            try trial.expect(
                ages.count == 1 && ages.allSatisfy { (first...last).contains($0) },
                "a list in a copy: expected one of its versions \(first) to \(last), got a mixture or another: \(brief(ages.sorted()))."
            )
            try trial.expectHit(
                try copy.read("queued", as: Person.self), Person(id: "queued", age: number), "what was queued before")
            try copy.write(Person(id: "queued", age: -1))
            try trial.expectHit(
                try cache.read("queued", as: Person.self), Person(id: "queued", age: number), "what the copy replaced")
            let second = await outcome { () async throws(CacheError) in try await cache.copy(to: path) }
            try trial.expectError(.notAStore, from: "a second copy to one place") { try second.get() }
            try trial.expectHit(
                try copy.read("queued", as: Person.self), Person(id: "queued", age: -1), "what is in that place")
        }
        isOver.store(true, ordering: .relaxed)
        _ = try writer.wait()
    }

    static let interrupted = Rule(
        "LIF-14", "A copy that was interrupted is told `notAStore` when it is opened; it is never taken for the whole.",
        because: "A backup that lacks something looks like one that lacks nothing.",
        requires: [.persistent, .storedBytes, .processes], kills: ["marks-copies-first"], timeLimit: .seconds(120)
    ) { trial in
        guard let worker = trial.backend.worker else { return }
        let site = try trial.site()
        let people = (0..<6_000).map { Person(id: "Person:\($0)", name: String(repeating: "x", count: 2_000)) }
        func fill() throws {
            try site.open().writeCollection(people, forKey: "people")
            site.closeAll()
        }
        try fill()
        var interruptions = 0
        let folder = try TemporaryDirectory.make()
        defer { TemporaryDirectory.remove(folder) }
        // The process that is killed has what it copies open, too.
        let survivesKills = trial.backend.capabilities.contains(.survivesCrash)
        for number in 0..<(survivesKills ? 12 : 4) {
            if number > 0, !survivesKills { try fill() }
            let path = folder + "/copy \(number)"
            let process = try ChildProcess(worker, ["copy", site.directory ?? "", path])
            try trial.expectEqual(
                process.nextLine(within: .seconds(30)), .line("copying"), "a process that copies (\(process.errorText))"
            )
            // The first time it may end; then it is killed once there is so much of the copy.
            let bytes = number << 20
            let isKilled = number > 0
            while isKilled, (try? TemporaryDirectory.bytesOnDisk(path)) ?? -1 < bytes,
                process.nextLine(within: .milliseconds(1)) == .timedOut
            {}
            if isKilled { process.kill() }
            process.wait()
            guard (try? TemporaryDirectory.names(in: path).isEmpty) == false else { continue }
            let copySite = trial.backend.site(at: path)
            defer { copySite.closeAll() }
            do {
                let found = try copySite.open().readCollection("people", as: Person.self)
                try trial.expectEqual(found.value?.values.count, people.count, "the elements of a copy that opens")
            } catch let error as CacheError {
                try trial.expectEqual(error.code, .notAStore, "the error of opening a copy that was interrupted")
                interruptions += 1
            }
        }
        try trial.expect(interruptions > 0, "the copies: expected some to be interrupted, and none was.")
        trial.note("\(interruptions) copies interrupted")
    }
}

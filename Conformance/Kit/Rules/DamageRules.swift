import GroveCache
import GroveModel
import GrovePlatform

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// DUR: files that were cut off, changed, or set aside.
enum DamageRules {
    static let all = [truncated, flipped, beginnings, wiped, setAside, healed]

    static let truncated = Rule(
        "DUR-06",
        "A file cut off anywhere gives right values, misses, typed errors or an earlier state whole, never a mixture.",
        because: "Copies break off and disks lose ends.", requires: [.persistent, .processes],
        kills: ["splits-commits"], timeLimit: .seconds(240)
    ) { trial in
        var generator = trial.generator()
        let check = try DamageCheck(trial, using: &generator)
        for file in check.files {
            // A log is short. The kit does not know at which of its bytes a commit ends, but the last commit ends near
            // the end of the file.
            let count = file.size <= 8_192 ? file.size : 150
            let tail = Set(stride(from: max(0, file.size - 1_024), to: file.size, by: 16))
            let lengths = tail.union(spread(count, upTo: file.size, using: &generator).map { $0 - 1 })
            for length in lengths.sorted() {
                try check.damage(file.name, "\(length) of \(file.size) bytes left") { $0 = Array($0.prefix(length)) }
            }
        }
        trial.note("\(check.tries) lengths, \(check.deaths) deaths of the process")
    }

    static let flipped = Rule(
        "DUR-07",
        "Any flipped bit gives right values, misses, typed errors or an earlier state whole, never another's value; older "
            + "records beside others are counted where the engine's pages have no checksum.",
        because: "Memory cards forget single bits.", requires: [.persistent, .processes], kills: ["trusts-frames"],
        timeLimit: .seconds(240)
    ) { trial in
        var generator = trial.generator()
        let check = try DamageCheck(trial, using: &generator)
        for file in check.files {
            for place in spread(150, upTo: file.size, using: &generator).map({ $0 - 1 }) {
                let bit = UInt8.random(in: 0..<8, using: &generator)
                try check.damage(file.name, "bit \(bit) of byte \(place) flipped") { $0[place] ^= 1 << bit }
            }
        }
        trial.note("\(check.tries) bits, \(check.deaths) deaths of the process, \(check.mixtures) mixtures of states")
    }

    static let beginnings = Rule(
        "DUR-14", "A store that is damaged at its beginning, where engines know their files by, opens or is made anew.",
        because: "A cache that does not start again is worse than an empty one.", requires: [.persistent, .processes],
        kills: ["refuses-damage"], timeLimit: .seconds(240)
    ) { trial in
        var generator = trial.generator()
        let check = try DamageCheck(trial, using: &generator)
        for budget in trial.profile.isEvicting ? [0, 6 << 20] : [0] {
            for file in check.files {
                for (name, byte) in [("zeroed", UInt8(0)), ("overwritten", 0x5A)] {
                    try check.damage(file.name, "its first page \(name)", budget: budget, mayDie: false) { bytes in
                        for place in bytes.indices.prefix(4_096) { bytes[place] = byte }
                    }
                }
                for length in [0, 1, 16, 100, 512, 4_096, 5_000] where length < file.size {
                    try check.damage(file.name, "\(length) of \(file.size) bytes left", budget: budget, mayDie: false) {
                        $0 = Array($0.prefix(length))
                    }
                }
                for place in [0, 4_096].flatMap({ $0..<$0 + 192 }) where place < file.size {
                    let bit = UInt8.random(in: 0..<8, using: &generator)
                    try check.damage(file.name, "bit \(bit) of byte \(place) flipped", budget: budget, mayDie: false) {
                        $0[place] ^= 1 << bit
                    }
                }
            }
        }
        trial.note(
            "\(check.tries) damages, \(check.deaths) deaths of the process, \(check.mixtures) mixtures of states")
    }

    static let wiped = Rule(
        "DUR-10", "After `wipe` no file holds a byte of the old content, set-aside files included.",
        because: "Who logs out leaves nothing behind.", requires: [.persistent, .directory, .wipe, .reopen],
        kills: ["wipe-renames"], timeLimit: .seconds(60)
    ) { trial in
        let site = try trial.site()
        guard let directory = site.directory else { return }
        let marker = "a secret that must not stay"
        var cache = try site.open()
        for round in 0..<3 {
            try cache.write(contentsOf: (0..<50).map { Person(id: "Person:\($0)", name: "\(marker) \(round)") })
        }
        try cache.write(Person(id: "Person:short", name: marker))
        cache.close()
        try trial.expect(
            try !TemporaryDirectory.files(in: directory, holding: Array(marker.utf8)).isEmpty,
            "the files before the wipe: expected the content in one, found it in none.")
        try DamageRules.spoil(directory)
        cache = try site.open()
        try trial.expectMiss(
            try cache.read("Person:short", as: Person.self), .absent, nil, "a model of a store that was set aside")
        try cache.write(Person(id: "Person:short", name: marker))
        try cache.wipe()
        try trial.expectEqual(
            try TemporaryDirectory.files(in: directory, holding: Array(marker.utf8)), [],
            "the files that hold old content after a wipe")
    }

    static let setAside = Rule(
        "DUR-11", "A store that cannot be opened is set aside, one set at most, and a new one works.",
        because: "A cache that does not start is worse than an empty one, and sets must not heap up.",
        requires: [.persistent, .directory, .wipe, .reopen], kills: ["starts-empty"], timeLimit: .seconds(60)
    ) { trial in
        let site = try trial.site()
        guard let directory = site.directory else { return }
        for round in 0..<3 {
            let cache = try site.open()
            try trial.expectMiss(
                try cache.read("Person:1", as: Person.self), .absent, nil,
                "a model from before set \(round) was set aside")
            try cache.write(Person(id: "Person:1", age: round))
            cache.close()
            try trial.expectHit(
                try site.open().read("Person:1", as: Person.self), Person(id: "Person:1", age: round),
                "a model in the new store")
            site.closeAll()
            let count = try FileManager.default.subpathsOfDirectory(atPath: directory).count
            try trial.expect(count < 24, "the files after set \(round): expected one set aside, got \(count) files.")
            try DamageRules.spoil(directory)
        }
    }

    static let healed = Rule(
        "DUR-15",
        "A store that is damaged inside, though it opens, is made again, empty, after a few calls that met the damage, and stays so.",
        because: "A cache whose reads fail for ever, also after a relaunch, is worse than an empty one.",
        requires: [.persistent, .directory, .reopen], kills: ["keeps-torn-tail"], timeLimit: .seconds(120)
    ) { trial in
        let site = try trial.site()
        guard let directory = site.directory else { return }
        var cache = try site.open()
        let people = (0..<4_000).map { (number: Int) in
            Person(id: "Person:\(number)", name: String(repeating: "name \(number) ", count: 200), age: number)
        }
        for start in stride(from: 0, to: people.count, by: 500) {
            try cache.write(contentsOf: Array(people[start..<(start + 500)]))
        }
        cache.close()
        site.closeAll()
        // Where a damaged page may end the process, the rule says only that a whole store is not taken for a damaged
        // one.
        if trial.profile.hasUnverifiedPages {
            trial.note("SKIPPED: the damage, which may end the process")
        } else {
            try DamageRules.spoilInside(directory)
        }

        cache = try site.open()
        var failures = 0
        func attempt(_ what: String, _ body: () throws(CacheError) -> Void) throws {
            do throws(CacheError) {
                try body()
            } catch {
                try trial.expectEqual(error.code, .corrupted, what)
                failures += 1
                // The cache heals the store on another thread, beside the calls: this gives it time.
                usleep(10_000)
            }
        }
        for round in 0..<3 {
            for person in people {
                try attempt("a read of a damaged store") { () throws(CacheError) in
                    _ = try cache.read(person.modelIdentifier ?? "", as: Person.self)
                }
            }
            try attempt("a write to a damaged store") { () throws(CacheError) in
                _ = try cache.write(Person(id: "Person:\(round * 1_000)", age: round))
            }
        }
        try trial.expect(
            failures < 50, "failures until a damaged store was made again: expected a few, got \(failures).")
        for round in 0..<2 {
            try cache.write(Person(id: "Person:later", age: round))
            for person in people.prefix(100) { _ = try cache.read(person.modelIdentifier ?? "", as: Person.self) }
            cache.close()
            site.closeAll()
            cache = try site.open()
            try trial.expectHit(
                try cache.read("Person:later", as: Person.self), Person(id: "Person:later", age: round),
                "what was written to a store that was made again")
        }
    }

    /// Damages the beginning of every sixteenth page in the third quarter of every large file of a closed store.
    private static func spoilInside(_ directory: String) throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: directory) {
            let path = "\(directory)/\(name)"
            guard var bytes = FileManager.default.contents(atPath: path), bytes.count > 256 << 10 else { continue }
            let pages = bytes.count / 4_096
            for page in stride(from: pages / 2, to: pages / 4 * 3, by: 16) {
                for index in (page * 4_096)..<(page * 4_096 + 8) { bytes[index] = 0x5A }
            }
            try TemporaryDirectory.writeFile(path, Array(bytes))
        }
    }

    /// Cuts every file of a closed store in half.
    private static func spoil(_ directory: String) throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: directory) {
            let path = "\(directory)/\(name)"
            guard let bytes = FileManager.default.contents(atPath: path), !["LOCK", "lock.mdb"].contains(name) else {
                continue
            }
            try TemporaryDirectory.writeFile(path, Array(bytes.prefix(bytes.count / 2)))
        }
    }
}

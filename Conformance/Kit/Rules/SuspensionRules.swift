import GroveCache
import GroveModel

/// LIF: stores that are let go of, and stores that others replace.
enum SuspensionRules {
    static let all = [suspended, replaced]

    static let suspended = Rule(
        "LIF-09",
        "After `suspend` no descriptor of the store is open and calls fail typed; `resume` brings everything back.",
        because: "A system that stops applications ends one that holds a lock while it sleeps.",
        requires: [.suspend, .flush], kills: ["leaks-descriptors", "keeps-lock"], timeLimit: .seconds(60)
    ) { trial in
        let site = try trial.site()
        let cache = try site.open()
        let message = Message.full("Message:1", salt: 1)
        try cache.write(message)
        try cache.writeCollection([Person(id: "Person:1")], forKey: "all")
        cache.setModel(Person(id: "Person:2", age: 2), forKey: "Person:2", context: nil)
        for round in 1...3 {
            try cache.suspend()
            try cache.suspend()
            try expectNoDescriptor(trial, site.directory)
            try trial.expectError(.suspended, from: "a read") { try cache.read("Message:1", as: Message.self) }
            try trial.expectError(.suspended, from: "a write") { try cache.write(Person(id: "Person:3")) }
            try trial.expectError(.suspended, from: "a collection's read") {
                try cache.readCollection("all", as: Person.self)
            }
            try trial.expectError(.suspended, from: "a deletion") { try cache.delete("Message:1") }
            try trial.expectError(.suspended, from: "a wipe") { try cache.wipe() }
            try trial.expectError(.suspended, from: "a flush") { try cache.flush() }
            try trial.expectError(.suspended, from: "the size") { try cache.size() }
            try trial.expectError(.suspended, from: "a completion") {
                try cache.model(forKey: "Message:1", as: Message.self)
            }
            try expectFree(trial, site)
            cache.setModel(Person(id: "Person:set", age: round), forKey: "Person:set", context: nil)
            try cache.resume()
            try cache.resume()
            try trial.expectHit(
                try cache.read("Message:1", as: Message.self), message, "a tree from before the suspension")
            try trial.expectHit(
                try cache.read("Person:2", as: Person.self), Person(id: "Person:2", age: 2),
                "what was queued before the suspension")
            try trial.expectHit(
                try cache.readCollection("all", as: Person.self), ReadElements([Person(id: "Person:1")]),
                "a collection from before the suspension")
            try trial.expectMiss(
                try cache.read("Person:set", as: Person.self), nil, "Person:set",
                "what was set anew while the cache was suspended")
            try trial.expectError(.suspended, from: "the flush that tells what was refused") { try cache.flush() }
            try cache.flush()
            try cache.write(Person(id: "Person:set", age: -round))
            try trial.expectHit(
                try cache.read("Person:set", as: Person.self), Person(id: "Person:set", age: -round),
                "what was written after the resumption")
        }
        try cache.suspend()
        cache.close()
        try trial.expectError(.closed, from: "a resumption after the close") { try cache.resume() }
        guard trial.profile.isPersistent else { return }
        try trial.expectHit(
            try site.open().read("Message:1", as: Message.self), message, "a tree after a close while suspended")
    }

    static let replaced = Rule(
        "LIF-10",
        "When another process wipes the store, a handle opened before never serves the old content; nor does one that resumes after the files were replaced.",
        because: "Whoever logs out in one process must not be read in another.",
        requires: [.persistent, .processes, .suspend], kills: ["takes-no-lock"], timeLimit: .seconds(120)
    ) { trial in
        guard let worker = trial.backend.worker else { return }
        for job in ["wipe", "replace"] {
            let site = try trial.site()
            let cache = try site.open()
            let old = Message.full("Message:old", salt: 1)
            for round in 1...3 {
                try cache.write(old)
                try cache.writeCollection([Person(id: "Person:old")], forKey: "old")
                let child = try ChildProcess(worker, [job, site.directory ?? "", "\(round)"])
                let lines = child.lines(within: .seconds(60)).lines
                try trial.expectEqual(child.wait(), .exited(0), "the process that is to \(job) (\(child.errorText))")
                guard trial.profile.isMultiProcess else {
                    try trial.expectEqual(lines, ["opening\tlocked"], "what a second process is told")
                    try trial.expectHit(
                        try cache.read("Message:old", as: Message.self), old, "a tree that nobody could wipe")
                    continue
                }
                try trial.expectEqual(lines, ["done"], "what a second process says")
                // What goes on without Grove is looked at when the cache resumes.
                if job == "replace" {
                    try cache.suspend()
                    try cache.resume()
                }
                try trial.expectMiss(
                    try cache.read("Message:old", as: Message.self), nil, nil, "a tree that another process removed")
                try trial.expectMiss(
                    try cache.readCollection("old", as: Person.self), nil, nil,
                    "a collection that another process removed")
                try trial.expectHit(
                    try cache.read("peer", as: Person.self), Person(id: "peer", age: round),
                    "what another process wrote afterwards")
                try cache.write(Person(id: "Person:here", age: -round))
                try trial.expectHit(
                    try cache.read("Person:here", as: Person.self), Person(id: "Person:here", age: -round),
                    "what this process wrote afterwards")
                let other = try ChildProcess(worker, ["see", site.directory ?? "", "Person:here"])
                try trial.expectEqual(
                    other.lines(within: .seconds(30)).lines, ["age\t\(-round)"],
                    "what another process reads of that (\(other.errorText))")
                _ = other.wait()
            }
        }
    }

    /// Counts the descriptors of this process that lead into `directory`.
    private static func expectNoDescriptor(_ trial: Trial, _ directory: String?) throws {
        guard let directory else { return }
        guard let open = TemporaryDirectory.descriptors(into: directory) else {
            return trial.note("SKIPPED: this system does not list a process's descriptors")
        }
        try trial.expectEqual(open, [], "the descriptors of a suspended store")
    }

    /// Lets another process open the store, also one that only one process may have open.
    private static func expectFree(_ trial: Trial, _ site: any CacheSite) throws {
        guard trial.profile.isPersistent else { return }
        guard let worker = trial.backend.worker, let directory = site.directory else {
            return trial.note("SKIPPED: no process can be started that opens the suspended store")
        }
        let child = try ChildProcess(worker, ["see", directory, "Person:2"])
        try trial.expectEqual(
            child.lines(within: .seconds(30)).lines, ["age\t2"],
            "what another process reads of a suspended store (\(child.errorText))")
        _ = child.wait()
    }
}

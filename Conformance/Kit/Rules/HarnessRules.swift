import GroveCache
import GroveModel

/// HAR: that the harness gives the kit what the other rules rely on.
enum HarnessRules {
    static let all = [separate, reopened, profile]

    static let separate = Rule(
        "HAR-01", "Two harnesses share no data.",
        because: "Rules that see each other's writes prove nothing.", kills: ["shared-state"]
    ) { trial in
        let (one, two) = (try trial.cache(), try trial.cache())
        try one.write(Person(id: "Person:1"))
        try one.writeCollection([Person(id: "Person:1")], forKey: "all")
        try trial.expectMiss(
            try two.read("Person:1", as: Person.self), .absent, "Person:1", "a node that another cache wrote")
        try trial.expectMiss(
            try two.readCollection("all", as: Person.self), .absent, "all", "a collection that another cache wrote")
    }

    static let reopened = Rule(
        "HAR-02", "Reopening the same harness sees earlier data.",
        because: "A store that is persistent keeps what was committed.", requires: [.persistent, .reopen],
        kills: ["starts-empty", "keeps-lock"]
    ) { trial in
        let site = try trial.site()
        let message = Message.full("Message:1")
        let cache = try site.open()
        try cache.write(message)
        cache.setModel(Person(id: "Person:2"), forKey: "Person:2", context: nil)
        cache.close()
        let again = try site.open()
        try trial.expectHit(try again.read("Message:1", as: Message.self), message, "a tree after reopening")
        try trial.expectHit(
            try again.read("Person:2", as: Person.self), Person(id: "Person:2"),
            "a model that was queued when the cache was closed")
    }

    static let profile = Rule(
        "HAR-03", "The profile tells the truth.",
        because: "Users choose by it, and it decides which rules run.", requires: [.reopen, .close],
        kills: ["starts-empty", "silent-loss"]
    ) { trial in
        let profile = trial.profile
        let site = try trial.site()
        try trial.expectEqual(site.directory != nil, profile.isPersistent, "whether the store has a directory")
        let cache = try site.open()
        let people = (0..<2_000).map { Person(id: "Person:\($0)", name: String(repeating: "n", count: 500)) }
        _ = try cache.write(contentsOf: people)
        // A store keeps everything as long as it has no budget; a bare delegate may have one of its own.
        if trial.hasTypedCalls || !profile.isEvicting {
            for person in people {
                try trial.expectHit(
                    try cache.read(ModelIdentifier(person.id), as: Person.self), person,
                    "a node of a store without a budget")
            }
        }
        cache.close()
        let again = try site.open().read("Person:1", as: Person.self)
        if profile.isPersistent {
            try trial.expectHit(again, people[1], "a node of a persistent store after reopening")
        } else {
            try trial.expectMiss(again, .absent, "Person:1", "a node of a store that is not persistent after reopening")
        }
        try trial.expectEqual(
            profile.livePayloadShare > 0, profile.isEvicting, "whether a share of a budget is declared")
        try trial.expect(
            profile.maxValueBytes >= 16 << 20,
            "the largest value: expected 16 MB at least, got \(profile.maxValueBytes) bytes.")
        try trial.expect(!profile.name.isEmpty, "the backend's name: expected one, got none.")
        if profile.survivesCrash || profile.isMultiProcess {
            try trial.expect(profile.isPersistent, "a store that survives or is shared: expected it to be persistent.")
        }
    }
}

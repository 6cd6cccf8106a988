import Dispatch
import GroveCache
import GroveModel

/// PRJ: several types over one record.
enum ProjectionRules {
    static let all = [
        keepsOthers, incomplete, shared, explicitNil, deletion, concurrent, rewritten, otherRecord, places,
    ]

    static let keepsOthers = Rule(
        "PRJ-01", "Writing Small keeps the fields that only Full carries.",
        because: "A list that shows names must not erase biographies.", requires: [.normalizes],
        kills: ["forgets-projections"]
    ) { trial in
        let cache = try trial.cache()
        try cache.write(FullProfile(id: "Profile:1", name: "Ada"))
        try cache.write(SmallProfile(id: "Profile:1", name: "Countess"))
        try trial.expectHit(
            try cache.read("Profile:1", as: FullProfile.self), FullProfile(id: "Profile:1", name: "Countess"),
            "Full after Small was written over it")
    }

    static let incomplete = Rule(
        "PRJ-02", "Full after only Small: miss.",
        because: "What was never stored cannot be read.", requires: [.normalizes], kills: ["gives-no-reason"]
    ) { trial in
        let cache = try trial.cache()
        try cache.write(SmallProfile(id: "Profile:1"))
        try trial.expectMiss(
            try cache.read("Profile:1", as: FullProfile.self), .incomplete, "Profile:1",
            "Full after only Small was written")
        try trial.expectMiss(
            try cache.read("Profile:1", as: ProfileBio.self), .incomplete, "Profile:1",
            "an optional field that no writer carried")
        try cache.write(FullProfile(id: "Profile:1"))
        try trial.expectHit(
            try cache.read("Profile:1", as: FullProfile.self), FullProfile(id: "Profile:1"), "Full after it was written"
        )
        let whole = AddressProfile(id: "Profile:2")
        try cache.write(whole)
        try cache.write(TownProfile(id: "Profile:2"))
        // A cache may know the field still, which it was not told anything new about; it must not read `nil`.
        let inside = try cache.read("Profile:2", as: AddressProfile.self)
        let what = "an optional field of a value in place that another projection has written over"
        if inside.value == nil {
            try trial.expectMiss(inside, .incomplete, "Profile:2", what)
        } else {
            try trial.expectHit(inside, whole, what)
        }
        try cache.write(whole)
        try trial.expectHit(
            try cache.read("Profile:2", as: AddressProfile.self), whole, "the value in place after it was written anew")
        try trial.expectHit(
            try cache.read("Profile:2", as: TownProfile.self), TownProfile(id: "Profile:2"), "the smaller one")
    }

    static let shared = Rule(
        "PRJ-03", "Shared fields show the newest write from either type.",
        because: "There is one person, whoever reads.", requires: [.typedCalls], kills: ["first-write-wins"]
    ) { trial in
        let cache = try trial.cache()
        for round in 0..<4 {
            try cache.write(FullProfile(id: "Profile:9", name: "full \(round)"))
            try trial.expectHit(
                try cache.read("Profile:9", as: SmallProfile.self),
                SmallProfile(id: "Profile:9", name: "full \(round)"),
                "Small after Full was written")
            try cache.write(SmallProfile(id: "Profile:9", name: "small \(round)"))
            try trial.expectHit(
                try cache.read("Profile:9", as: FullProfile.self), FullProfile(id: "Profile:9", name: "small \(round)"),
                "Full after Small was written")
        }
    }

    static let explicitNil = Rule(
        "PRJ-04", "Explicit nil overwrites; an absent field does not.",
        because: "\"No biography\" is news, and \"biography not fetched\" is none.",
        requires: [.normalizes], kills: ["forgets-projections", "ignores-nothing"]
    ) { trial in
        let cache = try trial.cache()
        try cache.write(FullProfile(id: "Profile:1", bio: "long", mail: "a@b"))
        try cache.write(SmallProfile(id: "Profile:1", name: "Ada"))
        try trial.expectEqual(
            try cache.read("Profile:1", as: FullProfile.self).value?.bio, "long", "a field that the writer lacks")
        try cache.write(ProfileBio(id: "Profile:1", bio: nil))
        try trial.expectHit(
            try cache.read("Profile:1", as: FullProfile.self), FullProfile(id: "Profile:1", bio: nil, mail: "a@b"),
            "Full after another type wrote nil over one of its fields")
    }

    static let deletion = Rule(
        "PRJ-05", "Deletion covers all projections.",
        because: "There is one person to delete.", kills: ["delete-forgotten"]
    ) { trial in
        let cache = try trial.cache()
        try cache.write(FullProfile(id: "Profile:1"))
        try cache.write(SmallProfile(id: "Profile:1"))
        try cache.delete("Profile:1")
        try trial.expectMiss(
            try cache.read("Profile:1", as: FullProfile.self), .deleted, "Profile:1", "Full after the deletion")
        try trial.expectMiss(
            try cache.read("Profile:1", as: SmallProfile.self), .deleted, "Profile:1", "Small after the deletion")
        try cache.write(SmallProfile(id: "Profile:1", name: "new"))
        try trial.expectMiss(
            try cache.read("Profile:1", as: FullProfile.self), .incomplete, "Profile:1",
            "Full after Small was written anew: the deleted fields")
    }

    static let concurrent = Rule(
        "PRJ-06", "Concurrent Small and Full writers lose no field.",
        because: "Reading, merging and writing must be one step.", requires: [.normalizes, .flush],
        kills: ["forgets-projections"]
    ) { trial in
        let cache = try trial.cache()
        DispatchQueue.concurrentPerform(iterations: 500) { index in
            let id = "Profile:\(index / 2 % 50)"
            if index % 2 == 0 {
                _ = try? cache.write(ProfileBio(id: id, bio: "bio of \(id)"))
            } else {
                _ = try? cache.write(SmallProfile(id: id, name: "name of \(id)"))
            }
        }
        for index in 0..<50 {
            let id = ModelIdentifier("Profile:\(index)")
            try trial.expectHit(
                try cache.read(id, as: ProfileBio.self), ProfileBio(id: id.rawValue, bio: "bio of \(id)"),
                "the field of one of two concurrent writers")
            try trial.expectHit(
                try cache.read(id, as: SmallProfile.self), SmallProfile(id: id.rawValue, name: "name of \(id)"),
                "the field of the other")
        }
    }

    static let rewritten = Rule(
        "PRJ-07", "The same projection written again drops what only it had carried.",
        because: "What a type no longer has must not linger.", requires: [.typedCalls], kills: ["first-write-wins"]
    ) { trial in
        let cache = try trial.cache()
        try cache.write(FullProfile(id: "Profile:9", bio: "old"))
        try cache.write(FullProfileWithoutBio(id: "Profile:9"))
        try cache.write(SmallProfile(id: "Profile:9"))
        try trial.expectHit(
            try cache.read("Profile:9", as: FullProfile.self), FullProfile(id: "Profile:9", bio: nil),
            "Full after it was written without one of its fields")
        try trial.expectMiss(
            try cache.read("Profile:9", as: ProfileBio.self), .incomplete, "Profile:9", "the field by itself")
        try cache.write(ProfileBio(id: "Profile:2", bio: "kept"))
        try cache.write(FullProfile(id: "Profile:2", bio: "newer"))
        try cache.write(FullProfileWithoutBio(id: "Profile:2"))
        try trial.expectHit(
            try cache.read("Profile:2", as: ProfileBio.self), ProfileBio(id: "Profile:2", bio: "newer"),
            "a field that another projection carries too")
    }

    static let otherRecord = Rule(
        "PRJ-08",
        "A different record name under the identifier replaces; the other type then reads a miss `.otherType`.",
        because: "Two types that never agreed to share must not be mixed.", requires: [.observer],
        kills: ["gives-no-reason"]
    ) { trial in
        let observer = RecordingObserver()
        let cache = try trial.site().open(observer: observer)
        try cache.write(Person(id: "x", age: 1))
        try cache.write(Company(id: "x"))
        try trial.expectHit(try cache.read("x", as: Company.self), Company(id: "x"), "the type that was written last")
        try trial.expectMiss(try cache.read("x", as: Person.self), .otherType, "x", "the type that was written before")
        try trial.expect(
            observer.wait { $0.misses.contains(CacheMiss(.otherType, "x")) },
            "the observer: expected to hear of the miss, heard \(observer.misses).")
        try cache.write(Person(id: "x", age: 2))
        try trial.expectHit(try cache.read("x", as: Person.self), Person(id: "x", age: 2), "the first type again")
    }

    static let places = Rule(
        "PRJ-09",
        "A reference is held or deleted by the place in time of the write that set it, whichever projection wrote since.",
        because: "A list that shows one child must not bring back another that was deleted.",
        requires: [.normalizes], kills: ["delete-forgotten"]
    ) { trial in
        let cache = try trial.cache()
        let whole = Twin("Twin:a", left: Twin("Twin:l"), right: Twin("Twin:r"))
        let link = TwinLink(id: "Twin:a", left: TwinName(id: "Twin:l"))
        try cache.write(whole)
        try cache.delete("Twin:r")
        try cache.write(Twin("Twin:r"))
        try cache.write(link)
        try expectChildren(trial, cache, true, false, "after a projection that holds only the left one was written")
        try cache.delete("Twin:l")
        try cache.write(Twin("Twin:l"))
        try cache.write(TwinName(id: "Twin:a"))
        try expectChildren(trial, cache, false, false, "after a projection that holds neither was written")
        try cache.write(link)
        try expectChildren(trial, cache, true, false, "after the projection that holds the left one was written anew")
        try cache.write(whole)
        try expectChildren(trial, cache, true, true, "after the projection that holds both was written anew")
    }

    private static func expectChildren(
        _ trial: Trial, _ cache: any ConformanceCache, _ left: Bool, _ right: Bool, _ what: String
    ) throws {
        let read = try cache.read("Twin:a", as: Twin.self).value
        try trial.expectEqual(read?.left?.id, left ? "Twin:l" : nil, "the left child \(what)")
        try trial.expectEqual(read?.right?.id, right ? "Twin:r" : nil, "the right child \(what)")
        try trial.expect(read != nil, "the holder \(what): expected a hit")
    }
}

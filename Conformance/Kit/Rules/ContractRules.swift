import Dispatch
import GroveCache
import GroveModel

/// CON: what every reader and writer relies on.
enum ContractRules {
    static let all = [roundTrip, absent, lastWins]

    static let roundTrip = Rule(
        "CON-01", "A get after a put returns an equal value.",
        because: "It is what a cache is for.",
        kills: ["drops-last-write", "silent-loss"]
    ) { trial in
        let cache = try trial.cache()
        for salt in 0..<70 {
            let message = Message.full("Message:\(salt)", salt: salt)
            try cache.write(message)
            try trial.expectHit(
                try cache.read("Message:\(salt)", as: Message.self), message, "a tree read right after it was written")
        }
        cache.setModel(Person(id: "Person:1", age: 7), forKey: "Person:1", context: nil)
        try trial.expectEqual(
            try cache.model(forKey: "Person:1", as: Person.self), Person(id: "Person:1", age: 7),
            "a model read through the delegate")
        cache.setCollection([Person(id: "Person:1", age: 7)], forKey: "all", context: nil)
        try trial.expectEqual(
            try cache.models(forKey: "all", as: Person.self), [Person(id: "Person:1", age: 7)],
            "a collection read through the delegate")
    }

    static let absent = Rule(
        "CON-02", "Absent is a miss, not an error.",
        because: "Forgetting is a cache's right, and ordinary.", kills: ["absence-is-an-error"]
    ) { trial in
        let cache = try trial.cache()
        try trial.expectMiss(
            try cache.read("Person:1", as: Person.self), .absent, "Person:1", "a model that was never written")
        try trial.expectMiss(
            try cache.readCollection("all", as: Person.self), .absent, "all", "a collection that was never written")
        try trial.expectEqual(try cache.model(forKey: "Person:1", as: Person.self), nil, "an absent model's completion")
        try trial.expectEqual(try cache.model(forKey: nil, as: Person.self), nil, "the completion of a nil key")
        try trial.expectEqual(
            try cache.models(forKey: "all", as: Person.self), nil, "an absent collection's completion")
        try trial.expectEqual(try cache.models(forKey: nil, as: Person.self), nil, "the completion of a nil key")
    }

    static let lastWins = Rule(
        "CON-03", "The last completed write wins.",
        because: "An old version must not come back.", kills: ["first-write-wins"]
    ) { trial in
        let cache = try trial.cache()
        for age in 0..<50 {
            try cache.write(Person(id: "Person:3", age: age))
            try trial.expectHit(
                try cache.read("Person:3", as: Person.self), Person(id: "Person:3", age: age), "the newest version")
        }
        _ = try cache.write(contentsOf: [Person(id: "Person:3", age: 1), Person(id: "Person:3", age: 2)])
        try trial.expectHit(
            try cache.read("Person:3", as: Person.self), Person(id: "Person:3", age: 2), "the later of one batch")
    }
}

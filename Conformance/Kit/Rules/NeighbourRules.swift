import GroveCache
import GroveModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// LIF: what is beside a store: a user's files in its directory, idle processes, and other processes that write.
enum NeighbourRules {
    static let all = [files, resting, writers]

    static let files = Rule(
        "LIF-15", "A wipe leaves files in the directory that the store did not make.",
        because: "Users keep files of their own where there is room.",
        requires: [.persistent, .directory, .reopen, .wipe], kills: ["wipes-all-files"]
    ) { trial in
        let site = try trial.site()
        let directory = site.directory ?? ""
        let people = (0..<100).map { (number: Int) in Person(id: "Person:\(number)", age: number) }
        try site.open().write(contentsOf: people)
        site.closeAll()
        let names = [".env", "2024.csv", "groves.csv", "grove-photos/1.jpg"]
        let text = Data("a user's".utf8)
        let files = FileManager.default
        try files.createDirectory(atPath: directory + "/grove-photos", withIntermediateDirectories: false)
        for name in names { _ = files.createFile(atPath: "\(directory)/\(name)", contents: text) }
        let cache = try site.open()
        // The form that waits, and not the delegate's `async` one.
        func wipe() throws { try cache.wipe() }
        try wipe()
        try trial.expectMiss(try cache.read("Person:1", as: Person.self), nil, nil, "what was wiped")
        try cache.write(contentsOf: people)
        site.closeAll()
        let left = names.filter { files.contents(atPath: "\(directory)/\($0)") == text }
        try trial.expectEqual(left, names, "a user's files after a wipe")
        try trial.expectHit(
            try site.open().read("Person:1", as: Person.self), people[1], "what was written after the wipe")
    }

    /// Processes that rest, and how many threads of each have read at once: more together than an engine has slots.
    private static let (processes, threads) = (10, 32)

    static let resting = Rule(
        "LIF-16", "Processes that read on many threads and then do nothing leave room for readers that come later.",
        because: "An engine has a limited number of slots for readers, and an idle process needs none.",
        requires: [.persistent, .processes, .multiProcess, .typedCalls], kills: ["keeps-views"],
        timeLimit: .seconds(120)
    ) { trial in
        guard let worker = trial.backend.worker else { return }
        let site = try trial.site()
        let person = Person(id: "Person:1", age: 1)
        try site.open().write(person)
        site.closeAll()
        var children: [ChildProcess] = []
        for number in 1...processes {
            let child = try ChildProcess(worker, ["rest", site.directory ?? "", "\(threads)"])
            children.append(child)
            try trial.expectEqual(
                child.nextLine(within: .seconds(60)), .line("rests"), "process \(number) of those that read and rest")
        }
        let cache = try site.open()
        try trial.expectHit(
            try cache.read("Person:1", as: Person.self), person, "what a process reads that comes later")
        try cache.write(Person(id: "Person:1", age: 2))
        for child in children {
            child.send("end")
            try trial.expectEqual(child.wait(), .exited(0), "a process that has rested (\(child.errorText))")
        }
    }

    static let writers = Rule(
        "LIF-17",
        "A read shows what other processes wrote last, even if this process had set the same model before.",
        because: "The last value that was set here may not be the last one that was set.",
        requires: [.persistent, .processes, .multiProcess, .typedCalls, .flush], kills: ["own-calls-win"],
        timeLimit: .seconds(120)
    ) { trial in
        guard let worker = trial.backend.worker else { return }
        let site = try trial.site()
        let cache = try site.open()
        let identifier: ModelIdentifier = "Person:1"
        cache.setModel(Person(id: "Person:1", age: 0), forKey: "Person:1", context: nil)
        try cache.flush()
        // More than a store remembers by number and place.
        for age in 1...6 {
            let child = try ChildProcess(worker, ["set", site.directory ?? "", "Person:1", "\(age)"])
            try trial.expectEqual(child.wait(), .exited(0), "a process that writes (\(child.errorText))")
            try trial.expectHit(
                try cache.read(identifier, as: Person.self), Person(id: "Person:1", age: age),
                "what process \(age) wrote over a call of this one")
        }
        cache.setModel(Person(id: "Person:1", age: 7), forKey: "Person:1", context: nil)
        try trial.expectHit(
            try cache.read(identifier, as: Person.self), Person(id: "Person:1", age: 7), "what this process set over it"
        )
    }
}

import Dispatch
import GroveCache
import GroveModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A process that works on a store beside this one, or looks at what is left of one.
enum PeerProcess {
    /// Opens the cache in `directory` and prints every answer, or the error in its place.
    static func look(
        _ directory: String, _ backend: any ConformanceBackend, within budget: CacheBudget = .unlimited
    ) -> Int32 {
        let run: ProgramRun
        do {
            run = try ProgramRun(backend.site(at: directory), budget)
        } catch {
            ConformanceWorker.say("opening\t\((error as? CacheError)?.code.description ?? "untyped")")
            return 0
        }
        ConformanceWorker.say("dump")
        for answer in run.answers(kinds: RandomProgram([]).kind(ofList:)) { ConformanceWorker.say("answer\t\(answer)") }
        run.cache.close()
        return 0
    }

    /// Looks at each directory that it is told, after the bytes of the budget and a tab, until there is none.
    static func lookOften(_ backend: any ConformanceBackend) -> Int32 {
        while let words = readLine()?.split(separator: "\t", maxSplits: 1) {
            guard words.count == 2, let bytes = Int(words[0]) else { return 2 }
            let budget = bytes == 0 ? CacheBudget.unlimited : CacheBudget(bytes: bytes)
            guard look(String(words[1]), backend, within: budget) == 0 else { return 3 }
            ConformanceWorker.say("end")
        }
        return 0
    }

    /// Opens the cache in `directory`, writes to it, holds a view of it, and waits to be killed.
    static func hold(_ directory: String, _ backend: any ConformanceBackend) -> Int32 {
        let site = backend.site(at: directory)
        guard let cache = try? site.open(), (try? cache.write(Person(id: "peer", age: 1))) != nil,
            let view = try? site.interceptor.store().view()
        else { return 3 }
        ConformanceWorker.say("holding")
        while readLine() != nil {}
        view.end()
        cache.close()
        return 0
    }

    /// Reads the cache in `directory` with so many threads at once, and does nothing more until it is told to end.
    static func rest(_ directory: String, _ threads: Int, _ backend: any ConformanceBackend) -> Int32 {
        guard let cache = try? backend.site(at: directory).open() else { return 3 }
        let (arrived, leave) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let readers = (0..<threads).map { _ in
            Threads.start { () -> Bool in
                defer { arrived.signal() }
                return try cache.view { view in
                    arrived.signal()
                    leave.wait()
                    return try view.read("Person:1", as: Person.self).value != nil
                }
            }
        }
        // One that fails has arrived as well.
        for _ in readers { arrived.wait() }
        for _ in readers { leave.signal() }
        guard readers.allSatisfy({ (try? $0.wait(seconds: 30)) == true }) else { return 4 }
        ConformanceWorker.say("rests")
        _ = readLine()
        cache.close()
        return 0
    }

    /// Writes a person of `identifier` and `age` to the cache in `directory`.
    static func set(
        _ directory: String, _ identifier: String, _ age: Int, _ backend: any ConformanceBackend
    ) -> Int32 {
        guard let cache = try? backend.site(at: directory).open(),
            (try? cache.write(Person(id: identifier, age: age))) != nil
        else { return 3 }
        cache.close()
        return 0
    }

    /// Commits to the cache in `directory` again and again, each time printing what, until it is killed.
    static func commit(_ directory: String, _ backend: any ConformanceBackend) -> Int32 {
        guard let cache = try? backend.site(at: directory).open(history: 10_000) else { return 3 }
        for number in 0..<100_000 {
            guard (try? cache.write(Person(id: "Person:\(number)", age: number))) != nil else { return 4 }
            ConformanceWorker.say("Person:\(number)")
        }
        return 0
    }

    /// Begins to write to the store in `directory`, and ends that without a change when it is told to.
    static func stall(_ directory: String, _ backend: any ConformanceBackend) -> Int32 {
        do throws(CacheError) {
            let store = try backend.site(at: directory).openStore()
            try store.transact { (_) throws(CacheError) in
                ConformanceWorker.say("writing")
                _ = readLine()
            }
            store.close()
        } catch {
            ConformanceWorker.say("failed\t\(error)")
            return 3
        }
        return 0
    }

    /// Copies the cache in `directory` to `target`, and says when that begins and has ended.
    static func copy(_ directory: String, _ target: String, _ backend: any ConformanceBackend) async -> Int32 {
        do throws(CacheError) {
            let cache = try backend.site(at: directory).open()
            ConformanceWorker.say("copying")
            try await cache.copy(to: target)
            ConformanceWorker.say("done")
            cache.close()
        } catch {
            ConformanceWorker.say("failed\t\(error)")
            return 3
        }
        return 0
    }

    /// Empties the cache in `directory`, or removes its files as something that knows nothing of Grove does, and writes
    /// a model of `age` afterwards.
    static func empty(
        _ directory: String, _ age: String, removes: Bool, _ backend: any ConformanceBackend
    ) -> Int32 {
        do {
            if removes {
                // Not before it is known that the files are not another's alone.
                try backend.site(at: directory).open().close()
                for name in try FileManager.default.contentsOfDirectory(atPath: directory) {
                    try FileManager.default.removeItem(atPath: directory + "/" + name)
                }
            }
            let cache = try backend.site(at: directory).open()
            if !removes { try cache.wipe() }
            try cache.write(Person(id: "peer", age: Int(age)))
            cache.close()
        } catch {
            ConformanceWorker.say("opening\t\((error as? CacheError)?.code.description ?? "untyped")")
            return 0
        }
        ConformanceWorker.say("done")
        return 0
    }

    /// Opens the cache in `directory` and prints the age of the person of `identifier`.
    static func see(_ directory: String, _ identifier: String, _ backend: any ConformanceBackend) -> Int32 {
        do throws(CacheError) {
            let cache = try backend.site(at: directory).open()
            let person = try cache.read(ModelIdentifier(identifier), as: Person.self).value
            ConformanceWorker.say("age\t\(person?.age.map { "\($0)" } ?? "none")")
            cache.close()
        } catch {
            ConformanceWorker.say("opening\t\(error.code.description)")
        }
        return 0
    }

    /// Keeps the cache in `directory` open, and prints the age of each person that it is asked for.
    static func ask(_ directory: String, _ backend: any ConformanceBackend) -> Int32 {
        guard let cache = try? backend.site(at: directory).open() else { return 3 }
        ConformanceWorker.say("ready")
        while let identifier = readLine() {
            do throws(CacheError) {
                let person = try cache.read(ModelIdentifier(identifier), as: Person.self).value
                ConformanceWorker.say("age\t\(person?.age.map { "\($0)" } ?? "none")")
            } catch {
                ConformanceWorker.say("error\t\(error.code.description)")
            }
        }
        cache.close()
        return 0
    }

    /// Waits for a word, and then puts elements called after `name` at both ends of a list that others edit too.
    static func edit(_ directory: String, _ name: String, _ rounds: Int, _ backend: any ConformanceBackend) -> Int32 {
        guard let cache = try? backend.site(at: directory).open() else { return 3 }
        ConformanceWorker.say("ready")
        guard readLine() != nil else { return 4 }
        do throws(CacheError) {
            for round in 0..<rounds {
                let added = ["back", "next"].map { Person(id: "\(name):\($0):\(round)") }
                try cache.edit("all", CollectionEdit.append(added))
                try cache.edit("all", CollectionEdit.insert([Person(id: "\(name):front:\(round)")], at: 0))
            }
        } catch {
            ConformanceWorker.say("failed\t\(error.code)")
            return 5
        }
        ConformanceWorker.say("done")
        cache.close()
        return 0
    }

    /// How often each writer of a counter updates it.
    static let updates = 200

    /// Opens the cache in `directory` and adds to the counter that others add to.
    static func update(_ directory: String, _ backend: any ConformanceBackend) -> Int32 {
        guard let cache = try? backend.site(at: directory).open() else { return 3 }
        do {
            for _ in 0..<updates {
                try cache.update("counter", as: Person.self) { $0.age = ($0.age ?? 0) + 1 }
            }
        } catch {
            ConformanceWorker.say("failed\t\(error)")
            return 5
        }
        cache.close()
        ConformanceWorker.say("done")
        return 0
    }

    /// Opens and closes the cache in `directory` many times, and prints how many descriptors and threads there were
    /// before and afterwards.
    static func cycle(_ directory: String, _ count: Int, _ backend: any ConformanceBackend) -> Int32 {
        let site = backend.site(at: directory)
        for round in 0..<(count + 50) {
            guard let cache = try? site.open() else { return 3 }
            if round % 50 == 0 { _ = try? cache.write(Person(id: "Person:1", age: round)) }
            guard (try? cache.read("Person:1", as: Person.self)) != nil else { return 4 }
            cache.close()
            if round == 49 || round == count + 49 {
                ConformanceWorker.say("open\t\(entries("/proc/self/fd"))\t\(entries("/proc/self/task"))")
            }
        }
        return 0
    }

    private static func entries(_ directory: String) -> Int {
        ((try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []).count
    }
}

extension ProgramRun {
    /// As ``dump(kinds:)``, with errors in the place of answers.
    func answers(kinds: (Int) -> Plan.Kind?) -> [String] {
        Step.questions(kinds).map { step in
            do {
                return "\(step): \(ProgramRun.plain(try perform(step).joined()))"
            } catch {
                return "\(step): error \((error as? CacheError)?.code.description ?? "untyped")"
            }
        }
    }
}

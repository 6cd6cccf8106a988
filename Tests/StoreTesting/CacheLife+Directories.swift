import Dispatch
import Foundation
import GroveCache
import GroveModel
import Synchronization
import Testing

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Directories that are moved, removed, made anew or reached by several names while caches are open in them.
extension CacheLife {
    /// The promises that `Store` makes of them, as its profile says.
    static var directoryChecks: [Check] {
        guard Store.profile.isPersistent else { return [] }
        let always = [
            Check("A directory that was removed and another that has its number since are two") {
                try $0.sameNumber(isSuspended: false)
                try $0.sameNumber(isSuspended: true)
            },
            Check("Handles stay in the directory that they were opened in when a link to it is moved") {
                try $0.movedLink()
            },
            Check("A directory that was renamed is refused while its store is open under the old name") {
                try $0.renamed(isLinked: false)
                try $0.renamed(isLinked: true)
            },
            Check("A directory that something else removes is made anew, and the old content is gone") {
                try $0.removed()
            },
            Check("A cache goes on in the store that has its directory's name, and takes nothing along") {
                try $0.exchanged()
            },
            Check("A directory that is emptied is noticed by reads alone, and what is written then is there later") {
                try $0.emptied()
            },
            Check("Where a file is in the directory's place every call says so, until it is gone") {
                try $0.obstructed()
            },
            Check("No path is empty or has a NUL") { try $0.impossible() },
            Check("A cache whose directory was renamed saves nothing in the one that has its name since") {
                try $0.leavingAlone()
            },
        ]
        guard Store.profile.isMultiProcess else {
            return always + [
                Check("A directory that was made anew under an open store is refused until that one is closed") {
                    try $0.madeAnewUnderOpen()
                }
            ]
        }
        return always + [
            Check("A directory that another cache made anew stays that one's") { try $0.madeAnewByAnother() },
            Check("What was queued before others emptied the store does not land afterwards") { try $0.outdated() },
            Check("Where a directory is made anew by one and opened by another, one of them has it") {
                try $0.contended()
            },
            Check("What was set while suspended is forgotten also where the store seems another one since") {
                try $0.setBeforeReplacement()
            },
        ] + checksOfDescriptors
    }

    /// What shows only where the system tells which files a process has open.
    private static var checksOfDescriptors: [Check] {
        #if os(Linux)
            [
                Check("A directory that is replaced while its lock is waited for is not touched") {
                    try $0.replacedUnderLock(isWiping: false)
                    try $0.replacedUnderLock(isWiping: true)
                }
            ]
        #else
            []
        #endif
    }

    func sameNumber(isSuspended: Bool) throws {
        let files = FileManager.default
        func number(_ path: String) throws -> Int {
            try #require(files.attributesOfItem(atPath: path)[.systemFileNumber] as? Int)
        }
        let cache = try open()
        try cache.write(Note(1, "removed"))
        if isSuspended { try cache.suspend() }
        let removed = try number(path)
        try files.removeItem(atPath: path)
        // Some file systems give the number to the next directory, others never again.
        var other = ""
        for index in 0..<100 {
            other = directory.path + "/other \(isSuspended) \(index)"
            try files.createDirectory(atPath: other, withIntermediateDirectories: false)
            if try number(other) == removed { break }
        }
        let second = try Cache(directory: other, options: options)
        #expect(try second.model("Note:1", as: Note.self) == nil)
        try second.write(Note(1, "other"))
        if isSuspended { try cache.resume() }
        try cache.write(Note(2, "new"))
        #expect(try cache.model("Note:1", as: Note.self) == nil)
        #expect(try second.model("Note:1", as: Note.self) == Note(1, "other"))
        #expect(try second.model("Note:2", as: Note.self) == nil)
        cache.close()
        try? files.removeItem(atPath: path)
    }

    func movedLink() throws {
        let files = FileManager.default
        let (link, other) = (directory.path + "/link", directory.path + "/other")
        for place in [path, other] { try files.createDirectory(atPath: place, withIntermediateDirectories: false) }
        try files.createSymbolicLink(atPath: link, withDestinationPath: path)
        let linked = try Cache(directory: link, options: options)
        let cache = try open()
        try linked.write(Note(2, "shared"))
        #expect(try cache.model("Note:2", as: Note.self) == Note(2, "shared"))
        try files.removeItem(atPath: link)
        try files.createSymbolicLink(atPath: link, withDestinationPath: other)
        let elsewhere = try Cache(directory: link, options: options)
        try elsewhere.write(Note(1, "other"))
        for isSuspended in [false, true] {
            if isSuspended {
                try linked.suspend()
                try linked.resume()
            }
            try linked.write(Note(1, "first \(isSuspended)"))
            #expect(try cache.model("Note:1", as: Note.self) == Note(1, "first \(isSuspended)"))
            #expect(try elsewhere.model("Note:1", as: Note.self) == Note(1, "other"))
        }
        linked.close()
        cache.close()
        #expect(try open().model("Note:1", as: Note.self) == Note(1, "first true"))
        #expect(try Cache(directory: other, options: options).model("Note:1", as: Note.self) == Note(1, "other"))
    }

    func renamed(isLinked: Bool) throws {
        let files = FileManager.default
        let (place, moved) = (path + " \(isLinked)", path + " \(isLinked) moved")
        let cache = try Cache(directory: place, options: options)
        try cache.write(Note(1, "renamed"))
        try files.moveItem(atPath: place, toPath: moved)
        if isLinked { try files.createSymbolicLink(atPath: place, withDestinationPath: moved) }
        #expect(code { _ = try Cache(directory: moved, options: options) } == .locked)
        cache.close()
        let again = try Cache(directory: moved, options: options)
        #expect(try again.model("Note:1", as: Note.self) == Note(1, "renamed"))
        if isLinked { try files.removeItem(atPath: place) }
        // Where the old name leads, another store is made.
        let other = try Cache(directory: place, options: options)
        #expect(try other.model("Note:1", as: Note.self) == nil)
        try other.write(Note(1, "other"))
        #expect(try again.model("Note:1", as: Note.self) == Note(1, "renamed"))
    }

    private func exchanged() throws {
        let files = FileManager.default
        let (other, moved) = (path + " other", path + " moved")
        let cache = try open()
        for index in 0..<3 { try cache.write(Note(index, "first")) }
        let second = try Cache(directory: other, options: options)
        try second.write(Note(1, "second"))
        second.close()
        try files.moveItem(atPath: path, toPath: moved)
        try files.moveItem(atPath: other, toPath: path)
        try cache.write(Note(3, "after"))
        #expect(try cache.model("Note:0", as: Note.self) == nil)
        #expect(try cache.model("Note:1", as: Note.self) == Note(1, "second"))
        let first = try Cache(directory: moved, options: options)
        #expect(try first.model("Note:1", as: Note.self) == Note(1, "first"))
        #expect(try first.model("Note:3", as: Note.self) == nil)
        try cache.wipe()
        #expect(try first.model("Note:2", as: Note.self) == Note(2, "first"))
        cache.close()
        #expect(try open().model("Note:3", as: Note.self) == nil)
    }

    private func emptied() throws {
        let files = FileManager.default
        let cache = try open()
        try cache.write(Note(1, "old"))
        for round in 0..<2 {
            for name in try files.contentsOfDirectory(atPath: path) { try files.removeItem(atPath: path + "/" + name) }
            let deadline = ContinuousClock.now + .seconds(30)
            // One of the reads of the next tenth of a second looks.
            while try cache.model("Note:1", as: Note.self) != nil, ContinuousClock.now < deadline {}
            #expect(try cache.model("Note:1", as: Note.self) == nil)
            try cache.write(Note(1, "new \(round)"), durability: .durable)
        }
        cache.close()
        #expect(try open().model("Note:1", as: Note.self) == Note(1, "new 1"))
    }

    private func obstructed() throws {
        let files = FileManager.default
        let cache = try open()
        try cache.write(Note(1, "old"))
        try files.removeItem(atPath: path)
        try Data("a file".utf8).write(to: URL(fileURLWithPath: path))
        for _ in 0..<3 {
            #expect(code { try cache.write(Note(2, "refused")) } == .notAStore)
            #expect(code { _ = try cache.model("Note:1", as: Note.self) } == .notAStore)
        }
        try files.removeItem(atPath: path)
        try cache.write(Note(3, "new"))
        let found = try (1...3).map { try cache.model(ModelIdentifier("Note:\($0)"), as: Note.self)?.text }
        #expect(found == [nil, nil, "new"])
    }

    private func impossible() throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        for name in ["", path + "\0", path + "\0/else"] {
            let code = code { _ = try Cache(directory: name, options: options) }
            #expect(code == .inputOutput, "\(name.debugDescription)")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: path) == [])
    }

    func madeAnewUnderOpen() throws {
        let cache = try open()
        try cache.write(Note(1, "removed"))
        try FileManager.default.removeItem(atPath: path)
        for _ in 0..<3 { #expect(code { _ = try open() } == .locked) }
        cache.close()
        let again = try open()
        #expect(try again.model("Note:1", as: Note.self) == nil)
        try again.write(Note(1, "new"))
    }

    func madeAnewByAnother() throws {
        let cache = try open()
        try cache.write(Note(1, "removed"))
        try FileManager.default.removeItem(atPath: path)
        let second = try open()
        #expect(second.statistics.commits == 0)
        try second.write(Note(1, "new"))
        // The first call closes the engine, which must not remove what is the other one's now.
        let files = try directory.files(below: path)
        #expect(code { try cache.write(Note(1, "refused")) } == .locked)
        #expect(try directory.files(below: path) == files)
        for _ in 0..<3 {
            #expect(code { try cache.write(Note(1, "refused")) } == .locked)
            #expect(code { _ = try cache.model("Note:1", as: Note.self) } == .locked)
            try second.write(Note(2, "still"))
        }
        #expect(try second.model("Note:1", as: Note.self) == Note(1, "new"))
        cache.close()
        #expect(try second.model("Note:2", as: Note.self) == Note(2, "still"))
        #expect(try open().statistics == second.statistics)
    }

    func removed() throws {
        let cache = try open()
        try cache.write(Note(1, "old"))
        for round in 0..<3 {
            try FileManager.default.removeItem(atPath: path)
            try cache.write(Note(2, "\(round)"))
            #expect(try cache.model("Note:1", as: Note.self) == nil)
            #expect(try cache.model("Note:2", as: Note.self) == Note(2, "\(round)"))
            // A handle on the directory of now shares the store.
            #expect(try open().model("Note:2", as: Note.self) == Note(2, "\(round)"))
        }
        let witness = EverythingChanged()
        let watched = try Cache(directory: path, options: options, observer: witness)
        try cache.write(Note(1, "new"))
        try cache.suspend()
        try FileManager.default.removeItem(atPath: path)
        try cache.resume()
        #expect(try watched.model("Note:1", as: Note.self) == nil)
        try cache.write(Note(2, "after"))
        cache.close()
        watched.close()
        #expect(witness.seen.wait(timeout: .now() + 20) == .success)
    }

    func outdated() throws {
        let cache = try open()
        try cache.write(Note(1, "old"))
        let word = try Data(contentsOf: URL(fileURLWithPath: path + "/grove.generation"))
        cache.setModel(Note(2, "queued, or not"), forKey: "Note:2", context: nil)
        // As another process does that empties the store: the word first, then the files, under the lock.
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path + "/grove.generation"))
        #expect(flock(handle.fileDescriptor, LOCK_EX) == 0)
        try handle.write(contentsOf: Data(word.map { $0 &+ 1 }))
        for name in try FileManager.default.contentsOfDirectory(atPath: path) where name != "grove.generation" {
            try FileManager.default.removeItem(atPath: path + "/" + name)
        }
        try handle.close()
        #expect(try cache.model("Note:1", as: Note.self) == nil)
        #expect(try cache.model("Note:2", as: Note.self) == nil)
        try cache.flush()
        #expect(try cache.model("Note:2", as: Note.self) == nil)
        try cache.write(Note(2, "new"))
        #expect(try cache.model("Note:2", as: Note.self) == Note(2, "new"))
    }

    private func leavingAlone() throws {
        let files = FileManager.default
        let cache = try Cache(directory: path, options: options, budget: CacheBudget(bytes: 20_000_000))
        for index in 0..<50 { try cache.write(Note(index, "renamed")) }
        #expect(try cache.model("Note:1", as: Note.self) == Note(1, "renamed"))
        try files.moveItem(atPath: path, toPath: path + " moved")
        try files.createDirectory(atPath: path, withIntermediateDirectories: false)
        cache.close()
        #expect(try files.contentsOfDirectory(atPath: path) == [])
        let moved = try Cache(directory: path + " moved", options: options)
        #expect(try moved.model("Note:1", as: Note.self) == Note(1, "renamed"))
    }

    private func contended() throws {
        for round in 0..<40 {
            let place = path + " \(round)"
            let first = try Cache(directory: place, options: options)
            try first.write(Note(1, "old"))
            if round % 2 == 1 { try first.suspend() }
            try FileManager.default.removeItem(atPath: place)
            let opened = Mutex<Cache?>(nil)
            let isOpened = DispatchSemaphore(value: 0)
            let options = options
            Thread.detachNewThread {
                let cache = try? Cache(directory: place, options: options)
                opened.withLock { $0 = cache }
                isOpened.signal()
            }
            let refusal = code {
                if round % 2 == 1 { try first.resume() }
                try first.write(Note(2, "new"))
            }
            isOpened.wait()
            // Who found the directory made anew by the other shares its store, or is told that it cannot.
            let second = try #require(opened.withLock { $0 }, "round \(round)")
            #expect(refusal == nil || refusal == .locked, "round \(round): \(String(describing: refusal))")
            #expect(try second.model("Note:1", as: Note.self) == nil)
            #expect(try second.model("Note:2", as: Note.self) == (refusal == nil ? Note(2, "new") : nil))
            try second.write(Note(3, "still"))
            first.close()
            #expect(try second.model("Note:3", as: Note.self) == Note(3, "still"))
            second.close()
        }
    }

    private func replacedUnderLock(isWiping: Bool) throws {
        let files = FileManager.default
        let place = path + " \(isWiping)"
        let (moved, other) = (place + " moved", place + " other")
        for (place, text) in [(place, "own"), (other, "other")] {
            let cache = try Cache(directory: place, options: options)
            try cache.write(Note(1, text))
            cache.close()
        }
        let cache = isWiping ? try Cache(directory: place, options: options) : nil
        let lock = try FileHandle(forWritingTo: URL(fileURLWithPath: place + "/grove.generation"))
        #expect(flock(lock.fileDescriptor, LOCK_EX) == 0)
        let before = try directory.descriptors().count
        let outcome = Mutex<CacheError.Code?>(nil)
        let isDone = DispatchSemaphore(value: 0)
        let options = options
        Thread.detachNewThread {
            let code = code {
                if let cache { try cache.wipe() } else { _ = try Cache(directory: place, options: options) }
            }
            outcome.withLock { $0 = code }
            isDone.signal()
        }
        // Who opens has the directory open too, and both have the lock's file. Who waits for that long is refused.
        var isWaiting = false
        for _ in 0..<4_000 where !isWaiting {
            isWaiting = try directory.descriptors().count >= before + (isWiping ? 1 : 2)
            usleep(1_000)
        }
        try files.moveItem(atPath: place, toPath: moved)
        try files.moveItem(atPath: other, toPath: place)
        try lock.close()
        isDone.wait()
        let answer = outcome.withLock { $0 }
        cache?.close()
        // A machine that is that slow shows nothing.
        guard isWaiting else { return print("skipped: the opening did not come to the lock within seconds") }
        #expect(answer == .inputOutput || answer == .locked, "\(String(describing: answer))")
        // Who asks again has the one that is there now.
        for (place, text) in [(place, "other"), (moved, "own")] {
            let cache = try Cache(directory: place, options: options)
            #expect(try cache.model("Note:1", as: Note.self) == Note(1, text))
        }
    }

    private func setBeforeReplacement() throws {
        let cache = try open()
        for index in 0..<3 { try cache.write(Note(index, "old")) }
        try cache.suspend()
        cache.setModel(Note(1, "new"), forKey: "Note:1", context: nil)
        // As a store says that made itself smaller, whose content is what it was.
        let word = try Data(contentsOf: URL(fileURLWithPath: path + "/grove.generation"))
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path + "/grove.generation"))
        try handle.write(contentsOf: Data(word.map { $0 &+ 1 }))
        try handle.close()
        cache.close()
        let again = try open()
        #expect(try again.model("Note:1", as: Note.self) == nil)
        #expect(try again.model("Note:2", as: Note.self) == Note(2, "old"))
    }
}

/// Waits for a change of everything.
private final class EverythingChanged: CacheObserver {
    let seen = DispatchSemaphore(value: 0)

    func cacheDidCommit(_ changes: ChangeSet) {
        if changes.changesEverything { seen.signal() }
    }
}

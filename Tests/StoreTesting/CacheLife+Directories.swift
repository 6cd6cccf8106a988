import Dispatch
import Foundation
import GroveCache
import GroveModel
import GrovePlatform
import Synchronization
import TestSupport
import Testing

/// Directories that are removed, emptied by another process or reached by several names while caches are open in them.
extension CacheLife {
    /// The promises that `Store` makes of them, as its profile says.
    static var directoryChecks: [Check] {
        guard Store.profile.isPersistent else { return [] }
        let always = [
            Check("Handles stay in the directory that they were opened in when a link to it is moved") {
                try $0.movedLink()
            },
            Check("A directory that something else removed is made again when it is opened, for every handle") {
                try $0.removed()
            },
            Check("A directory that something else removed while the cache was suspended is made again") {
                try $0.removedWhileSuspended()
            },
            Check("The directory of an open cache is opened under no other path before that is closed, if it was moved")
            {
                try $0.movedWhileOpen()
            },
            Check("The directory of a suspended cache is another's once it was moved") {
                try $0.movedWhileSuspended()
            },
            Check("A durable write says that its files are gone, and the next one is kept") {
                try $0.removedUnawares()
            },
            Check("A suspension does not make a directory again that was removed") { try $0.removedBeforeSuspension() },
            Check("A durable write says that a file was removed from beside the store") { try $0.removedCompanion() },
            Check("A directory that was empty is marked for backup programs, once") { try $0.backupMark() },
            Check("A copy is not marked for backup programs") { try await $0.unmarkedCopy() },
            Check("A wipe empties what is in the directory now") { try $0.removedBeforeWipe() },
            Check("No path is empty or has a NUL") { try $0.impossible() },
        ]
        guard Store.profile.isMultiProcess else { return always }
        return always + [
            Check("What was queued before others emptied the store does not land afterwards") { try $0.outdated() },
            Check("What was set while suspended is forgotten also where the store seems another one since") {
                try $0.setBeforeReplacement()
            },
        ]
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

    private func impossible() throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        for name in ["", path + "\0", path + "\0/else"] {
            let code = code { _ = try Cache(directory: name, options: options) }
            #expect(code == .inputOutput, "\(name.debugDescription)")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: path) == [])
    }

    private func removed() throws {
        let cache = try open()
        try cache.write(Note(1, "old"))
        for round in 0..<3 {
            try FileManager.default.removeItem(atPath: path)
            let again = try open()
            #expect(try again.model("Note:1", as: Note.self) == nil)
            try again.write(Note(2, "\(round)"))
            #expect(try cache.model("Note:1", as: Note.self) == nil)
            #expect(try cache.model("Note:2", as: Note.self) == Note(2, "\(round)"))
            try cache.write(Note(1, "new"))
            #expect(try again.model("Note:1", as: Note.self) == Note(1, "new"))
        }
    }

    private func removedWhileSuspended() throws {
        let witness = EverythingChanged()
        let cache = try open()
        let watched = try Cache(directory: path, options: options, observer: witness)
        try cache.write(Note(1, "old"))
        try cache.suspend()
        try FileManager.default.removeItem(atPath: path)
        try cache.resume()
        #expect(try watched.model("Note:1", as: Note.self) == nil)
        try cache.write(Note(2, "after"))
        cache.close()
        watched.close()
        #expect(witness.seen.wait(timeout: .now() + 20) == .success)
        #expect(try open().model("Note:2", as: Note.self) == Note(2, "after"))
    }

    private func movedWhileOpen() throws {
        let place = directory.path + "/moved"
        let cache = try open()
        try cache.write(Note(1, "moved"), durability: .durable)
        try FileManager.default.moveItem(atPath: path, toPath: place)
        #expect(code { _ = try Cache(directory: place, options: options) } == .locked)
        cache.close()
        let moved = try Cache(directory: place, options: options)
        #expect(try moved.model("Note:1", as: Note.self) == Note(1, "moved"))
        try moved.write(Note(2, "new"))
        #expect(try moved.model("Note:2", as: Note.self) == Note(2, "new"))
    }

    private func movedWhileSuspended() throws {
        let place = directory.path + "/moved"
        let cache = try open()
        try cache.write(Note(1, "moved"))
        try cache.suspend()
        try FileManager.default.moveItem(atPath: path, toPath: place)
        let moved = try Cache(directory: place, options: options)
        #expect(try moved.model("Note:1", as: Note.self) == Note(1, "moved"))
        try cache.resume()
        #expect(try cache.model("Note:1", as: Note.self) == nil)
        try cache.write(Note(1, "new"))
        #expect(try moved.model("Note:1", as: Note.self) == Note(1, "moved"))
        #expect(try open().model("Note:1", as: Note.self) == Note(1, "new"))
    }

    private func removedUnawares() throws {
        let cache = try open()
        try cache.write(Note(1, "old"))
        try FileManager.default.removeItem(atPath: path)
        #expect(code { try cache.write(Note(2, "lost"), durability: .durable) } != nil)
        #expect(try cache.model("Note:1", as: Note.self) == nil)
        try cache.write(Note(2, "kept"), durability: .durable)
        cache.close()
        #expect(try open().model("Note:2", as: Note.self) == Note(2, "kept"))
    }

    private func removedBeforeSuspension() throws {
        let cache = try open()
        try cache.write(Note(1, "old"))
        try FileManager.default.removeItem(atPath: path)
        #expect(code { try cache.write(Note(2, "lost"), durability: .durable) } != nil)
        try cache.suspend()
        #expect(!FileManager.default.fileExists(atPath: path))
        try cache.resume()
        try cache.write(Note(3, "kept"))
        cache.close()
        #expect(try open().model("Note:3", as: Note.self) == Note(3, "kept"))
    }

    private func removedCompanion() throws {
        func names() throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: path).filter {
                Store.profile.companions.contains($0) || $0 == "CURRENT" || $0.hasSuffix(".log") || $0.hasSuffix("-wal")
                    || $0.hasSuffix("-shm")
            }.sorted()
        }
        let first = try open()
        try first.write(Note(1, "old"), durability: .durable)
        let all = try names()
        first.close()
        #expect(!all.isEmpty)
        for name in all {
            try FileManager.default.removeItem(atPath: path)
            let cache = try open()
            try cache.write(Note(1, "old"), durability: .durable)
            let present = name.hasSuffix(".log") ? try names().filter { $0.hasSuffix(".log") } : [name]
            for name in present { try FileManager.default.removeItem(atPath: path + "/" + name) }
            #expect(code { try cache.flush(.durable) } == .inputOutput, "\(name)")
            cache.close()
        }
    }

    private func backupMark() throws {
        let files = FileManager.default
        func mark(_ place: String) -> String? {
            files.contents(atPath: place + "/CACHEDIR.TAG").map { String(decoding: $0.prefix(43), as: UTF8.self) }
        }
        let cache = try open()
        #expect(mark(path) == "Signature: 8a477f597d28d172789f06886806bc55")
        try cache.write(Note(1, "kept"))
        try cache.wipe()
        #expect(mark(path) != nil)
        cache.close()
        // A user who removes it wants backups.
        try files.removeItem(atPath: path + "/CACHEDIR.TAG")
        let again = try open()
        try again.write(Note(1, "kept"))
        again.close()
        #expect(mark(path) == nil)
        // What the user has there is for backups. The mark alone is no stranger.
        for (name, isMarked) in [(".env", false), ("CACHEDIR.TAG", true)] {
            let place = path + " beside " + name
            try files.createDirectory(atPath: place, withIntermediateDirectories: false)
            try Data("the user's".utf8).write(to: URL(fileURLWithPath: place + "/" + name))
            try Cache(directory: place, options: options).close()
            #expect(mark(place) == (isMarked ? "the user's" : nil), "\(name)")
        }
    }

    private func unmarkedCopy() async throws {
        let place = directory.path + "/copy"
        let cache = try open()
        try await cache.write(Note(1, "kept"))
        try await cache.copy(to: place)
        cache.close()
        let copy = try Cache(directory: place, options: options)
        #expect(try copy.model("Note:1", as: Note.self) == Note(1, "kept"))
        copy.close()
        #expect(!FileManager.default.fileExists(atPath: place + "/CACHEDIR.TAG"))
    }

    private func removedBeforeWipe() throws {
        let cache = try open()
        try cache.write(Note(1, "old"))
        try FileManager.default.removeItem(atPath: path)
        try cache.wipe()
        try cache.write(Note(2, "kept"))
        cache.close()
        #expect(try open().model("Note:1", as: Note.self) == nil)
        #expect(try open().model("Note:2", as: Note.self) == Note(2, "kept"))
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

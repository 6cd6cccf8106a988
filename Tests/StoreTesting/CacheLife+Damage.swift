import Foundation
import GroveCache
import GroveModel
import TestSupport
import Testing

/// What lies in a directory in which a cache is opened: damaged files of Grove's, and files of something else.
extension CacheLife {
    /// The promises that `Store` makes of them, as its profile says.
    static var damageChecks: [Check] {
        guard Store.profile.isPersistent else { return [] }
        return [
            Check("A store whose files are damaged beyond recognition is made anew by default, and else refused") {
                try $0.damaged()
            },
            Check("A directory with files of something else is refused, and nothing is written there") {
                try $0.foreign()
            },
            Check("Setting a damaged store aside, and a wipe, take no file that is not the store's") {
                try $0.beside()
            },
            Check("A store without the file that marks it is refused with that word, and an empty file brings it back")
            {
                try $0.unmarked()
            },
            Check("A directory that cannot be made says why") { try $0.unmade() },
            Check("Another backend's store is refused, and left as it is") { try $0.otherBackend() },
            Check("What systems put into directories, and what Grove leaves there, is in nobody's way") {
                try $0.harmless()
            },
        ]
    }

    private func damaged() throws {
        let files = FileManager.default
        let damages: [(inout Data) -> Void] = [
            { $0 = Data(count: $0.count) },
            { $0.replaceSubrange(0..<min(4_096, $0.count), with: Data(count: min(4_096, $0.count))) },
            { $0.replaceSubrange(0..<min(4_096, $0.count), with: Data(repeating: 0x5A, count: min(4_096, $0.count))) },
            { $0 = $0.prefix(100) },
        ]
        for (number, damage) in damages.enumerated() {
            var cache = try open()
            for index in 0..<20 { try cache.write(Note(index, "before \(number)")) }
            cache.close()
            for name in try files.contentsOfDirectory(atPath: path) where !["lock.mdb", "LOCK"].contains(name) {
                let url = URL(fileURLWithPath: path + "/" + name)
                guard var bytes = try? Data(contentsOf: url), !bytes.isEmpty else { continue }
                damage(&bytes)
                try bytes.write(to: url)
            }
            #expect(code { _ = try Cache(directory: path, options: options, policy: .fail) } != nil, "damage \(number)")
            cache = try open()
            #expect(try cache.model("Note:1", as: Note.self) == nil, "damage \(number)")
            try cache.write(Note(1, "after"))
            cache.close()
            #expect(try open().model("Note:1", as: Note.self) == Note(1, "after"))
        }
    }

    private func beside() throws {
        let cache = try open()
        try cache.write(Note(1, "before"))
        cache.close()
        let own = try #require(Store.profile.mainFile)
        for name in try FileManager.default.contentsOfDirectory(atPath: path) where Store.owns(file: name) {
            guard !["lock.mdb", own == "LOCK" ? own : ""].contains(name) else { continue }
            try Data("damaged".utf8).write(to: URL(fileURLWithPath: path + "/" + name))
        }
        let names = [".env", "notes.txt", "2024.csv", "grove-notes.txt", ".DS_Store", "photos/one.jpeg"]
        try FileManager.default.createDirectory(atPath: path + "/photos", withIntermediateDirectories: false)
        for name in names { try Data("theirs".utf8).write(to: URL(fileURLWithPath: path + "/" + name)) }
        let opened = try open()
        #expect(try opened.model("Note:1", as: Note.self) == nil)
        try opened.write(Note(1, "after"))
        try opened.wipe()
        opened.close()
        for name in names {
            #expect(try Data(contentsOf: URL(fileURLWithPath: path + "/" + name)) == Data("theirs".utf8), "\(name)")
        }
    }

    private func unmarked() throws {
        let cache = try open()
        try cache.write(Note(1, "own"))
        cache.close()
        try FileManager.default.removeItem(atPath: path + "/grove.generation")
        #expect {
            _ = try Cache(directory: path, options: options)
        } throws: {
            let error = $0 as? CacheError
            return error?.code == .notAStore && error?.message.contains("empty file grove.generation") == true
        }
        try Data().write(to: URL(fileURLWithPath: path + "/grove.generation"))
        #expect(try open().model("Note:1", as: Note.self) == Note(1, "own"))
    }

    private func unmade() throws {
        for name in [String(repeating: "x", count: 300), "deeper/" + String(repeating: "y", count: 300) + "/store"] {
            #expect {
                _ = try Cache(directory: directory.path + "/" + name, options: options)
            } throws: {
                ($0 as? CacheError)?.message.contains("shorter name") == true
            }
        }
        let deep = directory.path + "/one/two//three/"
        try Cache(directory: deep, options: options).close()
        let mode = try FileManager.default.attributesOfItem(atPath: deep)[.posixPermissions] as? Int
        #expect(mode == 0o700)
    }

    private func foreign() throws {
        for name in ["holiday.jpeg", "folder/data.mdb", "data.mdb", "store.sqlite", "CURRENT", "LOCK"] {
            let place = directory.path + "/of " + name.replacingOccurrences(of: "/", with: " ")
            let file = URL(fileURLWithPath: place + "/" + name)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data("theirs".utf8).write(to: file)
            let before = try FileManager.default.subpathsOfDirectory(atPath: place)
            for _ in 0..<2 {
                #expect(code { _ = try Cache(directory: place, options: options) } == .notAStore, "\(name)")
            }
            #expect(try FileManager.default.subpathsOfDirectory(atPath: place) == before)
            #expect(try Data(contentsOf: file) == Data("theirs".utf8))
        }
    }

    private func otherBackend() throws {
        let cache = try open()
        try cache.write(Note(1, "own"))
        cache.close()
        let own = try #require(Store.profile.mainFile)
        for name in ["data.mdb", "store.sqlite", "CURRENT"]
        where !FileManager.default.fileExists(atPath: path + "/" + name) {
            let place = path + " " + name
            try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
            try Data(count: 8).write(to: URL(fileURLWithPath: place + "/grove.generation"))
            try Data("another's".utf8).write(to: URL(fileURLWithPath: place + "/" + name))
            #expect(code { _ = try Cache(directory: place, options: options) } == .notAStore, "\(name)")
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: place).sorted()
                    == ["grove.generation", name].sorted())
        }
        #expect(try open().model("Note:1", as: Note.self) == Note(1, "own"), "\(own)")
    }

    private func harmless() throws {
        for name in [".DS_Store", "Thumbs.db", "lost+found", "grove-set-aside", "grove-eviction"] {
            let place = directory.path + "/beside " + name
            try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
            try Data("theirs".utf8).write(to: URL(fileURLWithPath: place + "/" + name))
            let cache = try Cache(directory: place, options: options)
            try cache.write(Note(1, "beside"))
            cache.close()
            // A file that something else puts there later is its own matter.
            try Data("theirs".utf8).write(to: URL(fileURLWithPath: place + "/later.txt"))
            #expect(try Cache(directory: place, options: options).model("Note:1", as: Note.self) == Note(1, "beside"))
        }
    }
}

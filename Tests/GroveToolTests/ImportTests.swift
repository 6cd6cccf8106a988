import Foundation
import GroveCache
import GroveCompare
@testable import GroveTool
import Testing

@Suite("Importing", .enabled(if: ToolProcess.executable != nil, "needs the built executable"))
struct ImportTests {
    private static let rules = #"{"rules":[{"field":"user","type":"User","id":"id"}]}"#
    private static let old = #"{"user":{"id":1,"name":"Ada"}}"#
    private static let new = #"{"user":{"id":2,"name":"Bob"}}"#
    /// Refused by the cache while it is written: the identifier is longer than any key.
    private static let refused = #"{"user":{"id":"\#(String(repeating: "x", count: 10_000))"}}"#

    /// A directory with the files of a call.
    private final class Place {
        let directory: TemporaryDirectory
        let backend: String

        init(_ backend: String) throws {
            self.backend = backend
            directory = try TemporaryDirectory()
            _ = try directory.make("stores")
            try write(ImportTests.rules, to: "rules.json")
        }

        func path(_ name: String) -> String { "\(directory.path)/\(name)" }

        func write(_ text: String, to name: String) throws {
            try Data(text.utf8).write(to: URL(fileURLWithPath: path(name)))
        }

        func names(_ name: String) throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: path(name)).sorted()
        }

        /// Imports `text` into stores/`store`.
        func importing(_ text: String, _ more: String..., store: String = "store") throws -> ToolProcess.Outcome {
            try write(text, to: "document.json")
            return try ToolProcess.run(
                ["import", path("document.json"), "--identity", path("rules.json"), "--backend", backend]
                    + ["--store", path("stores/\(store)")] + more)
        }

        func exported(store: String = "store") throws -> String {
            try ToolProcess.run(["export", "--backend", backend, "--store", path("stores/\(store)")]).output
        }
    }

    @Test("A replaced store holds the new document alone", arguments: ["lmdb", "sqlite", "leveldb"])
    func replacing(backend: String) throws {
        let place = try Place(backend)
        #expect(try place.importing(ImportTests.old).status == 0)
        #expect(try place.names("stores/store").contains("CACHEDIR.TAG"))
        try FileManager.default.setAttributes([.posixPermissions: 0o750], ofItemAtPath: place.path("stores/store"))
        let replaced = try place.importing(ImportTests.new, "--replace", "--verify")
        #expect(replaced.status == 0, "\(replaced.errors)")
        #expect(try place.exported() == ImportTests.new + "\n")
        let inspected = ["--backend", backend, "--store", place.path("stores/store")]
        #expect(try ToolProcess.run(["inspect", "User:1"] + inspected).status == 1)
        #expect(try place.names("stores") == ["store"])
        // LevelDB closes the directory to others itself.
        let mode = try FileManager.default.attributesOfItem(atPath: place.path("stores/store"))[.posixPermissions]
        #expect((mode as? Int) == (backend == "leveldb" ? 0o700 : 0o750))
        // A user who removed the mark wants backups of the store, also of the next one.
        for isMarked in [true, false] {
            #expect(try place.names("stores/store").contains("CACHEDIR.TAG") == isMarked)
            try? FileManager.default.removeItem(atPath: place.path("stores/store/CACHEDIR.TAG"))
            #expect(try place.importing(ImportTests.old, "--replace").status == 0)
        }
    }

    @Test("An import that fails leaves the store that it was to replace", arguments: ["lmdb", "sqlite", "leveldb"])
    func failing(backend: String) throws {
        let place = try Place(backend)
        #expect(try place.importing(ImportTests.old).status == 0)
        for text in [ImportTests.refused, "{", "{}"] {
            let failed = try place.importing(text, "--replace")
            #expect(failed.status != 0 && failed.errorLines.count == 1, "\(failed.errors)")
            #expect(try place.exported() == ImportTests.old + "\n")
            #expect(try place.names("stores") == ["store"])
        }
        // A circle is stored and cannot be rebuilt.
        let circle = #"{"user":{"id":1,"user":{"id":2,"user":{"id":1}}}}"#
        #expect(try place.importing(circle, "--replace", "--verify").status == 1)
        #expect(try place.exported() == ImportTests.old + "\n")
    }

    @Test("A store through a link is replaced where it lies", arguments: ["lmdb", "sqlite", "leveldb"])
    func replacingThroughLink(backend: String) throws {
        let place = try Place(backend)
        #expect(try place.importing(ImportTests.old).status == 0)
        try FileManager.default.createSymbolicLink(
            atPath: place.path("stores/link"), withDestinationPath: place.path("stores/store"))
        #expect(try place.importing(ImportTests.new, "--replace", store: "link").status == 0)
        #expect(try place.exported() == ImportTests.new + "\n")
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: place.path("stores/link")).hasSuffix("store"))
        #expect(try place.names("stores") == ["link", "store"])
    }

    @Test("A store beside other files is not replaced, whatever their names", arguments: ["lmdb", "sqlite", "leveldb"])
    func strangers(backend: String) throws {
        let place = try Place(backend)
        #expect(try place.importing(ImportTests.old).status == 0)
        let names = [
            "notes.log", "grove-notes.txt", "groves.csv", "grove", ".env", "2024.csv", "MANIFEST-", "store.sqlite2",
        ]
        for name in names {
            try place.write("mine", to: "stores/store/\(name)")
            let refused = try place.importing(ImportTests.new, "--replace")
            #expect(refused.status == 2 && refused.errors.contains(name), "\(refused.errors)")
            #expect(try place.names("stores/store").contains(name))
            try FileManager.default.removeItem(atPath: place.path("stores/store/\(name)"))
        }
        _ = try place.directory.make("stores/store/grove-photos")
        #expect(try place.importing(ImportTests.new, "--replace").status == 2)
        #expect(try place.names("stores/store").contains("grove-photos"))
        #expect(try place.exported() == ImportTests.old + "\n")
    }

    @Test(
        "What systems put into a store's directory does not keep it, and stays",
        arguments: ["lmdb", "sqlite", "leveldb"])
    func systemFiles(backend: String) throws {
        let place = try Place(backend)
        #expect(try place.importing(ImportTests.old).status == 0)
        let names = [".DS_Store", "Thumbs.db", ".nfs000000000001"]
        for name in names { try place.write("the system's", to: "stores/store/\(name)") }
        let replaced = try place.importing(ImportTests.new, "--replace")
        #expect(replaced.status == 0, "\(replaced.errors)")
        #expect(try place.exported() == ImportTests.new + "\n")
        #expect(Set(try place.names("stores/store")).isSuperset(of: names))
        #expect(try place.names("stores") == ["store"])
    }

    @Test("A store that another process holds is not replaced")
    func locked() throws {
        let place = try Place("leveldb")
        #expect(try place.importing(ImportTests.old).status == 0)
        let holder = try BackendName.leveldb.open(place.path("stores/store"))
        let refused = try place.importing(ImportTests.new, "--replace")
        holder.close()
        #expect(refused.status == 1 && refused.errors.contains("locked"), "\(refused.errors)")
        #expect(try place.exported() == ImportTests.old + "\n")
    }

    @Test("A process that has the store open reads the one that replaced it", arguments: [BackendName.lmdb, .sqlite])
    func peers(backend: BackendName) throws {
        let place = try Place(backend.rawValue)
        #expect(try place.importing(ImportTests.old).status == 0)
        let peer = try backend.open(place.path("stores/store"))
        defer { peer.close() }
        #expect(try peer.document(in: "the store").description == ImportTests.old)
        #expect(try place.importing(ImportTests.new, "--replace").status == 0)
        #expect(try peer.document(in: "the store").description == ImportTests.new)
    }

    @Test("A replacement that is not installed leaves nothing", arguments: [BackendName.lmdb, .sqlite, .leveldb])
    func abandoned(backend: BackendName) throws {
        let place = try Place(backend.rawValue)
        #expect(try place.importing(ImportTests.old).status == 0)
        do {
            let replacement = try StoreReplacement(of: StorePlace(backend, place.path("stores/store")))
            let cache = try replacement.place.open()
            try cache.flush(.standard)
            cache.close()
            #expect(try place.names("stores").count == 2)
        }
        #expect(try place.names("stores") == ["store"])
        #expect(try place.exported() == ImportTests.old + "\n")
    }

    @Test("The size that is printed is that of the files that stay", arguments: ["lmdb", "sqlite", "leveldb"])
    func bytesOnDisk(backend: String) throws {
        let place = try Place(backend)
        func size() throws -> Int { try StoreFiles(place.path("stores/store")).allocatedBytes() }
        for more in [[], ["--replace"]] {
            try place.write(ImportTests.old, to: "document.json")
            let outcome = try ToolProcess.run(
                ["import", place.path("document.json"), "--identity", place.path("rules.json"), "--backend", backend]
                    + ["--store", place.path("stores/store")] + more)
            #expect(try JSONParser.parse(outcome.output)["bytesOnDisk"]?.description == "\(try size())")
        }
        let statistics = try ToolProcess.run(
            ["inspect", "--stats", "--format", "json", "--backend", backend, "--store", place.path("stores/store")])
        #expect(try JSONParser.parse(statistics.output)["bytesOnDisk"]?.description == "\(try size())")
    }

    @Test("The document, or the rules, may be standard input")
    func standardInput() throws {
        let place = try Place("memory")
        try place.write(ImportTests.old, to: "document.json")
        let (document, rules) = (place.path("document.json"), place.path("rules.json"))
        func run(_ file: String, _ identity: String, _ input: String) throws -> ToolProcess.Outcome {
            try ToolProcess.run(["import", file, "--identity", identity, "--backend", "memory"], input: input)
        }
        #expect(
            try run("-", rules, document).output == #"{"occurrences":1,"nodes":1,"edges":0,"bytesOnDisk":0}"# + "\n")
        #expect(try run(document, "-", rules).status == 0)
        #expect(try run("/dev/stdin", rules, document).status == 0)
        let both = try run("-", "-", rules)
        #expect(both.status == 2 && both.errorLines.count == 1)
        let bad = try run("-", rules, "/dev/null")
        #expect(bad.status == 2 && bad.errors.hasPrefix("grove: standard input:1:1: not JSON"), "\(bad.errors)")
    }

    @Test("Too many occurrences are refused where the document has them, before the rest is read")
    func limit() throws {
        let place = try Place("memory")
        try place.write("[{\"user\":[{\"id\":1},{\"id\":1}]},\n{\"user\":{\"id\":2}}, nonsense", to: "document.json")
        func read(_ limit: Int) throws {
            _ = try InputFile.document(
                place.path("document.json"), identity: place.path("rules.json"), limit: limit)
        }
        #expect { try read(2) } throws: { "\($0)".contains("document.json:2:9: the rules identify more than") }
        #expect { try read(3) } throws: { "\($0)".contains(":2:21: not JSON") }
    }
}

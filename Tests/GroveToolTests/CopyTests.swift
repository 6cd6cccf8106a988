import Foundation
import GroveCache
import GroveCompare
import GroveTool
import Testing

@Suite("Copying", .enabled(if: ToolProcess.executable != nil, "needs the built executable"))
struct CopyTests {
    private static let document = #"{"user":{"id":1,"name":"Ada"}}"#

    /// A directory with a store of the document.
    private static func place(_ backend: String, _ more: String..., text: String = document) throws
        -> (directory: TemporaryDirectory, outcome: ToolProcess.Outcome)
    {
        let directory = try TemporaryDirectory()
        let rules = #"{"rules":[{"field":"user","type":"User","id":"id"}]}"#
        try Data(rules.utf8).write(to: URL(fileURLWithPath: directory.path + "/rules.json"))
        try Data(text.utf8).write(to: URL(fileURLWithPath: directory.path + "/document.json"))
        let outcome = try ToolProcess.run(
            ["import", directory.path + "/document.json", "--identity", directory.path + "/rules.json"]
                + ["--backend", backend, "--store", directory.path + "/store"] + more)
        return (directory, outcome)
    }

    @Test("A copy holds what the store holds, and its place must be empty", arguments: ["lmdb", "sqlite", "leveldb"])
    func copying(backend: String) throws {
        let (directory, _) = try Self.place(backend)
        let (store, copy) = (directory.path + "/store", directory.path + "/copies/first")
        #expect(try ToolProcess.run(["copy", store, copy]).status == 0)
        let exported = try ToolProcess.run(["export", "--backend", backend, "--store", copy])
        #expect(exported.output == Self.document + "\n", "\(exported.errors)")
        let again = try ToolProcess.run(["copy", store, copy])
        #expect(again.status == 2 && again.errors.contains("needs an empty one"), "\(again.errors)")
        #expect(try ToolProcess.run(["export", "--backend", backend, "--store", copy]).output == exported.output)
        #expect(try ToolProcess.run(["copy", directory.path, copy + "2"]).status == 2)
        #expect(!FileManager.default.fileExists(atPath: copy + "2"))
    }

    @Test("A store that a process has open is copied", arguments: [BackendName.lmdb, .sqlite])
    func beside(backend: BackendName) throws {
        let (directory, _) = try Self.place(backend.rawValue)
        let peer = try backend.open(directory.path + "/store")
        defer { peer.close() }
        #expect(try ToolProcess.run(["copy", directory.path + "/store", directory.path + "/copy"]).status == 0)
        let copy = try backend.open(directory.path + "/copy")
        defer { copy.close() }
        #expect(try copy.document(in: "the copy").description == Self.document)
    }

    @Test("A directory with a copy that was interrupted is no store and says so", arguments: [BackendName.lmdb])
    func interrupted(backend: BackendName) throws {
        let (directory, _) = try Self.place(backend.rawValue)
        let store = directory.path + "/store"
        try FileManager.default.moveItem(atPath: store + "/grove.generation", toPath: store + "/grove.copy")
        #expect {
            _ = try backend.open(store)
        } throws: {
            "\($0)".hasPrefix("notAStore") && "\($0)".contains("not finished")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: store).contains("data.mdb"))
    }

    @Test("A copy whose task is cancelled leaves nothing", arguments: [BackendName.lmdb, .sqlite, .leveldb])
    func cancelled(backend: BackendName) async throws {
        let directory = try TemporaryDirectory()
        let cache = try backend.open(directory.path + "/store")
        defer { cache.close() }
        try cache.fill(0..<60_000)
        let path = directory.path + "/copy"
        let copying = Task { try await cache.copy(to: path) }
        copying.cancel()
        await #expect {
            try await copying.value
        } throws: {
            "\($0)".hasPrefix("cancelled")
        }
        #expect(!FileManager.default.fileExists(atPath: path))
        try await cache.copy(to: path)
    }

    @Test("A cache in memory is not copied")
    func memory() async throws {
        let cache = try BackendName.memory.open(nil)
        defer { cache.close() }
        await #expect {
            try await cache.copy(to: "/nowhere")
        } throws: {
            "\($0)".hasPrefix("unsupported")
        }
    }

    @Test("A store on a read-only mount is exported and inspected", arguments: ["lmdb", "sqlite", "leveldb"])
    func readOnly(backend: String) throws {
        let (directory, _) = try Self.place(backend)
        let store = directory.path + "/store"
        let mount = #"mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" && shift && exec "$@""#
        func run(_ words: [String]) throws -> ToolProcess.Outcome {
            try ToolProcess.run(
                (geteuid() == 0 ? [] : ["-r"]) + ["-m", "sh", "-c", mount, "sh", store] + words, of: "/usr/bin/unshare")
        }
        // Some systems let no process mount.
        guard try run(["true"]).status == 0 else { return }
        let tool = try #require(ToolProcess.executable)
        let named = ["--backend", backend, "--store", store]
        let before = try FileManager.default.contentsOfDirectory(atPath: store).sorted()
        let exported = try run([tool, "export"] + named)
        #expect(exported.output == Self.document + "\n", "\(exported.errors)")
        let counted = try run([tool, "inspect", "--stats", "--format", "json"] + named)
        #expect(try JSONParser.parse(counted.output)["nodes"]?.description == "1", "\(counted.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: store).sorted() == before)
    }

    @Test("A LevelDB store that a process has open is exported and inspected")
    func openLevelDB() throws {
        let (directory, _) = try Self.place("leveldb")
        let store = directory.path + "/store"
        let peer = try BackendName.leveldb.open(store)
        defer { peer.close() }
        try peer.fill(0..<100)
        try peer.flush(.standard)
        let named = ["--backend", "leveldb", "--store", store]
        let exported = try ToolProcess.run(["export"] + named)
        #expect(exported.output == Self.document + "\n", "\(exported.errors)")
        let counted = try ToolProcess.run(["inspect", "--stats", "--format", "json"] + named)
        #expect(try JSONParser.parse(counted.output)["nodes"]?.description == "101", "\(counted.errors)")
        try peer.fill(100..<101)
    }

    @Test("--map-size says how large LMDB's store may be, and is LMDB's")
    func mapSize() throws {
        let long = #"{"user":{"id":1,"name":"\#(String(repeating: "x", count: 400_000))"}}"#
        let small = try Self.place("lmdb", "--map-size", "131072", text: long)
        #expect(small.outcome.status == 1 && small.outcome.errors.contains("full"), "\(small.outcome.errors)")
        let large = try Self.place("lmdb", "--map-size", "1048576", text: long)
        #expect(large.outcome.status == 0, "\(large.outcome.errors)")
        let store = large.directory.path + "/store"
        #expect(
            try ToolProcess.run(["export", "--backend", "lmdb", "--store", store, "--map-size", "2097152"]).status == 0)
        let sqlite = try Self.place("sqlite", "--map-size", "131072")
        #expect(sqlite.outcome.status == 2 && sqlite.outcome.errors.contains("--map-size"), "\(sqlite.outcome.errors)")
    }
}

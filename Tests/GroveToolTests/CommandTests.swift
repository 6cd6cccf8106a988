import Foundation
import GroveCompare
import GroveTool
import Testing

@Suite("The command line", .enabled(if: ToolProcess.executable != nil, "needs the built executable"))
struct CommandTests {
    private let directory = FileManager.default.temporaryDirectory
        .appendingPathComponent("grove-commands-\(UUID().uuidString)")

    private static let document = #"{"user":{"id":1,"name":"Ada","friend":{"user":{"id":2,"name":"Bob"}}}}"#
    private static let rules = #"{"rules":[{"field":"user","type":"User","id":"id"}]}"#

    /// Runs `body` with files for a call, and sees to it that nothing stays behind.
    private func withFiles(_ body: ((String) -> String) throws -> Void) throws {
        let files = FileManager.default
        try files.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? files.removeItem(at: directory) }
        let contents = [
            "good.json": CommandTests.document, "rules.json": CommandTests.rules, "bad.json": "{\"a\":\n [1,]}",
            "none.json": #"{"rules":[{"field":"nobody","type":null,"id":"id"}]}"#, "malformed.json": #"{"rules":{}}"#,
        ]
        for (name, text) in contents {
            try Data(text.utf8).write(to: directory.appendingPathComponent(name))
        }
        try body { directory.appendingPathComponent($0).path }
    }

    private func importing(
        _ path: (String) -> String, _ file: String = "good.json", _ rules: String = "rules.json",
        _ backend: String = "lmdb", _ store: String = "store", _ more: String...
    ) throws -> ToolProcess.Outcome {
        try ToolProcess.run(
            ["import", path(file), "--identity", path(rules), "--backend", backend, "--store", path(store)] + more)
    }

    @Test("A second process reads what the first imported", arguments: ["lmdb", "sqlite", "leveldb"])
    func twoProcesses(backend: String) throws {
        try withFiles { path in
            let imported = try importing(path, "good.json", "rules.json", backend, "store", "--verify")
            #expect(imported.status == 0)
            let last = try JSONParser.parse(String(imported.output.split(separator: "\n").last ?? ""))
            #expect(last["occurrences"]?.description == "2" && last["nodes"]?.description == "2")
            #expect(last["edges"]?.description == "1" && last["bytesOnDisk"]?.description != "0")

            let place = ["--backend", backend, "--store", path("store")]
            let exported = try ToolProcess.run(["export"] + place)
            #expect(exported.status == 0)
            let expected = try JSONParser.parse(CommandTests.document)
            #expect(try JSONParser.parse(exported.output).firstDifference(from: expected) == nil)

            let toFile = try ToolProcess.run(["export", "--output", path("out.json")] + place)
            #expect(toFile.status == 0 && toFile.output.isEmpty)
            #expect(try InputFile.json(path("out.json"), as: "output").firstDifference(from: expected) == nil)

            let tree = try ToolProcess.run(["inspect", "User:2", "--tree", "--format", "json"] + place)
            #expect(try JSONParser.parse(tree.output)["name"]?.text == "Bob")
            let record = try JSONParser.parse(
                try ToolProcess.run(["inspect", "User:1", "--format", "json"] + place).output)
            #expect(record["recordName"]?.text == "User")
            #expect(record["body"]?["friend"]?["user"]?["$ref"]?.text == "User:2")
            let statistics = try ToolProcess.run(["inspect", "--stats", "--format", "json"] + place)
            #expect(try JSONParser.parse(statistics.output)["references"]?.description == "1")
            let list = try ToolProcess.run(["inspect", "--limit", "1"] + place)
            #expect(list.output.contains("User:1") && list.output.contains("1 of 2 nodes"))
        }
    }

    @Test("Memory is verified in the same process")
    func memory() throws {
        try withFiles { path in
            let outcome = try ToolProcess.run(
                ["import", path("good.json"), "--identity", path("rules.json"), "--backend", "memory", "--verify"])
            #expect(outcome.status == 0)
            #expect(outcome.output == "{\"occurrences\":2,\"nodes\":2,\"edges\":1,\"bytesOnDisk\":0}\n")
        }
    }

    @Test(
        "Bad input is refused on one line, and nothing is made",
        arguments: [
            ("missing.json", "rules.json", "no file"), ("bad.json", "rules.json", ":2:5: not JSON"),
            ("good.json", "none.json", "identified by the rules"), ("good.json", "malformed.json", "no identity rules"),
            ("good.json", "missing.json", "no file"), (".", "rules.json", "is a directory"),
        ], ["memory", "lmdb", "sqlite", "leveldb"])
    func badInput(files: (String, String, String), backend: String) throws {
        try withFiles { path in
            let outcome = try importing(path, files.0, files.1, backend)
            #expect(outcome.status == 2 && outcome.output.isEmpty)
            #expect(outcome.errorLines.count == 1 && outcome.errors.contains(files.2), "\(outcome.errors)")
            #expect(!FileManager.default.fileExists(atPath: path("store")))
        }
    }

    @Test("A store's directory that is a file is refused", arguments: ["lmdb", "sqlite", "leveldb"])
    func storeIsFile(backend: String) throws {
        try withFiles { path in
            let outcome = try importing(path, "good.json", "rules.json", backend, "bad.json")
            #expect(outcome.status == 2 && outcome.errorLines.count == 1 && outcome.errors.contains("is a file"))
        }
    }

    @Test("Another backend's store is refused and left as it is", arguments: ["lmdb", "sqlite", "leveldb"])
    func otherBackend(backend: String) throws {
        try withFiles { path in
            #expect(try importing(path, "good.json", "rules.json", backend).status == 0)
            let before = try FileManager.default.contentsOfDirectory(atPath: path("store")).sorted()
            for other in ["lmdb", "sqlite", "leveldb"] where other != backend {
                let outcome = try importing(path, "good.json", "rules.json", other)
                #expect(outcome.status == 2 && outcome.errorLines.count == 1 && outcome.errors.contains(backend))
                let exported = try ToolProcess.run(["export", "--backend", other, "--store", path("store")])
                #expect(exported.status == 2 && exported.errorLines.count == 1)
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: path("store")).sorted() == before)
        }
    }

    @Test("A directory that cannot be made is refused", arguments: ["lmdb", "sqlite", "leveldb"])
    func unwritable(backend: String) throws {
        try withFiles { path in
            let outcome = try importing(path, "good.json", "rules.json", backend, "bad.json/store")
            #expect(outcome.status == 1 || outcome.status == 2)
            #expect(outcome.errorLines.count == 1 && outcome.output.isEmpty)
        }
    }

    @Test("Looking for a store makes none", arguments: ["export", "inspect"], ["lmdb", "sqlite", "leveldb"])
    func nothingThere(command: String, backend: String) throws {
        try withFiles { path in
            let missing = try ToolProcess.run([command, "--backend", backend, "--store", path("store")])
            #expect(missing.status == 2 && missing.errorLines.count == 1)
            #expect(!FileManager.default.fileExists(atPath: path("store")))
            try FileManager.default.createDirectory(atPath: path("empty"), withIntermediateDirectories: false)
            let empty = try ToolProcess.run([command, "--backend", backend, "--store", path("empty")])
            #expect(empty.status == 2 && empty.errorLines.count == 1)
            #expect(try FileManager.default.contentsOfDirectory(atPath: path("empty")).isEmpty)
        }
    }

    @Test(
        "A call that makes no sense ends with 2 and one line",
        arguments: [
            ["import"], ["nonsense"], ["export", "--backend", "oracle"], ["export", "--backend", "lmdb"],
            ["export", "--backend", "memory"], ["compare", "--workload", "nothing"],
            ["compare", "--backend", "oracle"], ["compare", "--input", "x", "--identity", "y", "--coding", "morse"],
            ["compare", "--input", "x.json"], ["compare", "--output", "/nowhere/at/all"],
            ["inspect", "--backend", "lmdb", "--store", "x", "--tree"],
        ])
    func usage(arguments: [String]) throws {
        let outcome = try ToolProcess.run(arguments)
        #expect(outcome.status == 2 && outcome.output.isEmpty && outcome.errorLines.count == 1, "\(outcome.errors)")
    }

    @Test("The help on comparing says that documents have both codings")
    func helpOnCodings() throws {
        let outcome = try ToolProcess.run(["compare", "--help"])
        #expect(outcome.status == 0)
        #expect(outcome.output.contains("--identity rules.json --coding codable"))
        #expect(outcome.output.contains("specialised or codable"))
    }

    @Test("Help is help", arguments: ["", "import", "export", "inspect", "compare"])
    func help(command: String) throws {
        let outcome = try ToolProcess.run((command.isEmpty ? [] : [command]) + ["--help"])
        #expect(outcome.status == 0 && outcome.output.contains("EXAMPLES") && outcome.errors.isEmpty)
    }
}

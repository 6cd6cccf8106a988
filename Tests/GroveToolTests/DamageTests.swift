import Foundation
import GroveCache
import GroveCompare
import GroveTool
import Testing

@Suite("Stores with a damaged part", .enabled(if: ToolProcess.executable != nil, "needs the built executable"))
struct DamageTests {
    private static let count = 3_000

    /// A store of users in `directory`, in the place `store`, that no process has open.
    private func makeStore(_ backend: BackendName, in directory: TemporaryDirectory) throws -> String {
        var random = SplitMix(seed: 42)
        var users: [String] = []
        for number in 0..<Self.count {
            let text = (0..<18).map { _ in String(UInt64.random(in: 0 ... .max, using: &random), radix: 16) }.joined()
            users.append(#"{"id":\#(number),"name":"user \#(number) \#(text)"}"#)
        }
        let (document, rules) = (directory.path + "/document.json", directory.path + "/rules.json")
        try Data(#"{"user":[\#(users.joined(separator: ","))]}"#.utf8).write(to: URL(fileURLWithPath: document))
        try Data(#"{"rules":[{"field":"user","type":"User","id":"id"}]}"#.utf8).write(to: URL(fileURLWithPath: rules))
        let store = directory.path + "/store"
        let cache = try backend.open(store)
        _ = try cache.write(try InputFile.document(document, identity: rules).1)
        try cache.flush(.standard)
        cache.close()
        // LevelDB makes a table of its log.
        try backend.open(store).close()
        return store
    }

    /// Overwrites the middle of `count` pages with users in them, spread over the store's main file.
    private func damage(_ backend: BackendName, _ store: String, pages count: Int) throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: store).map {
            URL(fileURLWithPath: store + "/" + $0)
        }
        let main = try #require(
            files.filter { ["data.mdb", "store.sqlite"].contains($0.lastPathComponent) || $0.pathExtension == "ldb" }
                .max {
                    try $0.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
                        < $1.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
                })
        var bytes = [UInt8](try Data(contentsOf: main))
        let pages = stride(from: 0, to: bytes.count - 4_095, by: 4_096).filter { page in
            switch backend {
            case .sqlite: bytes[page] == 0x0D && bytes[page..<page + 4_096].contains(UInt8(ascii: "u"))
            // A leaf, by its head.
            case .lmdb: bytes[page + 10] == 2 && bytes[page + 11] == 0
            default: true
            }
        }
        for index in 0..<count {
            let page = pages[(index + 1) * pages.count / (count + 2)]
            for byte in 0..<4_096 { bytes[page + byte] = UInt8(truncatingIfNeeded: byte &* 131 &+ 77) }
        }
        try Data(bytes).write(to: main)
    }

    @Test(
        "A damaged part stops neither the count nor the export of the rest, and both say what cannot be read",
        arguments: [BackendName.sqlite, .leveldb, .lmdb], [1, 3])
    func theRest(backend: BackendName, pages: Int) throws {
        let directory = try TemporaryDirectory()
        let store = try makeStore(backend, in: directory)
        try damage(backend, store, pages: pages)
        let named = ["--backend", backend.rawValue, "--store", store]
        let before = try FileManager.default.contentsOfDirectory(atPath: store).sorted()

        let counted = try ToolProcess.run(["inspect", "--stats", "--format", "json"] + named)
        #expect(counted.status == 3 && counted.errorLines.count == 1, "\(counted.status) \(counted.errors)")
        #expect(counted.errors.contains("node User:"), "\(counted.errors)")
        let nodes = Int(try JSONParser.parse(counted.output)["nodes"]?.description ?? "") ?? 0
        #expect(nodes < Self.count && nodes > Self.count - pages * 80, "\(nodes)")

        let exported = try ToolProcess.run(["export"] + named)
        #expect(exported.status == 3 && exported.errorLines.count == 1, "\(exported.status) \(exported.errors)")
        guard case .array(let users)? = try JSONParser.parse(exported.output)["user"] else {
            Issue.record("no users: \(exported.errors)")
            return
        }
        #expect(users.count == Self.count)
        var read = 0
        for (number, user) in users.enumerated() {
            if user["name"]?.text?.hasPrefix("user \(number) ") == true {
                read += 1
            } else {
                #expect(user["$ref"]?.text == "User:\(number)")
            }
        }
        #expect(read == nodes)
        let listed = try ToolProcess.run(["inspect", "--limit", "0", "--format", "json"] + named)
        #expect(try JSONParser.parse(listed.output)["total"]?.description == "\(nodes)")
        #expect(listed.status == 3)
        let after = try FileManager.default.contentsOfDirectory(atPath: store)
        #expect(!after.contains("grove-set-aside"))
        // LevelDB names its log and its manifest again at each opening.
        #expect(backend == .leveldb || after.sorted() == before)
    }
}

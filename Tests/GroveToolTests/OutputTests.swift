import Foundation
import GroveCompare
import GrovePlatform
import GroveTool
import Testing

@Suite("Files of results")
struct OutputTests {
    private let files = FileManager.default

    private func write(_ text: String, to path: String) throws {
        try OutputFile.check(path)
        try OutputFile.write(Array(text.utf8), to: path)
    }

    private func text(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

    @Test("A file appears, or is replaced and keeps its mode")
    func regular() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/out"
        try write("one", to: path)
        #expect(try text(path) == "one\n")
        try files.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
        try write("two", to: path)
        #expect(try text(path) == "two\n")
        #expect(try files.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o640)
        #expect(try files.contentsOfDirectory(atPath: directory.path) == ["out"])
    }

    @Test("A link stays a link, and what it leads to is written", arguments: [true, false])
    func link(isThere: Bool) throws {
        let directory = try TemporaryDirectory()
        let (path, target) = (directory.path + "/link", try directory.make("other") + "/target")
        if isThere { try Data("before".utf8).write(to: URL(fileURLWithPath: target)) }
        try files.createSymbolicLink(atPath: path, withDestinationPath: "other/target")
        try write("after", to: path)
        #expect(try files.destinationOfSymbolicLink(atPath: path) == "other/target")
        #expect(try text(target) == "after\n")
        #expect(try files.contentsOfDirectory(atPath: directory.path + "/other") == ["target"])
    }

    @Test("A pipe is written to, and stays a pipe; one is read from")
    func pipe() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/pipe"
        try #require(unsafe mkfifo(path, 0o600) == 0)
        // Open for both, so that neither side waits for the other to open it.
        let descriptor = unsafe open(path, O_RDWR)
        defer { close(descriptor) }
        try write("through", to: path)
        var bytes = [UInt8](repeating: 0, count: 16)
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
        #expect(bytes.prefix(max(count, 0)).elementsEqual("through\n".utf8))
        // And a pipe is read from: its writer is the only one, and gone when the reader comes to its end.
        let other = directory.path + "/other"
        try #require(unsafe mkfifo(other, 0o600) == 0)
        let writer = Thread { try? OutputFile.write(Array("1".utf8), to: other) }
        writer.start()
        #expect(try InputFile.json(other, as: "document").description == "1")
        var status = stat()
        #expect(unsafe lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO)
    }

    @Test("What cannot be written is refused before any work")
    func refused() throws {
        let directory = try TemporaryDirectory()
        #expect(throws: ToolError.self) { try OutputFile.check(directory.path) }
        #expect(throws: ToolError.self) { try OutputFile.check(directory.path + "/none/out") }
    }
}

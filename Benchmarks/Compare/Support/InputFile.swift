#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A file that the user named for reading; `-` is standard input.
package enum InputFile {
    /// What the file at `path` is called in messages.
    package static func name(_ path: String) -> String { path == "-" ? "standard input" : path }

    /// The bytes of the file at `path`, which may be a pipe.
    ///
    /// - Throws: ``ToolError`` that says why there are none.
    package static func read(_ path: String, as what: String) throws(ToolError) -> [UInt8] {
        guard path != "-" else { return try read(STDIN_FILENO, name(path)) }
        switch FilePlace(path) {
        case .missing: throw .input("there is no file \(path); check the path of the \(what)")
        case .directory: throw .input("\(path) is a directory; the \(what) must be a file")
        case .file: break
        }
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .input("\(path) cannot be read; check its permissions") }
        defer { close(descriptor) }
        return try read(descriptor, path)
    }

    private static func read(_ descriptor: Int32, _ name: String) throws(ToolError) -> [UInt8] {
        var text: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes { unsafe systemRead(descriptor, $0) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .input("\(name) cannot be read") }
            guard count > 0 else { return text }
            text.append(contentsOf: buffer[..<count])
        }
    }

    private static func systemRead(_ descriptor: Int32, _ bytes: UnsafeMutableRawBufferPointer) -> Int {
        #if canImport(Darwin)
            unsafe Darwin.read(descriptor, bytes.baseAddress, bytes.count)
        #elseif canImport(Glibc)
            unsafe Glibc.read(descriptor, bytes.baseAddress, bytes.count)
        #else
            unsafe Musl.read(descriptor, bytes.baseAddress, bytes.count)
        #endif
    }

    /// The JSON value in the file at `path`.
    static func json(
        _ path: String, as what: String, inspecting inspect: @escaping JSONParser.Inspection = { _, _ in nil }
    ) throws(ToolError) -> JSON {
        let text = try read(path, as: what)
        do {
            return try JSONParser.parse(text, inspecting: inspect)
        } catch {
            throw .input("\(name(path)):\(error.line):\(error.column): \(error.reason)")
        }
    }

    /// The document of `path`, taken apart by the rules in the file at `rules`.
    ///
    /// - Parameter limit: the most objects that the rules may identify; of more no more is read than it takes to see it.
    package static func document(
        _ path: String, identity rules: String, limit: Int = DocumentNode.maxPaths
    ) throws(ToolError) -> (JSON, Document) {
        guard path != "-" || rules != "-" else {
            throw .input("standard input is the document or the rules, not both; name a file for one of them")
        }
        let identity = try IdentityRules(try self.json(rules, as: "identity rules"), file: name(rules))
        var occurrences = 0
        // Not counted here are entries of dictionaries, which are known as such when all of them were read.
        let json = try json(path, as: "document") { members, field in
            if identity.identity(of: members, under: field) != nil { occurrences += 1 }
            return occurrences > limit ? Document.hasTooManyOccurrences : nil
        }
        let document = try Document(json, rules: identity)
        guard document.occurrences > 0 else {
            throw .input(
                "no object of \(name(path)) is identified by the rules of \(name(rules)); check their fields and ids")
        }
        return (json, document)
    }
}

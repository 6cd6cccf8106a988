import GroveModel
import GrovePlatform

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
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
        var status = stat()
        if unsafe fstat(descriptor, &status) == 0 { text.reserveCapacity(max(Int(status.st_size), 0)) }
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
    package static func json(
        _ path: String, as what: String, inspecting inspect: @escaping JSONParser.Inspection = { _, _ in nil }
    ) throws(ToolError) -> JSON {
        let text = try read(path, as: what)
        do {
            return try JSONParser.parse(text, inspecting: inspect)
        } catch {
            throw failure(error, in: path)
        }
    }

    /// The document of `path`, taken apart while it is read by the rules in the file at `rules`; and its text, if that
    /// is kept.
    package static func stream(
        _ path: String, identity rules: String, keepsText: Bool
    ) throws(ToolError) -> (DocumentStream, text: [UInt8]?) {
        let identity = try self.rules(rules, beside: path)
        let text = try read(path, as: "document")
        let document: DocumentStream
        do {
            document = try DocumentStream(text, rules: identity)
        } catch let error as JSONParser.Failure {
            throw failure(error, in: path)
        } catch let error as CacheError {
            throw ToolError(error, "cannot store \(name(path))")
        } catch {
            throw error as? ToolError ?? .failed("\(name(path)) cannot be read: \(error)")
        }
        guard document.occurrences > 0 else { throw noneIdentified(path, rules) }
        return (document, keepsText ? text : nil)
    }

    /// The JSON value that `text`, read from `path`, spells.
    package static func json(_ text: [UInt8], from path: String) throws(ToolError) -> JSON {
        do {
            return try JSONParser.parse(text)
        } catch {
            throw failure(error, in: path)
        }
    }

    private static func failure(_ failure: JSONParser.Failure, in path: String) -> ToolError {
        .input("\(name(path)):\(failure.line):\(failure.column): \(failure.reason)")
    }

    private static func noneIdentified(_ path: String, _ rules: String) -> ToolError {
        .input("no object of \(name(path)) is identified by the rules of \(name(rules)); check their fields and ids")
    }

    private static func rules(_ rules: String, beside path: String) throws(ToolError) -> IdentityRules {
        guard path != "-" || rules != "-" else {
            throw .input("standard input is the document or the rules, not both; name a file for one of them")
        }
        return try IdentityRules(try self.json(rules, as: "identity rules"), file: name(rules))
    }

    /// The document of `path`, taken apart by the rules in the file at `rules`.
    ///
    /// - Parameter limit: the most objects that the rules may identify; of more no more is read than it takes to see
    ///   it.
    package static func document(
        _ path: String, identity rules: String, limit: Int = DocumentNode.maxPaths
    ) throws(ToolError) -> (JSON, Document) {
        let identity = try self.rules(rules, beside: path)
        var occurrences = 0
        // Not counted here are entries of dictionaries, which are known as such when all of them were read.
        let json = try json(path, as: "document") { members, field in
            if identity.identity(of: members, under: field) != nil { occurrences += 1 }
            return occurrences > limit ? Document.hasTooManyOccurrences : nil
        }
        let document = try Document(json, rules: identity)
        guard document.occurrences > 0 else { throw noneIdentified(path, rules) }
        return (json, document)
    }
}

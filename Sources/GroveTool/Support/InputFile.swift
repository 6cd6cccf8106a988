#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A file that the user named for reading.
enum InputFile {
    /// The bytes of the file at `path`.
    ///
    /// - Throws: ``ToolError`` that says why there are none.
    static func read(_ path: String, as what: String) throws(ToolError) -> [UInt8] {
        switch FilePlace(path) {
        case .missing: throw .input("there is no file \(path); check the path of the \(what)")
        case .directory: throw .input("\(path) is a directory; the \(what) must be a file")
        case .file: break
        }
        guard let data = FileManager.default.contents(atPath: path) else {
            throw .input("\(path) cannot be read; check its permissions")
        }
        return Array(data)
    }

    /// The JSON value in the file at `path`.
    static func json(_ path: String, as what: String) throws(ToolError) -> JSON {
        let text = try read(path, as: what)
        do {
            return try JSONParser.parse(text)
        } catch {
            throw .input("\(path):\(error.line):\(error.column): not JSON: \(error.reason)")
        }
    }

    /// The document of `path`, taken apart by the rules in the file at `rules`.
    static func document(_ path: String, identity rules: String) throws(ToolError) -> (JSON, Document) {
        let json = try json(path, as: "document")
        let identity = try IdentityRules(try self.json(rules, as: "identity rules"), file: rules)
        let document = Document(json, rules: identity)
        guard document.occurrences > 0 else {
            throw .input("no object of \(path) is identified by the rules of \(rules); check their fields and ids")
        }
        return (json, document)
    }
}

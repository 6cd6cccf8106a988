import Foundation
import TestSupport
import Testing

/// The examples in the documentation of the cache's calls, read from its sources.
@Suite("Examples in the documentation of the cache")
struct DocumentedExamplesTests {
    /// A public function, with the first example of its documentation.
    struct Function: CustomStringConvertible {
        let file: String
        let line: Int
        let signature: String
        let example: [Substring]

        var description: String { "\(file):\(line): \(signature)" }
    }

    static let types: Set<Substring> = [
        "NormalizedCache", "CacheReader", "CacheWriter", "CacheSnapshot", "CacheView", "CacheTransaction",
        "ModelSequence", "Cache",
    ]

    /// The public functions of ``types``; those whose names begin with `_` are no application's.
    static func functions() throws -> [Function] {
        let folder = SwiftCompiler.root.appendingPathComponent("Sources/GroveCache/Interface")
        return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().flatMap { file in
            let source = try String(contentsOf: folder.appendingPathComponent(file), encoding: .utf8)
            return functions(of: source, file)
        }
    }

    static func functions(of source: String, _ file: String) -> [Function] {
        var isOfCache = false
        var lines: [Substring] = []
        var found: [Function] = []
        for (index, line) in source.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            if let type = line.firstMatch(of: /^(?:public |final )*(?:extension|struct|class|protocol) (\w+)/)?.1 {
                isOfCache = types.contains(type)
            }
            if isOfCache, line.contains(/^ {4}public (?:static |mutating )*(?:func [^_]|init\b)/) {
                found.append(
                    Function(
                        file: file, line: index + 1, signature: line.trimmingCharacters(in: .whitespaces),
                        example: example(in: lines)))
            }
            if line.hasPrefix("    ///") { lines.append(line) } else if !line.hasPrefix("    @") { lines = [] }
        }
        return found
    }

    private static func example(in documentation: [Substring]) -> [Substring] {
        let lines = documentation.map { $0.dropFirst("    /// ".count) }
        guard let begin = lines.firstIndex(of: "```swift") else { return [] }
        return Array(lines[(begin + 1)...].prefix { $0 != "```" })
    }

    /// What the examples stand in: an application's models and values.
    static let application = """
        import GroveMemory

        struct Person: CodableModel, KeyedModel, Equatable {
            let id: Int
            let name: String
            var modelIdentifier: ModelIdentifier? { Self.modelIdentifier(for: id) }
            static func modelIdentifier(for id: Int) -> ModelIdentifier { "Person:\\(id)" }
        }
        struct Message: CodableModel, KeyedModel, Equatable {
            let id: Int
            let text: String
            var isRead: Bool
            let sender: Person
            var modelIdentifier: ModelIdentifier? { Self.modelIdentifier(for: id) }
            static func modelIdentifier(for id: Int) -> ModelIdentifier { "Message:\\(id)" }
        }
        struct Draft: CodableModel, KeyedModel, Equatable {
            let id: String
            var text: String
            var modelIdentifier: ModelIdentifier? { Self.modelIdentifier(for: id) }
            static func modelIdentifier(for id: String) -> ModelIdentifier { "Draft:\\(id)" }
        }
        struct Counter: CodableModel, KeyedModel, Equatable {
            let id: String
            let value: Int
            var modelIdentifier: ModelIdentifier? { Self.modelIdentifier(for: id) }
            static func modelIdentifier(for id: String) -> ModelIdentifier { "Counter:\\(id)" }
        }
        func show<Shown>(_ shown: Shown) {}
        func load(_ identifier: ModelIdentifier) {}

        struct Server {
            func people() async throws -> [Person] { [] }
        }

        struct Application {
            let cache: MemoryCache
            let server: Server
            let person: Person
            let message: Message
            let messages: [Message]
            let older: [Message]

        """

    /// One source with each example in a function of its own, which the compiler calls by the documentation's place.
    static func source(of functions: [Function]) -> String {
        let bodies = functions.enumerated().map { number, function in
            let effects = function.example.contains { $0.contains("await ") } ? "async throws" : "throws"
            return """
                    func example\(number)() \(effects) {
                #sourceLocation(file: "\(function.file)", line: \(function.line))
                \(function.example.joined(separator: "\n"))
                #sourceLocation()
                    }

                """
        }
        return application + bodies.joined() + "}\n"
    }

    @Test("Each public function of the cache has one")
    func everyFunction() throws {
        let functions = try Self.functions()
        #expect(functions.count > 60, "the sources are not read as they are written")
        for function in functions where function.example.isEmpty { Issue.record("\(function) has no example") }
        for function in functions { #expect(function.example.count <= 6, "\(function) has a long example") }
    }

    @Test(
        "All of them compile", .enabled(if: SwiftCompiler.modules != nil, "needs the built modules beside the tests"))
    func compile() throws {
        let (said, succeeds) = try SwiftCompiler.check(Self.source(of: try Self.functions()))
        #expect(succeeds, "\(said.filter { $0.contains("error:") }.joined(separator: "\n"))")
    }

    @Test(
        "One that calls what is not there does not compile, and the compiler names its place",
        .enabled(if: SwiftCompiler.modules != nil, "needs the built modules beside the tests"))
    func broken() throws {
        let source = """
            public protocol CacheReader {
                /// Reads.
                ///
                /// ```swift
                /// let message = try cache.fetch("Message:34", as: Message.self)
                /// ```
                @discardableResult
                public func read()
                /// Has none.
                public func other()
            }
            """
        let functions = Self.functions(of: source, "Broken.swift")
        #expect(functions.map(\.line) == [8, 10] && functions.map(\.example.isEmpty) == [false, true])
        let (said, succeeds) = try SwiftCompiler.check(Self.source(of: functions))
        #expect(!succeeds)
        let errors = said.filter { $0.contains(": error: ") }
        #expect(!errors.isEmpty && errors.allSatisfy { $0.contains("Broken.swift:8:") && $0.contains("fetch") })
    }
}

#if Macros
    import TestSupport
    import Testing

    /// Whether the suites run that need the compiler, the plugin and the modules.
    @Suite("What the macro's tests need")
    struct PluginTests {
        @Test("The plugin and the modules are beside the tests: without them no expansion is compiled")
        func isThere() { #expect(SwiftCompiler.plugin != nil) }
    }

    /// What the compiler says of types that the macro cannot see.
    @Suite(
        "What the compiler says",
        .enabled(if: SwiftCompiler.plugin != nil, "needs the built modules and the plugin beside the tests")
    )
    struct CompilerTests {
        /// What is said of `source`, as `file:line: message`, or `file:line:column: message`.
        private func compile(
            _ source: String, withColumns: Bool = false
        ) throws -> (errors: [String], warnings: [String]) {
            let said = try SwiftCompiler.check("import GroveMacros; " + source).said
            func lines(_ kind: String) -> [String] {
                said.compactMap { line in
                    guard line.first != " ", let place = line.firstRange(of: ": \(kind): ") else { return nil }
                    let head = line[..<place.lowerBound].split(separator: "/").last?.split(separator: ":") ?? []
                    return "\(head.dropLast(withColumns ? 0 : 1).joined(separator: ":")): \(line[place.upperBound...])"
                }
            }
            return (lines("error"), lines("warning"))
        }

        private static let uncoded = "its type is not @Cacheable, NodeCodable or Codable"
        private static let unequal = "its type is not Equatable"
        private static let neither = "its type is neither @Cacheable, NodeCodable or Codable nor Equatable"

        @Test(
            "A field whose type cannot be stored or compared is one error, at its own line",
            arguments: [
                ("Plain", neither), ("[Plain]", neither), ("[String: Plain?]", neither), ("OnlyEquatable", uncoded),
                ("OnlyEncodable", uncoded), ("OnlyCodable", unequal), ("[OnlyCodable]?", unequal),
            ])
        func field(type: String, message: String) throws {
            let types = """
                struct Plain {}; struct OnlyEquatable: Equatable {}; struct OnlyCodable: Codable {}
                struct OnlyEncodable: Encodable, Equatable {}

                """
            for head in ["struct A", "final class A", "extension N { @Cacheable struct A"] {
                let isNested = head.hasPrefix("extension")
                let (errors, warnings) = try compile(
                    types + """
                        enum N {}
                        \(isNested ? "" : "@Cacheable ")\(head) {
                            let id: Int
                            let x: \(type)
                            let y: String
                        }\(isNested ? " }" : "")
                        """)
                #expect(errors.count == 1, "\(head): \(errors)")
                #expect(
                    errors.allSatisfy { $0.hasPrefix("App.swift:6: ") && $0.contains(message) }, "\(head): \(errors)")
                #expect(warnings.isEmpty, "\(head): \(warnings)")
            }
            let (errors, warnings) = try compile(
                types + """
                    @Cacheable enum A {
                        case a(Int)
                        case b(y: String,
                            x: \(type))
                    }
                    """)
            #expect(errors.count == 1, "\(errors)")
            #expect(errors.allSatisfy { $0.hasPrefix("App.swift:6: ") && $0.contains(message) }, "\(errors)")
            #expect(warnings.isEmpty, "\(warnings)")
        }

        @Test(
            "The error of such a field is at the property's name, or at the type of a case's value",
            arguments: ["Plain", "[Plain]?"])
        func place(type: String) throws {
            for (head, line, name) in [
                ("struct A {", "        let id: Int, second: String, x: \(type)", "x"),
                ("struct A {", "        public let x: \(type); let y: Int", "x"), ("struct A {", "let x: \(type)", "x"),
                ("final class A {", "    let id: Int; let x: \(type)", "x"),
                ("enum A {", "    case a(Int), b(y: String, x: \(type))", type),
            ] {
                let (errors, _) = try compile(
                    "struct Plain {}; @Cacheable \(head)\n\(line)\n}", withColumns: true)
                let end = name == "x" ? "x: \(type)" : type
                let column = try #require(line.firstRange(of: end)).lowerBound.utf16Offset(in: line) + 1
                #expect(errors.count == 1)
                #expect(errors.allSatisfy { $0.hasPrefix("App.swift:2:\(column): ") }, "\(line): \(errors)")
                #expect(errors.allSatisfy { $0.contains(Self.neither) }, "\(line): \(errors)")
            }
        }

        @Test("What a mark or a declaration makes needless is not asked for")
        func marked() throws {
            let (errors, warnings) = try compile(
                """
                struct Plain {}; struct OnlyCodable: Codable {}; struct OnlyEquatable: Equatable {}
                @Cacheable struct A { let id: Int; @EqualityIgnored let x: OnlyCodable }
                @Cacheable struct B { let id: Int; @CacheIgnored var x = OnlyEquatable() }
                @Cacheable struct C { let id: Int; @CacheIgnored @EqualityIgnored var x = Plain() }
                @Cacheable struct D {
                    let id: Int
                    let x: OnlyCodable
                    static func == (left: D, right: D) -> Bool { left.id == right.id }
                }
                """)
            #expect(errors.isEmpty, "\(errors)")
            #expect(warnings.isEmpty, "\(warnings)")
            let refused = try compile(
                """
                struct Plain {}
                @Cacheable struct A {
                    let id: Int
                    @CacheIgnored var x = Plain()
                    @EqualityIgnored let y: Plain
                }
                """)
            #expect(refused.errors.map { $0.prefix(13) } == ["App.swift:5: ", "App.swift:4: "], "\(refused.errors)")
        }

        @Test(
            "A child that is Codable and has an id, and is no model, is a warning at its own place",
            arguments: ["Pet", "Pet?", "[Pet]", "[String: [Pet?]]", "Seen"])
        func lostChild(type: String) throws {
            let types = """
                struct Pet: Codable, Hashable { let id: Int }
                struct Seen: CodableModel, Equatable { var id = 1; var modelIdentifier: ModelIdentifier? { "Seen:1" } }

                """
            for body in [
                "struct A {\nlet name: String\nlet x: \(type)\n}",
                "enum A {\ncase a(Int)\ncase b(name: String, x: \(type))\n}",
            ] {
                let (errors, warnings) = try compile(types + "@Cacheable " + body, withColumns: true)
                #expect(errors.isEmpty, "\(errors)")
                #expect(warnings.count == 1, "\(warnings)")
                let column = body.hasPrefix("struct") ? 5 : 25
                #expect(
                    warnings.allSatisfy {
                        $0.hasPrefix("App.swift:5:\(column): ") && $0.contains("has an 'id' and is no Model")
                    },
                    "\(warnings)")
            }
        }

        @Test("A child without an id, a model, a raw value and a value that says that it is none are no warning")
        func noLostChild() throws {
            let (errors, warnings) = try compile(
                """
                struct Size: Codable, Equatable { let width: Double }
                @Cacheable struct Person { let id: Int }
                @Cacheable struct Value { let id: Int; var modelIdentifier: ModelIdentifier? { nil } }
                enum Mood: String, Codable, Identifiable { case calm; var id: String { rawValue } }
                struct PersonID: Codable, Hashable { let id: Int }
                struct Key: Codable, Hashable, LosslessStringConvertible {
                    let id: Int
                    var description: String { "\\(id)" }
                    init?(_ text: String) { return nil }
                }
                struct Both: CodableModel, Model, Equatable {
                    let id: Int
                    var modelIdentifier: ModelIdentifier? { "Both:\\(id)" }
                    func map(_ transform: (any Model) -> (any Model)?) -> Both? { self }
                    func forEach(_ visit: (any Model) -> Void) {}
                }
                @Cacheable struct A {
                    let id: Key
                    let size: Size?
                    let person: Person
                    let value: [Value]
                    let mood: Mood
                    let both: [Both]
                }
                """)
            #expect(errors.isEmpty, "\(errors)")
            #expect(warnings.isEmpty, "\(warnings)")
        }

        @Test("The coding by hand of what has none is refused as ever")
        func byHand() throws {
            let (errors, _) = try compile(
                """
                struct Plain {}
                func write(_ node: inout NodeEncoder) throws { try node.encode(Plain(), at: 0) }
                func read(_ node: inout NodeDecoder) throws { _ = try node.scan(Plain.self, at: 0) }
                """)
            #expect(errors.map { $0.prefix(13) } == ["App.swift:2: ", "App.swift:3: "], "\(errors)")
        }
    }
#endif

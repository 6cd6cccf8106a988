#if Macros
    import GroveMacrosCode
    import SwiftDiagnostics
    import SwiftParser
    import SwiftSyntax
    import SwiftSyntaxBuilder
    import SwiftSyntaxMacroExpansion
    import SwiftSyntaxMacros
    import Testing

    @Suite("What the macro refuses") struct RefusalTests {
        @Test("A class that is not final, made final")
        func notFinal() throws {
            let refused = try refuse("@Cacheable public class Person { let id: Int }")
            #expect(
                refused.messages == ["'Person' can have subclasses, which would share its records; make it final"])
            #expect(refused.fixIts == ["make it final"])
            #expect(refused.fixed == "@Cacheable public final class Person { let id: Int }")
        }

        @Test(
            "What is no immutable value",
            arguments: [
                ("@Cacheable actor A { let id = 1 }", "an actor"), ("@Cacheable protocol P {}", "a protocol"),
            ])
        func notServed(source: String, kind: String) throws {
            #expect(
                try refuse(source).messages == [
                    "@Cacheable serves structs, final classes and enums; \(kind) cannot be a model, which is an immutable value"
                ])
        }

        @Test("An extension")
        func onExtension() throws {
            #expect(try refuse("@Cacheable extension Person {}").identifiers == ["onExtension"])
        }

        @Test("Generic types, and types inside them")
        func generic() throws {
            #expect(try refuse("@Cacheable struct Box<T> { let id: Int }").identifiers == ["generic"])
            #expect(try refuse("struct Box<T> { @Cacheable struct In { let id: Int } }").identifiers == ["generic"])
            #expect(try refuse("@Cacheable enum Box<T> { case a }").identifiers == ["generic"])
            #expect(
                try refuse("extension Box<Int> { @Cacheable struct In { let id: Int } }").identifiers == ["generic"])
            #expect(
                try refuse("extension Box where T: Model { @Cacheable struct In { let id: Int } }").identifiers
                    == ["generic"])
        }

        @Test("What the extension cannot name, made visible in its file")
        func inaccessible() throws {
            let refused = try refuse("enum API { @Cacheable private struct User { let id: Int } }")
            #expect(
                refused.messages == [
                    "'User' is private inside another type, or what it stands in is, so that the extension written beside it cannot name it; make it fileprivate"
                ])
            #expect(refused.fixed == "enum API { @Cacheable fileprivate struct User { let id: Int } }")
            #expect(
                try refuse("enum A { private enum B { @Cacheable struct C { let id: Int } } }").identifiers
                    == ["inaccessible"])
            #expect(
                try refuse("extension A { @Cacheable private struct B { let id: Int } }").identifiers
                    == ["inaccessible"])
            #expect(try refuse("private enum A { @Cacheable struct B { let id: Int } }").messages == [])
            #expect(try refuse("@Cacheable private struct B { let id: Int }").messages == [])
        }

        @Test("An enum without cases")
        func noCases() throws {
            #expect(
                try refuse("@Cacheable enum Never {}").messages == [
                    "the enum 'Never' has no cases, so it has no values to cache"
                ])
        }

        @Test("Raw values that have no coding")
        func characters() throws {
            let refused = try refuse("@Cacheable enum Grade: Character, Codable { case a }")
            #expect(
                refused.messages == [
                    "a Character has no coding, so an enum cannot be stored by one; make its raw values Strings"
                ])
            #expect(refused.fixed == "@Cacheable enum Grade: String, Codable { case a }")
        }

        @Test("Names of static properties that a model's type has")
        func taken() throws {
            #expect(
                try refuse("@Cacheable enum A { case fields, b }").messages == [
                    "a model's type has a static property 'fields'; give the case another name"
                ])
            #expect(
                try refuse("@Cacheable struct A { static func recordName() {} }").messages == [
                    "a model's type has a static property 'recordName'; give the method another name"
                ])
            #expect(
                try refuse("@Cacheable struct A { func recordName() {}; static func fields(_ x: Int) {} }").messages
                    == [])
            #expect(try refuse("@Cacheable enum A { case fields(Int) }").messages == [])
        }

        @Test("Arguments that are no plain literals, and an identifier that is not there")
        func arguments() throws {
            #expect(try refuse(#"@Cacheable(record: "a\(1)") struct A {}"#).identifiers == ["argument"])
            #expect(try refuse("@Cacheable(projection: name) struct A {}").identifiers == ["argument"])
            #expect(try refuse(#"@Cacheable(id: "") struct A {}"#).identifiers == ["argument"])
            #expect(
                try refuse(#"@Cacheable(id: "userID") struct A { let userId: Int; let name: String }"#).messages == [
                    "no property 'userID' in the type's own body can be its identifier; there are 'userId', 'name'; declare one, or 'modelIdentifier' itself"
                ])
            #expect(try refuse("@Cacheable(id: nil) struct A { let id: Int }").messages == [])
        }

        @Test("A property without a type, given one")
        func missingType() throws {
            let refused = try refuse("@Cacheable struct A { var x = f(), y: Int }")
            #expect(
                refused.messages == [
                    "write the type of 'x': the record is read by types, and here they are not inferred"
                ])
            #expect(refused.fixed == "@Cacheable struct A { var x: <#Type#> = f(), y: Int }")
            #expect(
                try refuse("@Cacheable struct A { var x = Frame(width: 1) }").fixed
                    == "@Cacheable struct A { var x: Frame = Frame(width: 1) }")
            #expect(
                try refuse("@Cacheable struct A { var a = 1; var b = -1.5; var c = \"\"; var d = true }").messages == []
            )
        }

        @Test(
            "Existentials, wherever they stand",
            arguments: [
                "any Model", "[any Model]", "any Model?", "(any Model)?", "[String: [any Model]]", "Any", "AnyObject",
                "Box<any Model>", "A & B", "Int.Type",
            ])
        func existential(type: String) throws {
            let refused = try refuse("@Cacheable struct A { let feed: \(type) }")
            #expect(refused.identifiers == ["existential"])
            #expect(refused.messages.first?.contains("make it an enum with a case for each type") == true)
            #expect(refused.fixIts == [])
            #expect(try refuse("@Cacheable enum E { case a(\(type)) }").identifiers == ["existential"])
        }

        @Test("Tuples and functions; a variable with a default may be left out")
        func unstorable() throws {
            #expect(try refuse("@Cacheable struct A { let p: (Int, Int) }").identifiers == ["tuple"])
            #expect(try refuse("@Cacheable struct A { let p: [(x: Int, y: Int)] }").identifiers == ["tuple"])
            #expect(try refuse("@Cacheable struct A { let f: @Sendable () -> Void }").identifiers == ["closure"])
            let refused = try refuse("@Cacheable struct A { var f: (@Sendable () -> Void)? = nil }")
            #expect(
                refused.messages == [
                    "'f' is a function, which cannot be stored; give it a default value and mark it @CacheIgnored"
                ])
            #expect(refused.fixIts == ["leave it out of the record"])
            #expect(refused.fixed == "@Cacheable struct A { @CacheIgnored var f: (@Sendable () -> Void)? = nil }")
            #expect(try refuse(refused.fixed).messages == [])
        }

        @Test("Several properties in one pattern")
        func destructured() throws {
            #expect(
                try refuse("@Cacheable struct A { let (x, y) = f() }").messages == [
                    "declare the properties in '(x, y)' one by one, each with its type"
                ])
        }

        @Test("lazy, weak and unowned, which are dropped")
        func modifiers() throws {
            let lazy = try refuse("@Cacheable struct A { private lazy var x: Int = f() }")
            #expect(lazy.identifiers == ["lazy"])
            #expect(lazy.fixIts == ["remove 'lazy'"])
            #expect(lazy.fixed == "@Cacheable struct A { private var x: Int = f() }")
            let weak = try refuse("@Cacheable final class A { weak var x: B? }")
            #expect(weak.identifiers == ["reference"])
            #expect(weak.fixed == "@Cacheable final class A { var x: B? }")
            #expect(try refuse("@Cacheable final class A { unowned(safe) let x: B }").identifiers == ["reference"])
        }

        @Test("Property wrappers, unless they are left out")
        func wrappers() throws {
            #expect(
                try refuse("@Cacheable struct A { @Clamped(1...2) var x: Int }").messages == [
                    "'x' is stored by its wrapper '@Clamped', which a record cannot see; drop the wrapper, or give the property a default value and mark it @CacheIgnored"
                ])
            #expect(try refuse("@Cacheable struct A { @CacheIgnored @Clamped var x: Int = 1 }").messages == [])
            #expect(try refuse("@Cacheable struct A { @available(macOS 10, *) var x: Int }").messages == [])
        }

        @Test("What is left out has a default value and can be set")
        func leftOut() throws {
            let noDefault = try refuse("@Cacheable struct A { @CacheIgnored var x: Int }")
            #expect(
                noDefault.messages == ["'x' is left out of the record, so it needs a default value to be read with"])
            #expect(noDefault.fixed == "@Cacheable struct A { @CacheIgnored var x: Int = <#default#> }")
            let constant = try refuse("@Cacheable struct A { @CacheIgnored let x: Int }")
            #expect(constant.messages == ["'x' is left out of the record, so a copy has to set it; make it a 'var'"])
            #expect(constant.fixed == "@Cacheable struct A { @CacheIgnored var x: Int }")
            #expect(
                try refuse("@Cacheable struct A { @CacheIgnored var x: Optional<Int> }").identifiers == ["noDefault"])
            #expect(try refuse("@Cacheable struct A { @CacheIgnored let x = 1 }").identifiers == ["ignoredConstant"])
            #expect(try refuse("@Cacheable struct A { @CacheIgnored var id: Int = 1 }").identifiers == ["ignoredID"])
            #expect(
                try refuse("@Cacheable struct A { @CacheIgnored var x: Int?; @CacheIgnored var y = f() }").messages
                    == [])
        }

        @Test("A struct that would contain itself")
        func recursive() throws {
            #expect(
                try refuse("@Cacheable struct Post { let id: Int; let quoted: Post? }").messages == [
                    "'quoted' would hold a 'Post' inside a 'Post', and a struct cannot contain itself; make 'Post' a final class, or hold it in an enum, '@Cacheable indirect enum PostBox { case value(Post) }'"
                ])
            for type in ["A", "Self", "A?", "A??", "(A)?", "A!", "Optional<A>"] {
                #expect(try refuse("@Cacheable struct A { var x: \(type) }").identifiers == ["recursive"], "\(type)")
            }
            for type in ["[A]", "[A]?", "[A?]", "[String: A]", "Set<A>", "A.B?", "A<Int>", "ABox?"] {
                #expect(try refuse("@Cacheable struct A { var x: \(type) }").messages == [], "\(type)")
            }
            #expect(try refuse("@Cacheable final class A { let x: A? }").messages == [])
            #expect(try refuse("@Cacheable struct A { var x: A? { nil } }").messages == [])
        }

        @Test("Names of fields that are no literals, that stand on what is no field, or that two fields would have")
        func fieldNames() throws {
            #expect(
                try refuse("@Cacheable struct A { @CacheField(was: old) let x: Int }").messages == [
                    "'was' is a string literal without interpolation, and not empty"
                ])
            #expect(
                try refuse(#"@Cacheable struct A { @CacheField("") let x: Int }"#).messages == [
                    "'name' is a string literal without interpolation, and not empty"
                ])
            for property in ["@CacheIgnored @CacheField(was: \"y\") var x = 1", "@CacheField(\"y\") let x = 1"] {
                #expect(
                    try refuse("@Cacheable struct A { \(property) }").messages == [
                        "'x' is no field of the record, so it has no name there; drop @CacheField, or make it a 'var' without @CacheIgnored"
                    ])
            }
            #expect(
                try refuse(#"@Cacheable struct A { @CacheField(was: "y") let x: Int; let y: Int }"#).messages == [
                    "a stored 'y' would be read as 'x' and as 'y'; drop it from 'was:'"
                ])
            #expect(
                try refuse(
                    #"@Cacheable struct A { @CacheField(was: "o") let x: Int; @CacheField(was: "o") let y: Int }"#
                )
                .messages == ["a stored 'o' would be read as 'y' and as 'x'; drop it from 'was:'"])
            #expect(
                try refuse(#"@Cacheable struct A { @CacheField(was: "o", "x") let x: Int }"#).messages == [
                    "'x' already has the name 'x'; drop it from 'was:'"
                ])
            #expect(
                try refuse(#"@Cacheable struct A { @CacheField("y") let x: Int; let y: Int }"#).messages == [
                    "two fields of the record are called 'y'; give one another name"
                ])
            #expect(
                try refuse(
                    #"@Cacheable struct A { @CacheField("y", was: "x", "w") let x: Int; @CacheField("x") let y: Int }"#
                )
                .identifiers == ["oldName"])
            #expect(try refuse(#"@Cacheable struct A { @CacheField("y", was: "x", "w") let x: Int }"#).messages == [])
            #expect(try refuse(#"@Cacheable struct A { @CacheField(nil, was: "w") let x: Int }"#).messages == [])
        }

        @Test("Names that occur twice")
        func duplicates() throws {
            #expect(
                try refuse("@Cacheable struct A { let x: Int; let `x`: Int }").messages == [
                    "two fields of the record are called 'x'; give one another name"
                ])
            #expect(try refuse("@Cacheable enum E { case a(x: Int), a(y: Int) }").identifiers == ["duplicate"])
            #expect(
                try refuse("@Cacheable enum E { case a(_0: Int, Int), b(_1: Int, Int) }").identifiers == ["duplicate"])
        }

        @Test("What stands inside #if")
        func conditional() throws {
            #expect(
                try refuse("@Cacheable struct A {\n#if DEBUG\nlet x: Int\n#endif\n}").identifiers == ["conditional"])
            #expect(
                try refuse("@Cacheable struct A {\n#if DEBUG\nstatic let x: Int = 1\nvar y: Int { 1 }\n#endif\n}")
                    .messages
                    == [])
        }

        @Test("Everything that is wrong is reported at once")
        func several() throws {
            #expect(
                try refuse("@Cacheable struct A<T> { let a: Any; lazy var b: Int = 1; var c = f() }").identifiers
                    == ["generic", "existential", "lazy", "missingType"])
        }

        @Test("Marks on what is not stored")
        func marks() throws {
            func check(_ source: String) throws -> Bool {
                let file = Parser.parse(source: source)
                let variable = try #require(file.statements.first?.item.as(VariableDeclSyntax.self))
                let mark = try #require(variable.attributes.first?.as(AttributeSyntax.self))
                let context = BasicMacroExpansionContext()
                do {
                    _ = try EqualityIgnoredMacro.expansion(of: mark, providingPeersOf: variable, in: context)
                    _ = try CacheIgnoredMacro.expansion(of: mark, providingPeersOf: variable, in: context)
                    _ = try CacheFieldMacro.expansion(of: mark, providingPeersOf: variable, in: context)
                    return true
                } catch {
                    return false
                }
            }
            #expect(try check("@EqualityIgnored var x: Int"))
            #expect(try check("@EqualityIgnored var x: Int = 1 { didSet {} }"))
            #expect(try !check("@EqualityIgnored var x: Int { 1 }"))
            #expect(try !check("@EqualityIgnored static var x: Int = 1"))
        }
    }

    /// What is refused of a source, and the source after every fix-it.
    private struct Refused {
        var messages: [String] = []
        var identifiers: [String] = []
        var fixIts: [String] = []
        var fixed: String
    }

    /// Expands the first `@Cacheable` in `source`.
    private func refuse(_ source: String) throws -> Refused {
        let file = Parser.parse(source: source)
        var refused = Refused(fixed: source)
        let finder = Finder(viewMode: .sourceAccurate)
        finder.walk(file)
        let (node, declaration) = try #require(finder.found)
        let context = BasicMacroExpansionContext(lexicalContext: finder.context)
        do {
            _ = try CacheableMacro.expansion(
                of: node, attachedTo: declaration, providingExtensionsOf: TypeSyntax("A"), conformingTo: [], in: context
            )
        } catch let error as DiagnosticsError {
            for diagnostic in error.diagnostics {
                refused.messages.append(diagnostic.message)
                refused.identifiers.append("\(diagnostic.diagnosticID)".components(between: "id: \"", and: "\""))
                for fixIt in diagnostic.fixIts {
                    refused.fixIts.append(fixIt.message.message)
                    for case .replace(let old, let new) in fixIt.changes {
                        refused.fixed = refused.fixed.replacing(
                            old.description, with: new.description, maxReplacements: 1)
                    }
                }
            }
        }
        return refused
    }

    extension String {
        fileprivate func components(between start: String, and end: String) -> String {
            guard let first = firstRange(of: start) else { return self }
            let rest = self[first.upperBound...]
            return String(rest.firstRange(of: end).map { rest[..<$0.lowerBound] } ?? rest)
        }
    }

    /// Finds the declaration with the attribute, and what it stands in.
    private final class Finder: SyntaxAnyVisitor {
        var found: (AttributeSyntax, any DeclGroupSyntax)?
        var context: [Syntax] = []

        override func visitAny(_ node: Syntax) -> SyntaxVisitorContinueKind {
            guard found == nil, let group = node.asProtocol((any DeclGroupSyntax).self) else { return .visitChildren }
            for case .attribute(let attribute) in group.attributes
            where attribute.attributeName.trimmedDescription == "Cacheable" {
                found = (attribute, group)
                return .skipChildren
            }
            context.insert(node, at: 0)
            return .visitChildren
        }
    }
#endif

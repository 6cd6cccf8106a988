#if Macros
    import GroveMacrosCode
    import SwiftSyntax
    import SwiftSyntaxBuilder
    import SwiftSyntaxMacroExpansion
    import SwiftSyntaxMacrosGenericTestSupport
    import Testing

    @Suite("Expansions of the macro") struct ExpansionTests {
        private func expect(_ source: String, _ expanded: String, line: Int = #line) {
            let specs = [
                "Cacheable": MacroSpec(
                    type: CacheableMacro.self,
                    conformances: [
                        "Model", "CacheableModel", "NodeCodable", "Equatable", "CacheableFields", "CacheableEnum",
                    ]), "CacheIgnored": MacroSpec(type: CacheIgnoredMacro.self),
                "EqualityIgnored": MacroSpec(type: EqualityIgnoredMacro.self),
            ]
            assertMacroExpansion(source, expandedSource: expanded, macroSpecs: specs) { failure in
                Issue.record(
                    "\(failure.message)",
                    sourceLocation: SourceLocation(
                        fileID: #fileID, filePath: #filePath, line: line, column: 1))
            }
        }

        @Test("A raw-value enum")
        func leaf() {
            expect("@Cacheable enum Mood: String { case calm }", "")
        }

        @Test("A struct")
        func structure() {
            expect(
                """
                @Cacheable
                public struct Message {
                    public let text: String
                    public let id: Int
                    let sender: Person?
                    @CacheIgnored var hits = 0
                }
                """, "")
        }

        @Test("A final class, with what it declares itself left alone")
        func finalClass() {
            expect(
                """
                @Cacheable(record: "Node", projection: "Small")
                final class Fork {
                    let left: [String: Fork]
                    var modelIdentifier: ModelIdentifier? { nil }
                    func forEach(_ visit: (any Model) -> Void) {}
                    static func == (left: Fork, right: Fork) -> Bool { true }
                }
                """, "")
        }

        @Test("An enum")
        func enumeration() {
            expect(
                """
                @Cacheable
                enum Item {
                    case person(Person)
                    case note(text: String, by: Person)
                    case none
                }
                """, "")
        }
    }
#endif

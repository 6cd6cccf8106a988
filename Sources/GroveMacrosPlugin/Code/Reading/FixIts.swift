#if Macros
    import SwiftDiagnostics
    import SwiftSyntax

    /// Changes of a declaration after which `@Cacheable` accepts it.
    enum FixIts {
        static func type(_ binding: PatternBindingSyntax, _ suggested: String?) -> FixIt {
            let type = suggested ?? "<#Type#>"
            return replace(binding.pattern, "\(binding.pattern.trimmedDescription): \(type)", "write its type")
        }

        static func defaultValue(_ binding: PatternBindingSyntax) -> FixIt {
            let old = binding.typeAnnotation.map { Syntax($0.type) } ?? Syntax(binding.pattern)
            return replace(old, "\(old.trimmedDescription) = <#default#>", "give it a default value")
        }

        static func variable(_ variable: VariableDeclSyntax) -> FixIt {
            replace(variable.bindingSpecifier, "var", "make it a 'var'")
        }

        static func visible(_ modifier: DeclModifierSyntax) -> FixIt {
            replace(modifier, "fileprivate", "make it 'fileprivate'")
        }

        static func rawString(_ type: TypeSyntax) -> FixIt {
            replace(type, "String", "make its raw values Strings")
        }

        static func ignoring(_ variable: VariableDeclSyntax) -> FixIt {
            replace(
                variable.bindingSpecifier, "@\(Mark.cacheIgnored) \(variable.bindingSpecifier.text)",
                "leave it out of the record")
        }

        static func removal(of modifier: DeclModifierSyntax, in variable: VariableDeclSyntax) -> FixIt {
            var new = variable
            new.modifiers = variable.modifiers.filter { $0.id != modifier.id }
            new.leadingTrivia = variable.leadingTrivia
            return FixIt(
                message: Remedy("remove '\(modifier.name.text)'"),
                changes: [.replace(oldNode: Syntax(variable), newNode: Syntax(new))])
        }

        /// Replaces a node by text, and keeps the trivia around it.
        private static func replace(_ old: some SyntaxProtocol, _ text: String, _ message: String) -> FixIt {
            let new = TokenSyntax(
                .identifier(text), leadingTrivia: old.leadingTrivia, trailingTrivia: old.trailingTrivia,
                presence: .present)
            return FixIt(
                message: Remedy(message), changes: [.replace(oldNode: Syntax(old), newNode: Syntax(new))])
        }
    }
#endif

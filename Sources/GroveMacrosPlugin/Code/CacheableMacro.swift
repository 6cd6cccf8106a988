#if Macros
    import SwiftDiagnostics
    import SwiftSyntax
    import SwiftSyntaxBuilder
    import SwiftSyntaxMacros

    /// `@Cacheable`: an extension with the conformances and the members that they need, and a class's own initialiser.
    package enum CacheableMacro {}

    extension CacheableMacro: ExtensionMacro {
        package static func expansion(
            of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
            providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
            in context: some MacroExpansionContext
        ) throws -> [ExtensionDeclSyntax] {
            let subject = try Subject(declaration, node, context.lexicalContext, as: type)
            let missing = Set(protocols.map { $0.trimmedDescription.split(separator: ".").last.map(String.init) ?? "" })
            let writer = ExtensionWriter(subject, type: type.trimmedDescription, missing: missing) { syntax in
                let place = context.location(of: syntax, at: .afterLeadingTrivia, filePathMode: .filePath)
                guard let place, let line = Int(place.line.trimmedDescription),
                    let column = Int(place.column.trimmedDescription)
                else { return nil }
                return (place.file.trimmedDescription, line, column)
            }
            guard let code = DeclSyntax(stringLiteral: writer.code).as(ExtensionDeclSyntax.self) else { return [] }
            return [code]
        }
    }

    extension CacheableMacro: MemberMacro {
        package static func expansion(
            of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
            conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
        ) throws -> [DeclSyntax] {
            // The extension reports the refusals. It also has a struct's initialiser, so that the struct keeps the one
            // that Swift gives it.
            guard let subject = try? Subject(declaration, node, context.lexicalContext), subject.kind != .leaf
            else { return [] }
            let initializer =
                subject.kind == .finalClass
                ? ExtensionWriter(subject, type: subject.name, missing: []).initializer : nil
            // Swift gives this initialiser to a class whose properties all have values, unless there is another one.
            let plain = subject.losesInitializer ? "init() {}" : nil
            return [subject.names.declaration, plain, initializer].compactMap {
                $0.map { DeclSyntax(stringLiteral: $0) }
            }
        }
    }

    /// `@CacheIgnored`: a mark that ``CacheableMacro`` reads.
    package enum CacheIgnoredMacro: PeerMacro {
        package static func expansion(
            of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
            in context: some MacroExpansionContext
        ) throws -> [DeclSyntax] {
            try Mark.check(node, declaration)
            return []
        }
    }

    /// `@EqualityIgnored`: a mark that ``CacheableMacro`` reads.
    package enum EqualityIgnoredMacro: PeerMacro {
        package static func expansion(
            of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
            in context: some MacroExpansionContext
        ) throws -> [DeclSyntax] {
            try Mark.check(node, declaration)
            return []
        }
    }

    /// `@CacheField`: a mark that ``CacheableMacro`` reads.
    package enum CacheFieldMacro: PeerMacro {
        package static func expansion(
            of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
            in context: some MacroExpansionContext
        ) throws -> [DeclSyntax] {
            try Mark.check(node, declaration)
            return []
        }
    }

    /// An attribute that changes how `@Cacheable` treats one stored property.
    enum Mark {
        static let cacheIgnored = "CacheIgnored"
        static let equalityIgnored = "EqualityIgnored"
        static let cacheField = "CacheField"

        static func check(_ node: AttributeSyntax, _ declaration: some DeclSyntaxProtocol) throws {
            guard let variable = declaration.as(VariableDeclSyntax.self), !variable.isStatic,
                variable.bindings.allSatisfy(\.isStored)
            else {
                throw DiagnosticsError(diagnostics: [
                    Diagnostic(node: node, .notStored(node.attributeName.trimmedDescription))
                ])
            }
        }
    }
#endif

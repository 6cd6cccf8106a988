#if Macros
    import GroveMacrosCode
    import SwiftCompilerPlugin
    import SwiftSyntax
    import SwiftSyntaxMacros

    // The compiler asks the plugin for macros by the names of its own types. Their code is in a module of its own,
    // because tests that depend on a plugin are built for the machine that compiles, and with them all other tests.

    @main
    struct GroveMacrosPlugin: CompilerPlugin {
        let providingMacros: [any Macro.Type] = [
            CacheableMacro.self, CacheFieldMacro.self, CacheIgnoredMacro.self, EqualityIgnoredMacro.self,
        ]
    }

    enum CacheableMacro: ExtensionMacro, MemberMacro {
        static func expansion(
            of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
            providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
            in context: some MacroExpansionContext
        ) throws -> [ExtensionDeclSyntax] {
            try GroveMacrosCode.CacheableMacro.expansion(
                of: node, attachedTo: declaration, providingExtensionsOf: type, conformingTo: protocols, in: context)
        }

        static func expansion(
            of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
            conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
        ) throws -> [DeclSyntax] {
            try GroveMacrosCode.CacheableMacro.expansion(
                of: node, providingMembersOf: declaration, conformingTo: protocols, in: context)
        }
    }

    enum CacheFieldMacro: PeerMacro {
        static func expansion(
            of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
            in context: some MacroExpansionContext
        ) throws -> [DeclSyntax] {
            try GroveMacrosCode.CacheFieldMacro.expansion(of: node, providingPeersOf: declaration, in: context)
        }
    }

    enum CacheIgnoredMacro: PeerMacro {
        static func expansion(
            of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
            in context: some MacroExpansionContext
        ) throws -> [DeclSyntax] {
            try GroveMacrosCode.CacheIgnoredMacro.expansion(of: node, providingPeersOf: declaration, in: context)
        }
    }

    enum EqualityIgnoredMacro: PeerMacro {
        static func expansion(
            of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
            in context: some MacroExpansionContext
        ) throws -> [DeclSyntax] {
            try GroveMacrosCode.EqualityIgnoredMacro.expansion(of: node, providingPeersOf: declaration, in: context)
        }
    }
#else
    /// A program that does nothing: without the trait there is no macro.
    @main
    struct GroveMacrosPlugin {
        static func main() {}
    }
#endif

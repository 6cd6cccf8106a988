#if Macros
    import SwiftCompilerPlugin
    import SwiftSyntaxMacros

    @main
    struct GroveMacrosPlugin: CompilerPlugin {
        let providingMacros: [any Macro.Type] = [
            CacheableMacro.self, CacheIgnoredMacro.self, EqualityIgnoredMacro.self,
        ]
    }
#else
    /// Without the trait there is no macro; the target stays a program that does nothing.
    @main
    struct GroveMacrosPlugin {
        static func main() {}
    }
#endif

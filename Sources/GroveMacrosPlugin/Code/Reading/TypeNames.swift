#if Macros
    import SwiftSyntax

    /// The names of the types of fields and payloads in generated code.
    ///
    /// The extension is outside of the type, and there Swift does not look up names in the types around a nested type.
    /// So the body of a nested type gets an alias for each name; that of any other type gets none.
    struct TypeNames {
        /// The written types, each once, and the type that the alias of each means.
        private var aliases: [(written: String, meant: String)] = []
        private let isNested: Bool

        private static let container = "_GroveTypes"

        /// - Parameter name: the type's own name, which replaces `Self`: it has another meaning beside the aliases.
        init(_ types: [TypeSyntax], of name: String, isNested: Bool) {
            self.isNested = isNested
            for type in isNested ? types.flatMap({ [$0] + TypeReading.named(in: $0) }) : [] {
                let written = TypeReading.spelling(type)
                guard !aliases.contains(where: { $0.written == written }) else { continue }
                aliases.append((written, written.replacingSelf(with: name)))
            }
        }

        func name(_ type: TypeSyntax) -> String {
            let written = TypeReading.spelling(type)
            guard isNested, let index = aliases.firstIndex(where: { $0.written == written }) else { return written }
            return "\(TypeNames.container)._\(index)"
        }

        /// The name of `type` in a declaration that other files see; `nil` if there is none, as an alias is private.
        ///
        /// - Parameter isSeen: whether the type is known to be visible where the declaration is.
        func openName(_ type: TypeSyntax, isSeen: Bool) -> String? {
            let written = TypeReading.spelling(type)
            return !isNested && isSeen || TypeNames.everywhere.contains(written) ? written : nil
        }

        /// The types whose names mean the same everywhere.
        private static let everywhere: Set<String> = [
            "String", "Substring", "Character", "Bool", "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8",
            "UInt16", "UInt32", "UInt64", "UUID", "URL", "ModelIdentifier",
        ]

        /// The aliases, inside one type because a macro must announce the names that it declares.
        var declaration: String? {
            guard !aliases.isEmpty else { return nil }
            let lines = aliases.enumerated().map { "    typealias _\($0) = \($1.meant)" }
            return "private enum \(TypeNames.container) {\n\(lines.joined(separator: "\n"))\n}"
        }
    }

    extension String {
        /// The type that the text spells, with another name for `Self`.
        fileprivate func replacingSelf(with name: String) -> String {
            TypeSyntax("\(raw: self)").tokens(viewMode: .sourceAccurate).map { token in
                guard token.tokenKind == .keyword(.Self) else { return token.description }
                return token.leadingTrivia.description + name + token.trailingTrivia.description
            }.joined()
        }
    }
#endif

#if Macros
    import SwiftDiagnostics
    import SwiftSyntax
    import SwiftSyntaxBuilder

    /// A stored property of a struct or class, or one value of a case's payload.
    struct StoredProperty {
        /// The name in code, with backticks if they are needed.
        let code: String
        /// The name in the record.
        let field: String
        /// The type; for a property that the record leaves out, the written type, if there is one.
        let type: TypeSyntax?
        let isRecorded: Bool
        let isCompared: Bool
        /// Whether it has a default value other than `nil`, which is read if the record lacks the field.
        var hasDefault: Bool
        /// The default value from `@CacheField`.
        let defaultValue: ExprSyntax?
        /// The former names in the record, the latest first.
        let oldNames: [String]
        let syntax: Syntax

        init(
            code: String, names: FieldNames = FieldNames(), type: TypeSyntax?, isRecorded: Bool = true,
            isCompared: Bool = true, hasDefault: Bool = false, syntax: Syntax
        ) {
            self.code = code
            field = names.name ?? code.withoutBackticks
            oldNames = names.old
            defaultValue = names.defaultValue
            self.hasDefault = hasDefault || defaultValue != nil
            self.type = type
            self.isRecorded = isRecorded
            self.isCompared = isCompared
            self.syntax = syntax
        }
    }

    /// The arguments of `@CacheField`.
    struct FieldNames {
        var name: String?
        var old: [String] = []
        var defaultValue: ExprSyntax?
    }

    extension String {
        var withoutBackticks: String {
            hasPrefix("`") && hasSuffix("`") && count > 2 ? String(dropFirst().dropLast()) : self
        }
    }

    extension DeclModifierListSyntax {
        func named(_ names: String...) -> DeclModifierSyntax? { named(names) }

        func named(_ names: [String]) -> DeclModifierSyntax? {
            // `private(set)` does not restrict the declaration itself.
            first { names.contains($0.name.text) && $0.detail?.detail.text != "set" }
        }
    }

    extension DeclGroupSyntax {
        /// The type's name in code, with backticks if they are needed.
        var typeName: String { asProtocol((any NamedDeclSyntax).self)?.name.text ?? "" }
    }

    extension VariableDeclSyntax {
        var isStatic: Bool { modifiers.named("static", "class") != nil }

        func modifier(_ names: String...) -> DeclModifierSyntax? { modifiers.named(names) }

        func attribute(_ name: String) -> AttributeSyntax? {
            namedAttributes.first { $0.attributeName.lastName == name }
        }

        var namedAttributes: [AttributeSyntax] { attributes.compactMap { $0.as(AttributeSyntax.self) } }

        /// An attribute that is a property wrapper or a macro, as far as syntax tells.
        var wrapper: AttributeSyntax? {
            namedAttributes.first { attribute in
                let name = attribute.attributeName.lastName
                return name.first?.isUppercase == true
                    && ![Mark.cacheIgnored, Mark.equalityIgnored, Mark.cacheField, "MainActor"].contains(name)
            }
        }
    }

    extension PatternBindingSyntax {
        /// Whether the property has storage; observers leave it stored, and accessors do not.
        var isStored: Bool {
            switch accessorBlock?.accessors {
            case nil: true
            case .getter: false
            case .accessors(let accessors):
                accessors.allSatisfy { ["willSet", "didSet"].contains($0.accessorSpecifier.text) }
            }
        }
    }

    extension TypeSyntax {
        /// The name without the type of which it is a member.
        var lastName: String {
            if let member = self.as(MemberTypeSyntax.self) { return member.name.text }
            return self.as(IdentifierTypeSyntax.self)?.name.text ?? trimmedDescription
        }

        /// Whether a variable of the type is `nil` without a default value; a variable of `Optional<Int>` is not.
        var isNilByDefault: Bool {
            self.is(OptionalTypeSyntax.self) || self.is(ImplicitlyUnwrappedOptionalTypeSyntax.self)
        }
    }

    extension InitializerClauseSyntax? {
        /// Whether there is a value other than `nil`.
        var isDefault: Bool { self.map { !$0.value.is(NilLiteralExprSyntax.self) } ?? false }
    }

    extension ExprSyntax {
        /// The type that Swift infers for a literal.
        var literalType: TypeSyntax? {
            switch kind {
            case .stringLiteralExpr: "String"
            case .integerLiteralExpr: "Int"
            case .floatLiteralExpr: "Double"
            case .booleanLiteralExpr: "Bool"
            case .prefixOperatorExpr:
                self.as(PrefixOperatorExprSyntax.self).flatMap {
                    $0.operator.text == "-" && !$0.expression.is(StringLiteralExprSyntax.self)
                        ? $0.expression.literalType : nil
                }
            default: nil
            }
        }

        /// The type that the callee of a call suggests.
        var suggestedType: String? {
            guard let name = self.as(FunctionCallExprSyntax.self)?.calledExpression.as(DeclReferenceExprSyntax.self),
                name.baseName.text.first?.isUppercase == true
            else { return nil }
            return name.baseName.text
        }
    }
#endif

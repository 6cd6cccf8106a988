#if Macros
    import SwiftDiagnostics
    import SwiftSyntax

    // The arguments of the attributes.
    extension SubjectReader {
        /// The arguments of the `@CacheField` of `variable`, if it has one.
        mutating func fieldNames(_ variable: VariableDeclSyntax) -> FieldNames {
            var names = FieldNames()
            let list = variable.attribute(Mark.cacheField)?.arguments?.as(LabeledExprListSyntax.self)
            var isOld = false
            for argument in list ?? [] {
                if argument.label?.text == "default" {
                    names.defaultValue = argument.expression.trimmed
                    continue
                }
                isOld = isOld || argument.label != nil
                if !isOld, argument.expression.is(NilLiteralExprSyntax.self) { continue }
                guard let name = text(argument.expression) else {
                    refuse(argument.expression, .argument(isOld ? "was" : "name"))
                    continue
                }
                if isOld { names.old.append(name) } else { names.name = name }
            }
            return names
        }

        /// A literal's text; `nil` if it is empty, or not a plain literal.
        private func text(_ expression: ExprSyntax) -> String? {
            guard let text = expression.as(StringLiteralExprSyntax.self)?.representedLiteralValue, !text.isEmpty
            else { return nil }
            return text
        }

        /// The attribute's arguments, without `nil` literals.
        mutating func arguments(_ node: AttributeSyntax) -> [String: String] {
            guard let list = node.arguments?.as(LabeledExprListSyntax.self) else { return [:] }
            var arguments: [String: String] = [:]
            for argument in list {
                let label = argument.label?.text ?? ""
                if argument.expression.is(NilLiteralExprSyntax.self) { continue }
                guard let text = text(argument.expression) else {
                    refuse(argument.expression, .argument(label))
                    continue
                }
                arguments[label] = text
            }
            return arguments
        }

        /// Refuses an old name from which two fields would be read.
        mutating func checkOldNames(_ fields: [StoredProperty]) {
            var names = Dictionary(fields.map { ($0.field, $0.field) }, uniquingKeysWith: { first, _ in first })
            for field in fields {
                for old in field.oldNames {
                    if let other = names.updateValue(field.field, forKey: old) {
                        refuse(field.syntax, .oldName(old, field.field, other))
                    }
                }
            }
        }
    }
#endif

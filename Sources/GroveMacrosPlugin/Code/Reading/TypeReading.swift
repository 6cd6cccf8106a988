#if Macros
    import SwiftDiagnostics
    import SwiftSyntax

    /// The facts about a field that its type's syntax tells.
    enum TypeReading {
        private static let support = ExtensionWriter.support

        /// The spelling of the type in code: an implicitly unwrapped optional is an optional.
        static func spelling(_ type: TypeSyntax) -> String {
            if let unwrapped = type.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) {
                return "\(unwrapped.wrappedType.trimmedDescription)?"
            }
            return type.trimmedDescription
        }

        /// An expression of the shape of the type's models: containers are spelled out, names left to the compiler.
        ///
        /// - Parameter name: gives the name in code of a type that is no such container.
        static func shape(_ type: TypeSyntax, _ name: (TypeSyntax) -> String) -> String {
            guard let (container, parts) = container(type) else { return "\(support).shape(of: \(name(type)).self)" }
            let shapes = parts.map { shape($0, name) }
            return container.map { "\(support).\($0)(\(shapes.joined(separator: ", ")))" } ?? shapes[0]
        }

        /// The types that ``shape(_:_:)`` names.
        static func named(in type: TypeSyntax) -> [TypeSyntax] {
            container(type)?.parts.flatMap(named) ?? [type]
        }

        /// Whether a type has a name that the standard library or Foundation gives to values without identity.
        static func isLeaf(_ type: TypeSyntax) -> Bool { leaves.contains(type.trimmedDescription) }

        private static let leaves: Set<String> = [
            "Bool", "String", "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32", "UInt64",
            "Double", "Float", "Date", "Data", "Decimal", "URL", "UUID", "ModelIdentifier",
        ]

        /// Whether a value of `type` is one of the type called `name`, or an optional of one.
        static func isInPlace(_ name: String, in type: TypeSyntax) -> Bool {
            if let (container, parts) = container(type) {
                return (container ?? "optional") == "optional" && isInPlace(name, in: parts[0])
            }
            guard let identifier = type.as(IdentifierTypeSyntax.self) else { return false }
            return identifier.genericArgumentClause == nil && [name, "Self"].contains(identifier.name.text)
        }

        /// The container that a type is, and the types in it; parentheses are a container without a name.
        private static func container(_ type: TypeSyntax) -> (name: String?, parts: [TypeSyntax])? {
            if let optional = type.as(OptionalTypeSyntax.self) { return ("optional", [optional.wrappedType]) }
            if let optional = type.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) {
                return ("optional", [optional.wrappedType])
            }
            if let array = type.as(ArrayTypeSyntax.self) { return ("array", [array.element]) }
            if let dictionary = type.as(DictionaryTypeSyntax.self) {
                return ("dictionary", [dictionary.key, dictionary.value])
            }
            if let tuple = type.as(TupleTypeSyntax.self), let only = tuple.elements.first, tuple.elements.count == 1 {
                return (nil, [only.type])
            }
            let arguments = genericArguments(type)
            switch (type.lastName, arguments.count) {
            case ("Optional", 1), ("Array", 1), ("Set", 1), ("Dictionary", 2):
                return (type.lastName.lowercased(), arguments)
            default: return nil
            }
        }

        private static func genericArguments(_ type: TypeSyntax) -> [TypeSyntax] {
            let clause =
                type.as(IdentifierTypeSyntax.self)?.genericArgumentClause
                ?? type.as(MemberTypeSyntax.self)?.genericArgumentClause
            return clause?.arguments.compactMap { Syntax($0.argument).as(TypeSyntax.self) } ?? []
        }

        /// The reason for which a field called `name` cannot be of this type, and the part of the type at fault.
        static func refusal(_ type: TypeSyntax, _ name: String) -> (Refusal, Syntax)? {
            if type.is(SomeOrAnyTypeSyntax.self) || type.is(CompositionTypeSyntax.self)
                || type.is(MetatypeTypeSyntax.self)
                || (type.is(IdentifierTypeSyntax.self) && ["Any", "AnyObject"].contains(type.lastName))
            {
                return (.existential(name, type.trimmedDescription), Syntax(type))
            }
            if type.is(FunctionTypeSyntax.self) { return (.closure(name), Syntax(type)) }
            if let tuple = type.as(TupleTypeSyntax.self), tuple.elements.count != 1 {
                return (.tuple(name), Syntax(type))
            }
            return parts(type).lazy.compactMap { refusal($0, name) }.first
        }

        private static func parts(_ type: TypeSyntax) -> [TypeSyntax] {
            if let parts = container(type)?.parts { return parts }
            if let attributed = type.as(AttributedTypeSyntax.self) { return [attributed.baseType] }
            if let tuple = type.as(TupleTypeSyntax.self) { return tuple.elements.map(\.type) }
            return genericArguments(type)
        }
    }
#endif

#if Macros
    import SwiftDiagnostics
    import SwiftSyntax

    /// What a type's syntax tells about a field.
    enum TypeReading {
        private static let support = "GroveMacros.CacheableSupport"

        /// The type as code can name it: an implicitly unwrapped optional is an optional.
        static func spelling(_ type: TypeSyntax) -> String {
            if let unwrapped = type.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) {
                return "\(unwrapped.wrappedType.trimmedDescription)?"
            }
            return type.trimmedDescription
        }

        /// An expression of the shape of the type's models: containers are spelled out, names left to the compiler.
        static func shape(_ type: TypeSyntax) -> String {
            if let optional = type.as(OptionalTypeSyntax.self) { return call("optional", [optional.wrappedType]) }
            if let optional = type.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) {
                return call("optional", [optional.wrappedType])
            }
            if let array = type.as(ArrayTypeSyntax.self) { return call("array", [array.element]) }
            if let dictionary = type.as(DictionaryTypeSyntax.self) {
                return call("dictionary", [dictionary.key, dictionary.value])
            }
            if let tuple = type.as(TupleTypeSyntax.self), let only = tuple.elements.first, tuple.elements.count == 1 {
                return shape(only.type)
            }
            let arguments = genericArguments(type)
            switch (type.lastName, arguments.count) {
            case ("Optional", 1), ("Array", 1), ("Set", 1), ("Dictionary", 2):
                return call(type.lastName.lowercased(), arguments)
            default: return "\(support).shape(of: \(type.trimmedDescription).self)"
            }
        }

        private static func call(_ function: String, _ types: [TypeSyntax]) -> String {
            "\(support).\(function)(\(types.map(shape).joined(separator: ", ")))"
        }

        private static func genericArguments(_ type: TypeSyntax) -> [TypeSyntax] {
            let clause =
                type.as(IdentifierTypeSyntax.self)?.genericArgumentClause
                ?? type.as(MemberTypeSyntax.self)?.genericArgumentClause
            return clause?.arguments.compactMap { Syntax($0.argument).as(TypeSyntax.self) } ?? []
        }

        /// Why a field called `name` cannot be of this type, and at which part of it.
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
            if let optional = type.as(OptionalTypeSyntax.self) { return [optional.wrappedType] }
            if let optional = type.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) { return [optional.wrappedType] }
            if let array = type.as(ArrayTypeSyntax.self) { return [array.element] }
            if let dictionary = type.as(DictionaryTypeSyntax.self) { return [dictionary.key, dictionary.value] }
            if let attributed = type.as(AttributedTypeSyntax.self) { return [attributed.baseType] }
            if let tuple = type.as(TupleTypeSyntax.self) { return tuple.elements.map(\.type) }
            return genericArguments(type)
        }
    }
#endif

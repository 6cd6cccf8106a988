#if Macros
    import SwiftDiagnostics
    import SwiftSyntax

    /// The reader of a type's syntax, which collects members and refusals.
    struct SubjectReader {
        private(set) var diagnostics: [Diagnostic] = []
        private(set) var properties: [StoredProperty] = []
        private(set) var cases: [Subject.Case] = []
        private(set) var written: Set<String> = []
        private(set) var instanceProperties: [String] = []
        /// Whether the body has no initialiser and every stored property has a value.
        private(set) var needsInitializer = true
        private let typeName: String
        private var isStructure = false

        init(_ typeName: String) { self.typeName = typeName }

        var isRefused: Bool { !diagnostics.isEmpty }

        mutating func refuse(_ node: some SyntaxProtocol, _ refusal: Refusal, fixIts: [FixIt] = []) {
            diagnostics.append(Diagnostic(node: node, refusal, fixIts: fixIts))
        }

        // MARK: The type

        private static let rawTypes: Set<String> = [
            "String", "Character", "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32",
            "UInt64",
            "Double", "Float",
        ]

        static func kind(
            of declaration: some DeclGroupSyntax, _ node: AttributeSyntax, _ inherited: [String]
        ) throws -> (Subject.Kind, String) {
            if let structure = declaration.as(StructDeclSyntax.self) {
                return (.structure, structure.name.text.withoutBackticks)
            }
            if let enumeration = declaration.as(EnumDeclSyntax.self) {
                let isRaw = inherited.first.map(rawTypes.contains) ?? false
                return (isRaw ? .leaf : .enumeration, enumeration.name.text.withoutBackticks)
            }
            if let type = declaration.as(ClassDeclSyntax.self) {
                let name = type.name.text.withoutBackticks
                if type.modifiers.contains(where: { $0.name.text == "final" }) { return (.finalClass, name) }
                let keyword = type.classKeyword
                let fixed = TokenSyntax(
                    .identifier("final class"), leadingTrivia: keyword.leadingTrivia,
                    trailingTrivia: keyword.trailingTrivia, presence: .present)
                throw DiagnosticsError(diagnostics: [
                    Diagnostic(
                        node: keyword, .notFinal(name),
                        fixIts: [.replace(message: Remedy("make it final"), oldNode: keyword, newNode: fixed)])
                ])
            }
            let refusal: Refusal =
                switch declaration.kind {
                case .actorDecl: .notServed("an actor")
                case .protocolDecl: .notServed("a protocol")
                default: .onExtension
                }
            throw DiagnosticsError(diagnostics: [Diagnostic(node: node, refusal)])
        }

        /// Whether a type, or a declaration around one, is generic, as far as syntax tells.
        static func isGeneric(_ context: Syntax) -> Bool {
            if let around = context.as(ExtensionDeclSyntax.self) {
                return around.genericWhereClause != nil
                    || around.extendedType.tokens(viewMode: .sourceAccurate).contains { $0.tokenKind == .leftAngle }
            }
            return context.as(StructDeclSyntax.self)?.genericParameterClause != nil
                || context.as(ClassDeclSyntax.self)?.genericParameterClause != nil
                || context.as(EnumDeclSyntax.self)?.genericParameterClause != nil
                || context.as(ActorDeclSyntax.self)?.genericParameterClause != nil
        }

        /// The access modifier that makes generated members as visible as the type.
        mutating func access(
            of declaration: some DeclGroupSyntax, _ name: String, _ node: AttributeSyntax, _ context: [Syntax]
        ) -> String {
            let own = declaration.modifiers
            let around = context.map { $0.asProtocol((any DeclGroupSyntax).self)?.modifiers ?? [] }
            // A private type at the file's level can be named in the file, and one inside another type cannot.
            if !around.isEmpty, let modifier = own.named("private") {
                refuse(modifier, .inaccessible(name), fixIts: [FixIts.visible(modifier)])
            } else if around.dropLast().contains(where: { $0.named("private") != nil }) {
                refuse(node, .inaccessible(name))
            }
            if around.contains(where: { $0.named("private", "fileprivate") != nil }) { return "fileprivate " }
            let levels = ["public", "package", "internal", "fileprivate", "private"]
            let inherited = context.first?.as(ExtensionDeclSyntax.self)?.modifiers
            let level = (own.named(levels) ?? inherited?.named(levels))?.name.text ?? ""
            return ["public", "package"].contains(level) ? "\(level) " : ""
        }

        // MARK: Members

        mutating func read(_ members: MemberBlockSyntax, of kind: Subject.Kind) {
            isStructure = kind == .structure
            for member in members.members {
                let declaration = member.decl
                if let variable = declaration.as(VariableDeclSyntax.self) {
                    read(variable)
                } else if let function = declaration.as(FunctionDeclSyntax.self) {
                    read(function)
                } else if declaration.is(InitializerDeclSyntax.self) {
                    needsInitializer = false
                } else if let list = declaration.as(EnumCaseDeclSyntax.self) {
                    for element in list.elements { read(element) }
                } else if let conditional = declaration.as(IfConfigDeclSyntax.self) {
                    read(conditional)
                }
            }
        }

        /// Reads a function; a static one, or one with other parameters than in generated code, is another member.
        private mutating func read(_ function: FunctionDeclSyntax) {
            let name = function.name.text.withoutBackticks
            let parameters = function.signature.parameterClause.parameters
            let isStatic = function.modifiers.named("static", "class") != nil
            if isStatic, parameters.isEmpty, SubjectReader.staticNames.contains(name) {
                refuse(function.name, .taken(name, "method"))
            }
            if name == "==" {
                let types = parameters.map(\.type.lastName)
                if types.allSatisfy({ [typeName, "Self"].contains($0) }) { written.insert(name) }
                return
            }
            let signature = "\(name)(\(parameters.map { "\($0.firstName.text):" }.joined()))"
            if SubjectReader.takesModels.contains(signature),
                parameters.first?.type.tokens(viewMode: .sourceAccurate).contains(where: { $0.text == "Model" }) != true
            {
                return
            }
            written.insert((isStatic ? "static " : "") + signature)
        }

        private static let takesModels: Set<String> = ["map(_:)", "forEach(_:)", "merge(_:)"]

        /// The names of generated static properties, which no case can have.
        private static let staticNames: Set<String> = ["fields", "recordName", "projectionName"]

        private mutating func read(_ conditional: IfConfigDeclSyntax) {
            for clause in conditional.clauses {
                guard let members = clause.elements?.as(MemberBlockItemListSyntax.self) else { continue }
                for member in members {
                    let variable = member.decl.as(VariableDeclSyntax.self)
                    let isStored = variable.map { !$0.isStatic && $0.bindings.contains(where: \.isStored) } ?? false
                    if isStored || member.decl.is(EnumCaseDeclSyntax.self) { refuse(member.decl, .conditional) }
                }
            }
        }

        private mutating func read(_ variable: VariableDeclSyntax) {
            var laterType: TypeSyntax?
            var found: [(PatternBindingSyntax, TypeSyntax?)] = []
            // In `let a, b: Int` the type comes with the last name.
            for binding in variable.bindings.reversed() {
                laterType = binding.typeAnnotation?.type ?? (binding.initializer == nil ? laterType : nil)
                found.insert((binding, laterType), at: 0)
            }
            for (binding, type) in found {
                guard let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.text else {
                    if !variable.isStatic, binding.isStored {
                        refuse(binding.pattern, .destructured(binding.pattern.trimmedDescription))
                    }
                    continue
                }
                written.insert((variable.isStatic ? "static " : "") + name.withoutBackticks)
                if variable.isStatic { continue }
                instanceProperties.append(name.withoutBackticks)
                if binding.isStored, binding.initializer == nil,
                    type?.isNilByDefault != true || variable.bindingSpecifier.text == "let"
                {
                    needsInitializer = false
                }
                if binding.isStored { read(variable, binding, type, name) }
            }
        }

        private mutating func read(
            _ variable: VariableDeclSyntax, _ binding: PatternBindingSyntax, _ type: TypeSyntax?, _ name: String
        ) {
            let isConstant = variable.bindingSpecifier.text == "let"
            let value = binding.initializer?.value
            let isIgnored = variable.attribute(Mark.cacheIgnored) != nil
            let plain = name.withoutBackticks
            if let lazy = variable.modifier("lazy") {
                return refuse(lazy, .lazy(plain), fixIts: [FixIts.removal(of: lazy, in: variable)])
            }
            if let weak = variable.modifier("weak", "unowned") {
                return refuse(
                    weak, .reference(plain, weak.name.text), fixIts: [FixIts.removal(of: weak, in: variable)])
            }
            if isStructure, let type, TypeReading.isInPlace(typeName, in: type) {
                return refuse(type, .recursive(plain, typeName.withoutBackticks))
            }
            if let mark = variable.attribute(Mark.cacheField), isIgnored || (isConstant && value != nil) {
                refuse(mark, .noField(plain))
            }
            if isConstant, value != nil {
                if isIgnored {
                    refuse(variable.bindingSpecifier, .ignoredConstant(plain), fixIts: [FixIts.variable(variable)])
                }
                return
            }
            let property = StoredProperty(
                code: name, names: fieldNames(variable), type: type ?? value?.literalType, isRecorded: !isIgnored,
                isCompared: variable.attribute(Mark.equalityIgnored) == nil,
                hasDefault: binding.initializer.isDefault, syntax: Syntax(binding.pattern))
            if isIgnored {
                if isConstant {
                    refuse(variable.bindingSpecifier, .ignoredConstant(plain), fixIts: [FixIts.variable(variable)])
                } else if value == nil, type?.isNilByDefault != true, variable.wrapper == nil {
                    refuse(binding.pattern, .noDefault(plain), fixIts: [FixIts.defaultValue(binding)])
                }
                return properties.append(property)
            }
            if let wrapper = variable.wrapper {
                return refuse(wrapper, .wrapper(plain, wrapper.attributeName.trimmedDescription))
            }
            guard let type = property.type else {
                return refuse(
                    binding.pattern, .missingType(plain), fixIts: [FixIts.type(binding, value?.suggestedType)])
            }
            check(type, plain, ignoring: isConstant || value == nil ? nil : variable)
            properties.append(property)
        }

        /// Refuses a type that a record cannot hold; a variable with a default value may be left out instead.
        private mutating func check(_ type: TypeSyntax, _ name: String, ignoring variable: VariableDeclSyntax? = nil) {
            guard let (refusal, part) = TypeReading.refusal(type, name) else { return }
            refuse(part, refusal, fixIts: variable.map { [FixIts.ignoring($0)] } ?? [])
        }

        // MARK: Cases

        private mutating func read(_ element: EnumCaseElementSyntax) {
            let name = element.name.text.withoutBackticks
            var payload: [StoredProperty] = []
            var labels: [String?] = []
            let parameters = element.parameterClause.map { Array($0.parameters) } ?? []
            for (index, parameter) in parameters.enumerated() {
                let label = parameter.firstName.flatMap { $0.text == "_" ? nil : $0.text }
                labels.append(label)
                check(parameter.type, "\(name).\(label ?? "\(index)")")
                payload.append(
                    StoredProperty(
                        code: label ?? "_\(index)", type: parameter.type,
                        hasDefault: label != nil && parameter.defaultValue.isDefault, syntax: Syntax(parameter.type)))
            }
            if parameters.isEmpty, SubjectReader.staticNames.contains(name), !written.contains("static \(name)") {
                refuse(element.name, .taken(name, "case"))
            }
            if cases.contains(where: { $0.name == name }) { refuse(element.name, .duplicate(name)) }
            cases.append(Subject.Case(code: element.name.text, name: name, payload: payload, labels: labels))
        }
    }
#endif

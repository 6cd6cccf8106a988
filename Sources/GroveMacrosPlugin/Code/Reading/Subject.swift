#if Macros
    import SwiftDiagnostics
    import SwiftSyntax

    /// The type that has the attribute `@Cacheable`, as far as its syntax tells.
    struct Subject {
        enum Kind {
            case structure
            case finalClass
            case enumeration
            /// A raw-value enum, which is a leaf.
            case leaf
        }

        struct Case {
            let code: String
            let name: String
            /// The payload's values in the order of their declaration.
            let payload: [StoredProperty]
            /// The labels of these values in code; `nil` for a value without one.
            let labels: [String?]
        }

        /// What the declarations around the type say of it.
        struct Surroundings {
            /// The availability attributes of the type and of the types around it.
            let availability: [String]
            /// Whether the type is in an extension, possibly of a generic type.
            let isInExtension: Bool
        }

        /// What a record of the type is found by.
        struct Identity {
            let recordName: String
            let projectionName: String
            /// The property that identifies the model.
            fileprivate(set) var property: String?
        }

        let kind: Kind
        let name: String
        /// The access modifier of generated members: `public `, `package `, `fileprivate ` or nothing.
        let access: String
        let names: TypeNames
        /// The fields of the record in the order of its table.
        private(set) var fields: [StoredProperty] = []
        /// Stored properties that the record leaves out.
        private(set) var leftOut: [StoredProperty] = []
        private(set) var cases: [Case] = []
        /// The names that the type's own body declares, functions with their labels.
        private(set) var written: Set<String> = []
        /// Whether a class would have an initialiser without parameters if there were no other.
        let losesInitializer: Bool
        let surroundings: Surroundings
        let inherited: Set<String>
        private(set) var identity: Identity

        /// Reads `declaration`.
        ///
        /// - Throws: `DiagnosticsError` with all refusals.
        /// - Parameter type: the type as its extension names it, with those around it; `nil` if names do not matter.
        init(
            _ declaration: some DeclGroupSyntax, _ node: AttributeSyntax, _ context: [Syntax],
            as type: (some TypeSyntaxProtocol)? = TypeSyntax?.none
        ) throws {
            var reader = SubjectReader(declaration.typeName)
            let inherited = declaration.inheritanceClause?.inheritedTypes.map(\.type.lastName) ?? []
            (kind, name) = try SubjectReader.kind(of: declaration, node, inherited)
            self.inherited = Set(inherited)
            access = reader.access(of: declaration, name, node, context)
            if ([Syntax(declaration)] + context).contains(where: SubjectReader.isGeneric) {
                reader.refuse(node, .generic(name))
            }
            let arguments = reader.arguments(node)
            let path = type?.trimmedDescription.split(separator: ".").map { String($0).withoutBackticks }
            let qualifiedName = path?.joined(separator: ".") ?? name
            identity = Identity(
                recordName: arguments["record"] ?? qualifiedName,
                projectionName: arguments["projection"] ?? qualifiedName)
            reader.read(declaration.memberBlock, of: kind)
            written = reader.written
            losesInitializer = kind == .finalClass && reader.needsInitializer
            let around = context.reversed().compactMap { $0.asProtocol((any DeclGroupSyntax).self)?.attributes }
            let availability = (around + [declaration.attributes]).flatMap { attributes in
                attributes.compactMap { $0.as(AttributeSyntax.self) }
                    .filter { $0.attributeName.lastName == "available" }.map(\.trimmedDescription)
            }
            surroundings = Surroundings(
                availability: availability, isInExtension: context.last?.is(ExtensionDeclSyntax.self) ?? false)
            let raw = declaration.inheritanceClause?.inheritedTypes.first
            if kind == .leaf, let raw, raw.type.lastName == "Character" {
                reader.refuse(raw.type, .character, fixIts: [FixIts.rawString(raw.type)])
            }
            fields = reader.properties.filter(\.isRecorded).sorted { FieldOrder.isBefore($0.field, $1.field) }
            leftOut = reader.properties.filter { !$0.isRecorded }
            cases = reader.cases
            names = TypeNames(
                (fields + cases.flatMap(\.payload)).compactMap(\.type), of: declaration.typeName,
                isNested: !context.isEmpty)
            if (kind == .enumeration || kind == .leaf) && cases.isEmpty && !reader.isRefused {
                reader.refuse(node, .noCases(name))
            }
            for fields in [fields] + cases.map(\.payload) {
                for (index, field) in fields.enumerated()
                where fields[..<index].contains(where: { $0.field == field.field }) {
                    reader.refuse(field.syntax, .duplicate(field.field))
                }
            }
            if let wanted = arguments["id"] {
                identity.property = wanted
                if !reader.instanceProperties.contains(wanted) {
                    let known = reader.instanceProperties.filter { $0 != "modelIdentifier" }
                    reader.refuse(node, .noSuchID(wanted, known))
                }
            } else if kind != .enumeration, reader.instanceProperties.contains("id") {
                identity.property = "id"
            }
            // With a default value, all records without an identifier would get the same one, or a new one at each
            // read.
            for index in fields.indices where fields[index].code.withoutBackticks == identity.property {
                fields[index].hasDefault = false
            }
            reader.checkOldNames(fields)
            if !written.contains("modelIdentifier"),
                let ignored = leftOut.first(where: { $0.field == identity.property })
            {
                reader.refuse(ignored.syntax, .ignoredID(ignored.field))
            }
            guard reader.diagnostics.isEmpty else { throw DiagnosticsError(diagnostics: reader.diagnostics) }
        }

        /// Whether the property that identifies the model, and so its type, is as visible as the model.
        var showsID: Bool {
            var node = fields.first { $0.code.withoutBackticks == identity.property }?.syntax
            while let current = node, !current.is(VariableDeclSyntax.self) { node = current.parent }
            guard let variable = node?.as(VariableDeclSyntax.self) else { return false }
            if access == "public " || access == "package " {
                return variable.modifiers.named(["public", String(access.dropLast())]) != nil
            }
            return variable.modifier("private", "fileprivate") == nil
        }

        /// Whether an enum uses the identifiers and records of its payloads.
        var takesPayloads: Bool {
            kind == .enumeration && identity.property == nil && cases.contains { $0.payload.count == 1 }
        }
    }

    /// The order in which a field table and a record hold names (RFC 8949 §4.2.1).
    enum FieldOrder {
        static func isBefore(_ left: String, _ right: String) -> Bool {
            left.utf8.count != right.utf8.count
                ? left.utf8.count < right.utf8.count : left.utf8.lexicographicallyPrecedes(right.utf8)
        }
    }
#endif

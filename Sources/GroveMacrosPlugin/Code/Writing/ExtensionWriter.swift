#if Macros
    import SwiftSyntax

    /// The writer of the extension that makes a type a model.
    struct ExtensionWriter {
        let subject: Subject
        let type: String
        /// The protocols to which the type does not conform yet.
        let missing: Set<String>
        /// The file, as code, and the line and column of a part of the type's syntax.
        let location: (Syntax) -> (file: String, line: Int, column: Int)?

        static let support = "GroveMacros._CacheableSupport"

        /// The mark at the beginning of a line that is not to be indented.
        static let unindented = "\u{1}"

        init(
            _ subject: Subject, type: String, missing: Set<String>,
            location: @escaping (Syntax) -> (file: String, line: Int, column: Int)? = { _ in nil }
        ) {
            self.subject = subject
            self.type = type
            self.missing = missing
            self.location = location
        }

        var code: String {
            let list = conformances.joined(separator: ", ")
            let members = subject.kind == .leaf ? equalityMembers.filter { !$0.isEmpty } : self.members
            // A model is read and written anywhere, even if a module's declarations belong to the main actor by
            // default.
            let head = "nonisolated extension \(type)" + (list.isEmpty ? "" : ": \(list)")
            let availability = subject.surroundings.availability.map { "\($0)\n" }.joined()
            let code = "\(availability)\(head) {\(members.map { "\n\($0.indented)\n" }.joined())}"
            return code.split(separator: ExtensionWriter.unindented).joined()
        }

        // The compiler does not imply conformances that the macro announces, so all of them are written.
        private var conformances: [String] {
            var wanted: [(String, String)] =
                switch subject.kind {
                case .leaf:
                    [("NodeCodable", "GroveCoding.NodeCodable"), ("Equatable", "Swift.Equatable")]
                        + (subject.written.contains("static cacheFallback")
                            ? [("CacheFallback", "GroveCoding.CacheFallback")] : [])
                case .enumeration:
                    ExtensionWriter.modelConformances
                        + (subject.takesPayloads ? [("_CacheableEnum", "GroveMacros._CacheableEnum")] : [])
                case .structure, .finalClass:
                    ExtensionWriter.modelConformances
                        + (hasFieldAccess ? [("_CacheableFields", "GroveMacros._CacheableFields")] : [])
                }
            if keyType != nil { wanted.append(("KeyedModel", "GroveModel.KeyedModel")) }
            return wanted.filter { missing.contains($0.0) }.map(\.1)
        }

        private static let modelConformances = [
            ("Model", "GroveModel.Model"), ("CacheableModel", "GroveCoding.CacheableModel"),
            ("NodeCodable", "GroveCoding.NodeCodable"), ("Equatable", "Swift.Equatable"),
        ]

        private var members: [String] {
            let coding = subject.kind == .enumeration ? enumMembers : memberwiseMembers
            return (nameMembers + identityMembers + coding + equalityMembers + [checks]).filter { !$0.isEmpty }
        }

        /// `code` if the type itself does not declare `name`.
        func unless(_ name: String, _ code: @autoclosure () -> String) -> String {
            subject.written.contains(name) ? "" : code()
        }

        /// The name of a field's type in code.
        func spelling(_ field: StoredProperty) -> String { field.type.map(subject.names.name) ?? "" }

        // The functions that read a field: a field with a default value may be absent.
        func scan(_ field: StoredProperty) -> String { field.hasDefault ? "_scanIfPresent" : "_scan" }
        func finish(_ field: StoredProperty) -> String { field.hasDefault ? "finishIfPresent" : "finish" }

        /// An expression of the shape of a field's models.
        func shape(_ field: StoredProperty) -> String {
            field.type.map { TypeReading.shape($0, subject.names.name) } ?? ""
        }

        // MARK: Names and identity

        private var nameMembers: [String] {
            [
                unless(
                    "static recordName",
                    "\(subject.access)static var recordName: String { \(subject.identity.recordName.literal) }"),
                unless(
                    "static projectionName",
                    "\(subject.access)static var projectionName: String { \(subject.identity.projectionName.literal) }"),
            ]
        }

        private var identityMembers: [String] {
            guard !subject.written.contains("modelIdentifier") else { return [] }
            let head = "\(subject.access)var modelIdentifier: GroveModel.ModelIdentifier?"
            guard let id = subject.identity.property else {
                return [subject.takesPayloads ? payloadIdentifier(head) : "\(head) { nil }", noIdentifier]
            }
            let prefix = identifierPrefix
            let support = ExtensionWriter.support
            return [
                """
                \(head) {
                    guard let _id = \(support).present(self.\(id)) else { return nil }
                    return \(support).identifier(\(prefix), \(support).key(_id))
                }
                """,
                unless(
                    "appendIdentifier(to:)",
                    """
                    \(subject.access)func appendIdentifier(to identifier: inout GroveCoding.IdentifierBuffer) -> Bool {
                        guard let _id = \(support).present(self.\(id)) else { return false }
                        \(support).append(\(prefix), \(support).key(_id), to: &identifier)
                        return true
                    }
                    """),
            ] + keyMembers(prefix)
        }

        /// The beginning of an identifier, as code.
        private var identifierPrefix: String {
            subject.written.contains("static recordName")
                ? "Self.recordName + \":\"" : "\(subject.identity.recordName):".literal
        }

        /// The type of the property that identifies the model, as code; `nil` if it is not declared, is an optional, or
        /// has no name that a caller may use.
        private var keyType: String? {
            guard subject.kind != .leaf, !subject.written.contains("modelIdentifier"),
                let id = subject.identity.property,
                let field = subject.fields.first(where: { $0.code.withoutBackticks == id }), let type = field.type,
                !type.is(OptionalTypeSyntax.self), !type.is(ImplicitlyUnwrappedOptionalTypeSyntax.self),
                type.lastName != "Optional"
            else { return nil }
            return subject.names.openName(type, isSeen: subject.showsID)
        }

        /// The members that make the identifier from that property.
        private func keyMembers(_ prefix: String) -> [String] {
            guard let keyType, missing.contains("KeyedModel") else { return [] }
            let support = ExtensionWriter.support
            return [
                "\(subject.access)static var identifierPrefix: Swift.String? { \(prefix) }",
                """
                \(subject.access)static func modelIdentifier(for id: \(keyType)) -> GroveModel.ModelIdentifier {
                    \(support).identifier(\(prefix), \(support).key(id))
                }
                """,
            ]
        }

        /// The member of a model without an identifier, or of an enum: if it has a payload, that is written in its
        /// place.
        private var noIdentifier: String {
            unless(
                "appendIdentifier(to:)",
                "\(subject.access)func appendIdentifier(to identifier: inout GroveCoding.IdentifierBuffer) -> Bool { false }"
            )
        }

        // MARK: Checks

        /// The code by which the compiler checks the types of fields, each at the place of its field; see
        /// `FieldChecks.swift`.
        private var checks: String {
            let stored = subject.fields + subject.cases.flatMap(\.payload)
            let lines = stored.flatMap(check) + subject.leftOut.flatMap(check)
            guard !lines.isEmpty else { return "" }
            let body = (lines + ["#sourceLocation()"]).joined(separator: "\n").indented
            return "private func _groveChecks() {\n\(body)\n}"
        }

        private func check(_ field: StoredProperty) -> [String] {
            let support = ExtensionWriter.support
            let value = field.isRecorded ? "\(spelling(field)).self" : "Swift.type(of: self.\(field.code))"
            let isCoded =
                field.isRecorded
                && !subject.written.isSuperset(of: ["encodeFields(to:)", "static decodeFields(from:)"])
            let isCompared = field.isCompared && writesEquality
            let (coding, equality) = ("\(support).coding(\(value))", "\(support).equality(\(value))")
            var lines: [(head: String, last: String)] =
                switch (isCoded, isCompared) {
                case (true, true): [(support, ".field(\(coding), \(equality))")]
                case (true, false): [(support, ".field(coding: \(coding))")]
                case (false, true): [(support, ".field(equality: \(equality))")]
                case (false, false): []
                }
            if field.isRecorded, field.code.withoutBackticks != subject.identity.property, let type = field.type {
                lines += TypeReading.named(in: type).filter { !TypeReading.isLeaf($0) }.map {
                    ("", "\(support).child(\(subject.names.name($0)).self).id")
                }
            }
            // The code of an error message is put at the field's place: the text after the last dot, or else the whole.
            guard let place = location(field.syntax), place.line > 1, place.column > 1 else {
                return lines.map { $0.head + $0.last }
            }
            func at(_ column: Int, _ code: String) -> String {
                ExtensionWriter.unindented + String(repeating: " ", count: column - 1) + code
            }
            return lines.flatMap { head, last in
                let directive = "#sourceLocation(file: \(place.file), line: "
                return head.isEmpty
                    ? ["\(directive)\(place.line))", at(place.column, last)]
                    : ["\(directive)\(place.line - 1))", head, at(place.column - 1, last)]
            }
        }

        // MARK: Equality

        private static let equatable: Set<String> = ["Equatable", "Hashable", "Comparable"]

        /// The properties that equality compares.
        private var compared: [StoredProperty] { (subject.fields + subject.leftOut).filter(\.isCompared) }

        /// Whether equality leaves out a property that Swift's own `==` would compare.
        private var ignoresProperties: Bool { compared.count < subject.fields.count + subject.leftOut.count }

        private var declaresHashable: Bool { subject.inherited.contains("Hashable") }

        /// Whether `==` is generated; Swift's own would not find a NaN equal to itself.
        var writesEquality: Bool {
            guard subject.kind != .leaf, !subject.written.contains("==") else { return false }
            return missing.contains("Equatable") || ignoresProperties
                || !subject.inherited.isDisjoint(with: ExtensionWriter.equatable)
        }

        private var equalityMembers: [String] {
            // A type may be Hashable by a protocol or by an extension, neither of which the macro sees.
            let needsHash =
                (declaresHashable && (subject.kind == .finalClass || ignoresProperties))
                || (ignoresProperties && !subject.written.contains("=="))
            return [
                subject.written.contains("==") ? ownEquality : writesEquality ? equality : "",
                needsHash ? unless("hash(into:)", hash) : "",
            ]
        }

        // A `==` in the body of a type with a macro is found twice. The compiler then uses its own `==` for a struct or
        // an enum, and refuses a class.
        private var ownEquality: String {
            """
            @_implements(Swift.Equatable, ==(_:_:))
            \(subject.access)static func _groveAreEqual(_ left: \(type), _ right: \(type)) -> Bool { left == right }
            """
        }

        private var equality: String {
            let body = subject.kind == .enumeration ? caseEquality : memberwiseEquality
            return """
                \(subject.access)static func == (left: \(type), right: \(type)) -> Bool {
                \(body.indented)
                }
                """
        }

        private var memberwiseEquality: String {
            var lines = subject.kind == .finalClass ? ["if left === right { return true }"] : []
            lines += compared.map {
                "guard \(ExtensionWriter.support).areEqual(left.\($0.code), right.\($0.code)) else { return false }"
            }
            return (lines + ["return true"]).joined(separator: "\n")
        }

        private var hash: String {
            let lines = compared.map {
                declaresHashable
                    ? "hasher.combine(self.\($0.code))"
                    : "\(ExtensionWriter.support).combine(self.\($0.code), into: &hasher)"
            }
            return """
                \(subject.access)func hash(into hasher: inout Swift.Hasher) {
                \(lines.joined(separator: "\n").indented)
                }
                """
        }
    }

    extension String {
        /// The text with every line indented by four columns, except empty ones and those with
        /// ``ExtensionWriter/unindented``.
        var indented: String {
            split(separator: "\n", omittingEmptySubsequences: false)
                .map { $0.isEmpty || $0.hasPrefix(ExtensionWriter.unindented) ? String($0) : "    \($0)" }
                .joined(separator: "\n")
        }

        /// The text as a Swift string literal.
        var literal: String {
            let escaped = unicodeScalars.map { scalar in
                switch scalar {
                case "\"", "\\": "\\\(scalar)"
                case _ where scalar.value < 0x20 || scalar.value == 0x7F: "\\u{\(String(scalar.value, radix: 16))}"
                default: String(scalar)
                }
            }
            return "\"\(escaped.joined())\""
        }
    }
#endif

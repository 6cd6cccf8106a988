#if Macros
    // Enums: a case in place has the layout of SE-0295; a case with one identified payload uses that payload's record.
    extension ExtensionWriter {
        var enumMembers: [String] {
            var members = [
                unless("static fields", "\(subject.access)static var fields: GroveCoding.FieldTable { .dynamic }"),
                unless("encodeFields(to:)", encodeCases), unless("static decodeFields(from:)", decodeCases),
                unless("map(_:)", mapCases), unless("forEach(_:)", forEachCase),
            ]
            members.append(payloadTables)
            if subject.takesPayloads {
                members += [
                    unless("encodeValue(to:)", encodePayload), unless("static decodeValue(from:)", decodePayload),
                    unless("merge(_:)", mergePayload), cacheablePayload,
                ]
            }
            return members
        }

        private var support: String { ExtensionWriter.support }

        // MARK: Cases

        /// A switch over self, with one branch for each case; a branch may bind its payload as `_0` and so on.
        private func switchSelf(_ branch: (Int, Subject.Case) -> (binds: Bool, code: String)) -> String {
            let branches = subject.cases.enumerated().map { index, element in
                let (binds, code) = branch(index, element)
                return "case \(pattern(element, binds ? "_" : nil)):\n\(code.indented)"
            }
            return "switch self {\n\(branches.joined(separator: "\n"))\n}"
        }

        private func pattern(_ element: Subject.Case, _ prefix: String?) -> String {
            guard let prefix, !element.payload.isEmpty else { return ".\(element.code)" }
            return ".\(element.code)(\(element.payload.indices.map { "let \(prefix)\($0)" }.joined(separator: ", ")))"
        }

        private func construction(_ element: Subject.Case, _ value: (Int) -> String) -> String {
            guard !element.payload.isEmpty else { return "Self.\(element.code)" }
            let arguments = element.payload.indices.map { index in
                element.labels[index].map { "\($0): \(value(index))" } ?? value(index)
            }
            return "Self.\(element.code)(\(arguments.joined(separator: ", ")))"
        }

        /// The indices of a payload's values in the order of their names in a record.
        private func order(_ element: Subject.Case) -> [Int] {
            element.payload.indices.sorted { FieldOrder.isBefore(element.payload[$0].field, element.payload[$1].field) }
        }

        // MARK: Coding in place

        private var payloadTables: String {
            let tables = subject.cases.map { element in
                let names = order(element).map { element.payload[$0].field.literal }.joined(separator: ", ")
                return "    GroveCoding.FieldTable(\(names)),"
            }
            return "private static let _groveCases = [\n\(tables.joined(separator: "\n"))\n]"
        }

        private var encodeCases: String {
            let body = switchSelf { _, element in
                let lines =
                    ["_node.writeMapHead(count: 1)", "_node.write(\(element.name.literal))"]
                    + ["_node.writeMapHead(count: \(element.payload.count))"]
                    + order(element).flatMap {
                        ["_node.write(\(element.payload[$0].field.literal))", "try _node._encode(_\($0))"]
                    }
                return (true, lines.joined(separator: "\n"))
            }
            return """
                \(subject.access)func encodeFields(to _node: inout GroveCoding.NodeEncoder) throws(GroveModel.CacheError) {
                \(body.indented)
                }
                """
        }

        private var decodeCases: String {
            let cases = subject.cases.enumerated().map { index, element in
                let scans = order(element).enumerated().map { position, value in
                    let field = element.payload[value]
                    return "let _\(value) = try _payload.\(scan(field))(\(spelling(field)).self, at: \(position))"
                }
                let lines =
                    ["try _payload.beginPayload(_groveCases[\(index)])"] + scans
                    + ["try _payload.endPayload()"] + finished(element)
                return "case \(element.name.literal):\n\(lines.joined(separator: "\n").indented)"
            }
            return """
                \(subject.access)static func decodeFields(from _node: inout GroveCoding.NodeDecoder) throws(GroveCoding.NodeReadFailure) -> Self {
                    var _payload = _node.reading(try _node.setAside())
                    switch try _payload.readCaseName() {
                \(cases.joined(separator: "\n").indented)
                    default:
                        throw GroveCoding.NodeReadFailure.otherShape
                    }
                }
                """
        }

        /// Finishes a case's payload and returns the case.
        ///
        /// A payload's value that is absent and has a default value is taken from a case that was made without it.
        private func finished(_ element: Subject.Case) -> [String] {
            guard element.payload.contains(where: \.hasDefault) else {
                return ["return \(construction(element) { "try _payload.finish(_\($0))" })"]
            }
            let values = element.payload.enumerated().map { index, field in
                "let _value\(index) = try _payload.\(finish(field))(_\(index))"
            }
            let given = element.payload.indices.filter { !element.payload[$0].hasDefault }.map { index in
                element.labels[index].map { "\($0): _value\(index)" } ?? "_value\(index)"
            }
            let bindings = element.payload.indices.map { element.payload[$0].hasDefault ? "let _default\($0)" : "_" }
            let made = construction(element) {
                element.payload[$0].hasDefault ? "_value\($0) ?? _default\($0)" : "_value\($0)"
            }
            let rest = subject.cases.count > 1 ? ["default:", "    throw GroveCoding.NodeReadFailure.otherShape"] : []
            return values + ["switch \(support).value(Self.\(element.code)(\(given.joined(separator: ", ")))) {"]
                + ["case .\(element.code)(\(bindings.joined(separator: ", "))):", "    return \(made)"] + rest + ["}"]
        }

        // MARK: Payloads with records

        private var hasOwnIdentifier: Bool { subject.written.contains("modelIdentifier") }

        func payloadIdentifier(_ head: String) -> String {
            let body = switchSelf { _, element in
                element.payload.count == 1 ? (true, "\(support).payloadIdentifier(_0)") : (false, "nil")
            }
            return "\(head) {\n\(body.indented)\n}"
        }

        private var cacheablePayload: String {
            let body = switchSelf { _, element in
                element.payload.count == 1
                    ? (true, "\(support).nodePayload(_0, of: modelIdentifier)") : (false, "nil")
            }
            return "\(subject.access)var cacheablePayload: (any GroveModel.Model)? {\n\(body.indented)\n}"
        }

        private var encodePayload: String {
            let body = switchSelf { _, element in
                guard element.payload.count == 1 else { return (false, "break") }
                // The enum's own identifier, declared by hand, may differ from the payload's.
                let condition = hasOwnIdentifier ? "\(support).payloadIdentifier(_0) == modelIdentifier, " : ""
                let write = "try \(support).encodeNode(_0, caseName: \(element.name.literal), to: &_encoder)"
                return (true, "if \(condition)\(write) { return }")
            }
            return """
                \(subject.access)func encodeValue(to _encoder: inout GroveCoding.NodeEncoder) throws(GroveModel.CacheError) {
                \(body.indented)
                    try _encoder.encodeModel(self)
                }
                """
        }

        private var decodePayload: String {
            let payloads = subject.cases.filter { $0.payload.count == 1 }
            let names = payloads.map {
                "(\($0.name.literal), \(support).recordName(of: \(spelling($0.payload[0])).self))"
            }
            let branches = payloads.map { element in
                let value = "try \(support).node(\(spelling(element.payload[0])).self, _reference, _decoder)"
                return "case \(element.name.literal):\n    return \(construction(element) { _ in value })"
            }
            let ownRecord =
                hasOwnIdentifier
                ? """

                    if _reference.caseName == nil, try _decoder.recordName(of: _reference) == Self.recordName {
                        return try _decoder.node(Self.self, _reference)
                    }
                """ : ""
            return """
                \(subject.access)static func decodeValue(from _decoder: inout GroveCoding.NodeDecoder) throws(GroveCoding.NodeReadFailure) -> Self {
                    guard let _reference = try _decoder.readReference() else { return try _decoder.decodeModel(Self.self) }\(ownRecord)
                    let _caseName: String
                    if let _stored = _reference.caseName {
                        _caseName = _stored
                    } else {
                        _caseName = try \(support).caseName(of: _reference, _decoder, [\(names.joined(separator: ", "))])
                    }
                    switch _caseName {
                \(branches.joined(separator: "\n").indented)
                    default:
                        throw GroveCoding.NodeReadFailure.otherShape
                    }
                }
                """
        }

        private var mergePayload: String {
            let body = switchSelf { _, element in
                guard element.payload.count == 1 else { return (false, "return self") }
                return (
                    true,
                    "return \(support).mergedPayload(_0, model).map { \(construction(element) { _ in "$0" }) } ?? self"
                )
            }
            return """
                \(subject.access)func merge(_ model: any GroveModel.Model) -> any GroveModel.Model {
                    if model is Self { return model }
                \(body.indented)
                }
                """
        }

        // MARK: Children

        private var mapCases: String {
            let body = switchSelf { _, element in
                guard !element.payload.isEmpty else { return (false, "return self") }
                let isNode = subject.takesPayloads && element.payload.count == 1
                let lines = order(element).map { index in
                    let shape = self.shape(element.payload[index])
                    let call =
                        isNode
                        ? "mapPayload(\(shape), _\(index), isNode: cacheablePayload != nil, transform)"
                        : "map(\(shape), _\(index), transform)"
                    return "guard let _new\(index) = \(support).\(call) else { return nil }"
                }
                return (true, (lines + ["return \(construction(element) { "_new\($0)" })"]).joined(separator: "\n"))
            }
            return """
                \(subject.access)func map(_ transform: (any GroveModel.Model) -> (any GroveModel.Model)?) -> Self? {
                \(body.indented)
                }
                """
        }

        private var forEachCase: String {
            let body = switchSelf { _, element in
                guard !element.payload.isEmpty else { return (false, "break") }
                let lines = order(element).map {
                    "\(support).forEach(\(shape(element.payload[$0])), _\($0), visit)"
                }
                return (true, lines.joined(separator: "\n"))
            }
            let node =
                subject.takesPayloads ? "    if let _node = cacheablePayload { return _node.forEach(visit) }\n" : ""
            return """
                \(subject.access)func forEach(_ visit: (any GroveModel.Model) -> Swift.Void) {
                \(node)\(body.indented)
                }
                """
        }

        // MARK: Equality

        var caseEquality: String {
            let branches = subject.cases.map { element in
                let patterns = "(\(pattern(element, "_left")), \(pattern(element, "_right")))"
                let tests = element.payload.indices.map { "\(support).areEqual(_left\($0), _right\($0))" }
                return "case \(patterns):\n    return \(tests.isEmpty ? "true" : tests.joined(separator: " && "))"
            }
            let rest = subject.cases.count > 1 ? ["default:\n    return false"] : []
            return "switch (left, right) {\n\((branches + rest).joined(separator: "\n"))\n}"
        }
    }
#endif

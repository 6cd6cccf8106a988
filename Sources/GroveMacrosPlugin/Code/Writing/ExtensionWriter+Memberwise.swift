#if Macros
    // Structs and final classes: an initialiser of all fields in the order of the table, and the members that visit the
    // fields.
    extension ExtensionWriter {
        /// Whether another projection may ask for fields.
        var hasFieldAccess: Bool { subject.identity.property != nil || subject.written.contains("modelIdentifier") }

        var memberwiseMembers: [String] {
            // The default implementations of Model are right if there are no fields.
            let replacesChildren =
                !subject.fields.isEmpty && subject.written.isDisjoint(with: ["map(_:)", "forEach(_:)"])
            let merges = !subject.fields.isEmpty && hasFieldAccess
            return [
                unless("static fields", fieldTable), unless("encodeFields(to:)", encodeFields),
                unless("static decodeFields(from:)", decodeFields), unless("map(_:)", map),
                unless("forEach(_:)", forEach),
                replacesChildren ? unless("replacingChild(at:with:)", replacingChild) : "",
                merges ? unless("merge(_:)", merge) : "", hasFieldAccess ? fieldAccess : "",
                subject.kind == .structure ? initializer : "",
            ]
        }

        private func lines(_ line: (Int, StoredProperty) -> String) -> String {
            subject.fields.enumerated().map { line($0, $1) }.joined(separator: "\n").indented
        }

        /// A call of the initialiser with the code of `value` for each field.
        private func construction(_ value: (Int, StoredProperty) -> String) -> String {
            let arguments = subject.fields.enumerated().map { "_\($0): \(value($0, $1))" }
            return "Self(\((["_grove: ()"] + arguments).joined(separator: ", ")))"
        }

        /// The code that returns a copy made by `construction`, with the properties that the record leaves out.
        private func returnCopy(_ construction: String) -> String {
            guard !subject.leftOut.isEmpty else { return "return \(construction)" }
            let keyword = subject.kind == .finalClass ? "let" : "var"
            let lines =
                ["\(keyword) _copy = \(construction)"]
                + subject.leftOut.map { "_copy.\($0.code) = self.\($0.code)" } + ["return _copy"]
            return lines.joined(separator: "\n")
        }

        /// The initialiser that generated code calls; a class declares it among its own members.
        ///
        /// A field with a default value keeps it if the argument is `nil`.
        var initializer: String {
            let parameters = subject.fields.enumerated().map { "_\($0): \(spelling($1))\($1.hasDefault ? "?" : "")" }
            // A class declares it among its own members, apart from the extension, which is nonisolated.
            let isolation = subject.kind == .finalClass ? "nonisolated " : ""
            return """
                \(isolation)private init(\((["_grove: Swift.Void"] + parameters).joined(separator: ", "))) {
                \(lines(assignment))
                }
                """
        }

        private func assignment(_ index: Int, _ field: StoredProperty) -> String {
            let assignment = "self.\(field.code) = _\(index)"
            if field.hasDefault, let value = field.defaultValue { return "\(assignment) ?? (\(value))" }
            return field.hasDefault ? "if let _\(index) { \(assignment) }" : assignment
        }

        private var fieldTable: String {
            let names = subject.fields.map(\.field.literal).joined(separator: ", ")
            // The compiler shows the remark beside its error if the extended type turns out to be generic.
            let remark =
                subject.surroundings.isInExtension
                ? "// Types inside a generic type are not served: records of all its specialisations would have one name.\n"
                : ""
            let old = subject.fields.filter { !$0.oldNames.isEmpty }.map {
                "\($0.field.literal): [\($0.oldNames.map(\.literal).joined(separator: ", "))]"
            }
            let was = old.isEmpty ? "" : ", was: [\(old.joined(separator: ", "))]"
            return "\(remark)\(subject.access)static let fields = GroveCoding.FieldTable(\(names)\(was))"
        }

        private var encodeFields: String {
            """
            \(subject.access)func encodeFields(to _node: inout GroveCoding.NodeEncoder) throws(GroveModel.CacheError) {
            \(lines { "try _node._encode(self.\($1.code), at: \($0))" })
            }
            """
        }

        private var decodeFields: String {
            """
            \(subject.access)static func decodeFields(from _node: inout GroveCoding.NodeDecoder) throws(GroveCoding.NodeReadFailure) -> Self {
            \(lines { "let _\($0) = try _node.\(scan($1))(\(spelling($1)).self, at: \($0))" })
                return \(construction { "try _node.\(finish($1))(_\($0))" })
            }
            """
        }

        private var map: String {
            """
            \(subject.access)func map(_ transform: (any GroveModel.Model) -> (any GroveModel.Model)?) -> Self? {
            \(lines {
                "guard let _\($0) = \(ExtensionWriter.support).map(\(shape($1)), self.\($1.code), transform) else { return nil }"
            })
            \(returnCopy(construction { index, _ in "_\(index)" }).indented)
            }
            """
        }

        private var replacingChild: String {
            let fields = subject.fields.enumerated().map { index, field in
                let copy = construction { $0 == index ? "_\($0)" : "self.\($1.code)" }
                return """
                    var _\(index) = self.\(field.code)
                    if let _fits = \(ExtensionWriter.support).replace(\(shape(field)), &_\(index), at: &_position, with: child) {
                        guard _fits else { return nil }
                    \(returnCopy(copy).indented)
                    }
                    """
            }
            return """
                \(subject.access)func replacingChild(at position: Swift.Int, with child: any GroveModel.Model) -> Self? {
                    var _position = position
                \(fields.joined(separator: "\n").indented)
                    return nil
                }
                """
        }

        private var forEach: String {
            """
            \(subject.access)func forEach(_ visit: (any GroveModel.Model) -> Swift.Void) {
            \(lines { "\(ExtensionWriter.support).forEach(\(shape($1)), self.\($1.code), visit)" })
            }
            """
        }

        private var merge: String {
            let merged = construction { _, field in
                "\(ExtensionWriter.support).merged(\(shape(field)), self.\(field.code), _other, \(field.field.literal))"
            }
            return """
                \(subject.access)func merge(_ model: any GroveModel.Model) -> any GroveModel.Model {
                    let _model = \(ExtensionWriter.support).unwrapped(model)
                    if _model is Self { return _model }
                    guard let _other = \(ExtensionWriter.support).projection(_model, of: self) else { return self }
                \(returnCopy(merged).indented)
                }
                """
        }

        private var fieldAccess: String {
            let cases = lines {
                "case \($1.field.literal): \(ExtensionWriter.support).field(self.\($1.code), as: type)"
            }
            return """
                \(subject.access)func cacheableField<Value>(_ name: String, as type: Value.Type) -> Value? {
                    switch name {
                \(cases)
                    default: nil
                    }
                }
                """
        }
    }
#endif

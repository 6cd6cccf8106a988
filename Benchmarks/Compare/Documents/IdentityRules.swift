/// The rules by which objects of a document are nodes of their own, with identifiers.
///
/// An object is identified by the first rule that fits. A rule fits an object under its field that has a string or a
/// number under its id. The object may be the field's value, an element of an array or a member of a dictionary. A rule
/// without a field is for the document itself: the object that it is, or the objects of the array that it is.
struct IdentityRules: Sendable {
    /// One rule.
    struct Rule: Sendable {
        /// The property under which objects are identified; `*` is any, and `nil` is none: the document itself.
        let field: String?
        /// The prefix of the identifier; `nil` if there is none.
        let type: String?
        /// The property that holds the identifier's value.
        let id: String

        fileprivate func isNamed(_ name: String) -> Bool { field?.utf8.elementsEqual(name.utf8) ?? false }

        fileprivate func fits(_ name: String?) -> Bool {
            guard let name else { return field == nil }
            return isNamed("*") || isNamed(name)
        }
    }

    let rules: [Rule]

    /// An identity that a rule gave.
    struct Identity: Sendable {
        let identifier: String
        let recordName: String
    }

    /// The record name of nodes whose rule names no type.
    static let untypedRecordName = "Node"

    /// The identity of the object of `members` under `field`, which is `nil` for the document itself, or `nil` if no
    /// rule fits.
    func identity(of members: [JSONMember], under field: String?) -> Identity? {
        for rule in rules where rule.fits(field) {
            guard let value = members.first(where: { $0.key.utf8.elementsEqual(rule.id.utf8) })?.value,
                let text = IdentityRules.text(value)
            else { continue }
            return Identity(
                identifier: rule.type.map { "\($0):\(text)" } ?? text,
                recordName: rule.type ?? IdentityRules.untypedRecordName)
        }
        return nil
    }

    /// Whether some object under `field` would be identified.
    func mayIdentify(under field: String?) -> Bool { rules.contains { $0.fits(field) } }

    /// Whether an object is a dictionary: all of its values are objects and none of its keys is a rule's field.
    func isDictionary(_ members: [JSONMember]) -> Bool {
        members.allSatisfy { member in
            guard case .object = member.value else { return false }
            return !rules.contains { $0.isNamed(member.key) }
        }
    }

    private static func text(_ value: JSON) -> String? {
        switch value {
        case .string(let text): text
        case .integer, .unsigned, .big, .double: value.description
        default: nil
        }
    }
}

extension IdentityRules {
    /// Reads `{"rules": [{"field": …, "type": …, "id": …}]}`.
    ///
    /// - Throws: ``ToolError`` that names `file` and what is wrong in it.
    init(_ json: JSON, file: String) throws(ToolError) {
        func malformed(_ reason: String) -> ToolError {
            .input(
                "\(file) holds no identity rules: \(reason); expected "
                    + #"{"rules":[{"field":"user","type":"User","id":"id"}]}"#)
        }
        func refuseMembers(of json: JSON, but known: [String], in place: String) throws(ToolError) {
            guard case .object(let members) = json else { throw malformed("\(place) is no object") }
            guard let other = members.first(where: { !known.contains($0.key) }) else { return }
            throw malformed("\(place) has an unknown member \(other.key.debugDescription)")
        }
        try refuseMembers(of: json, but: ["rules"], in: "the file")
        guard case .array(let entries)? = json["rules"] else { throw malformed("there is no array \"rules\"") }
        guard !entries.isEmpty else { throw malformed("\"rules\" is empty") }
        var rules: [Rule] = []
        for (index, entry) in entries.enumerated() {
            try refuseMembers(of: entry, but: ["field", "type", "id"], in: "rule \(index + 1)")
            let field: String?
            switch entry["field"] {
            case .null?: field = nil
            case .string(let text)? where !text.isEmpty: field = text
            default:
                throw malformed(
                    "rule \(index + 1) has no \"field\", which is a string, or null for the document itself")
            }
            guard let id = entry["id"]?.text, !id.isEmpty else {
                throw malformed("rule \(index + 1) has no string \"id\"")
            }
            let type: String?
            switch entry["type"] {
            case .null?, nil: type = nil
            case .string(let text)? where !text.isEmpty && text.utf8.count <= 255: type = text
            default: throw malformed("the \"type\" of rule \(index + 1) is no string of 1 to 255 bytes and not null")
            }
            rules.append(Rule(field: field, type: type, id: id))
        }
        self.rules = rules
    }
}

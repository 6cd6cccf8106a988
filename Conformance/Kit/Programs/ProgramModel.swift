/// What a cache that never forgets would hold after a program: a dictionary of node fields with deletion times.
struct ProgramModel: Sendable {
    /// What a read may find.
    enum Answer: Equatable, CustomStringConvertible {
        case value(String)
        case miss
        /// The tree holds itself.
        case cycle

        var description: String {
            switch self {
            case .value(let text): text
            case .miss: "miss"
            case .cycle: "cycle"
            }
        }
    }

    private struct Node {
        /// The content by field; the children stand in plans of their own.
        var fields: [String: String] = [:]
        var children: [(kind: Plan.Kind, number: Int)?] = []
        /// Whether it was written since it was deleted last.
        var isThere = false
        /// When it was written last.
        var written = 0
        /// When it was deleted last.
        var deleted = 0
    }

    private enum Found {
        case value(String)
        case deleted
        case miss
        case cycle
    }

    private var nodes: [String: Node] = [:]
    private var lists: [Int: (kind: Plan.Kind, numbers: [Int], written: Int)] = [:]
    private var time = 0

    /// Whether the content outlives a reopening.
    var isPersistent: Bool

    init(isPersistent: Bool) { self.isPersistent = isPersistent }

    /// Does what `step` does to a cache.
    mutating func apply(_ step: Step) {
        time += 1
        switch step {
        case .put(let plan), .set(let plan): write(plan)
        case .list(let key, let kind, let plans), .setList(let key, let kind, let plans):
            for plan in plans { write(plan) }
            lists[key] = (kind, plans.map(\.number), time)
        case .delete(let kind, let number), .setDelete(let kind, let number):
            nodes[Plan.identifier(kind, number), default: Node()].deleted = time
            nodes[Plan.identifier(kind, number)]?.isThere = false
            nodes[Plan.identifier(kind, number)]?.fields = [:]
        case .wipe: clear()
        case .reopen: if !isPersistent { clear() }
        case .fail, .evict, .flush, .get, .getList: break
        }
    }

    private mutating func clear() {
        nodes = [:]
        lists = [:]
    }

    private mutating func write(_ plan: Plan) {
        // Later in pre-order wins, in both places.
        for part in plan.preOrder {
            var node = nodes[part.identifier] ?? Node()
            node.isThere = true
            node.written = time
            node.children = part.children.map { child in child.map { ($0.kind, $0.number) } }
            switch part.kind {
            case .person:
                node.fields["name"] = "n\(part.salt)"
                node.fields["age"] = part.salt % 3 == 0 ? "nil" : "\(part.salt)"
            case .small: node.fields["name"] = "n\(part.salt)"
            case .full:
                node.fields["name"] = "n\(part.salt)"
                node.fields["bio"] = part.salt % 3 == 0 ? "nil" : "b\(part.salt)"
                node.fields["mail"] = "m\(part.salt)"
            case .letter, .shelf: break
            case .branch: node.fields["label"] = "\(part.salt)"
            }
            nodes[part.identifier] = node
        }
    }

    /// What reading a tree finds; where the tree lacks one thing and holds itself elsewhere, either may be said.
    func get(_ kind: Plan.Kind, _ number: Int) -> Answer {
        switch find(kind, number, since: nil, path: []) {
        case .value(let text): .value(text)
        case .deleted, .miss: .miss
        case .cycle: .cycle
        }
    }

    /// What reading a collection as of `kind` finds.
    func getList(_ key: Int, _ kind: Plan.Kind) -> Answer {
        guard let list = lists[key] else { return .miss }
        // The elements are of another type: a miss, unless none is left.
        guard !list.numbers.isEmpty else { return .value("[]") }
        var texts: [String] = []
        for number in list.numbers {
            switch find(list.kind, number, since: list.written, path: []) {
            case .value(let text): texts.append(text)
            case .deleted: continue
            case .miss: return .miss
            case .cycle: return .cycle
            }
        }
        return .value("[\(texts.joined(separator: ";"))]")
    }

    /// The kind of a collection's elements.
    func kind(ofList key: Int) -> Plan.Kind? { lists[key]?.kind }

    private func find(_ kind: Plan.Kind, _ number: Int, since written: Int?, path: Set<String>) -> Found {
        let identifier = Plan.identifier(kind, number)
        guard let node = nodes[identifier] else { return .miss }
        // A holder from before the deletion reads it as deleted, also after it was written anew on its own.
        if let written, node.deleted > written { return .deleted }
        guard node.isThere else { return .deleted }
        guard !path.contains(identifier) else { return .cycle }
        let inner = path.union([identifier])
        func child(_ index: Int) -> Found {
            guard let child = node.children[index] else { return .value("nil") }
            let found = find(child.kind, child.number, since: node.written, path: inner)
            if case .deleted = found { return .value("nil") }
            return found
        }
        func field(_ name: String) -> String? { node.fields[name] }
        switch kind {
        case .person: return .value("\(identifier)[\(field("name") ?? ""),\(field("age") ?? "")]")
        case .small: return .value("\(identifier)[\(field("name") ?? "")]")
        case .full:
            guard let bio = field("bio"), let mail = field("mail") else { return .miss }
            return .value("\(identifier)[\(field("name") ?? ""),\(bio),\(mail)]")
        case .letter:
            guard let author = node.children[0] else { return .miss }
            let found = find(author.kind, author.number, since: node.written, path: inner)
            guard case .value(let text) = found else { return found }
            return .value("\(identifier)[\(text)]")
        case .shelf, .branch:
            var worst: Found?
            var first = "nil"
            var texts: [String] = []
            for index in node.children.indices {
                switch child(index) {
                case .value(let text):
                    if index == 0 { first = text } else if text != "nil" { texts.append(text) }
                case .cycle: if worst == nil { worst = .cycle }
                case .miss, .deleted: worst = .miss
                }
            }
            if let worst { return worst }
            let list = texts.joined(separator: ";")
            if kind == .shelf { return .value("\(identifier)[\(first),\(list)]") }
            return .value("\(identifier)[\(field("label") ?? ""),\(first),\(list)]")
        }
    }

    /// Every answer that a cache can be asked for, as one text each: the state, as far as it shows.
    ///
    /// - Parameter kinds: the kinds of the collections' elements; those without one are left out.
    func dump(kinds: (Int) -> Plan.Kind?) -> [String] {
        var lines: [String] = []
        for kind in Plan.Kind.allCases {
            for number in 0..<4 { lines.append("\(kind)\(number): \(get(kind, number))") }
        }
        for key in 0..<2 {
            if let kind = kinds(key) { lines.append("list\(key): \(getList(key, kind))") }
        }
        return lines
    }
}

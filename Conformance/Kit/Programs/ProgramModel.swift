import GroveCache
import GroveModel

/// What a cache that never forgets would hold after a program: a dictionary of node fields with deletion times.
struct ProgramModel: Sendable {
    /// What a call may say.
    enum Answer: Equatable, CustomStringConvertible {
        case value(String)
        case miss
        /// The tree holds itself.
        case cycle
        /// Everything of a kind.
        case models([String])
        /// The collection is not there, or has no such position.
        case refused
        /// Something else than a refusal.
        case done

        var description: String {
            switch self {
            case .value(let text): text
            case .miss: "miss"
            case .cycle: "cycle"
            case .models(let texts): ProgramRun.text(texts)
            case .refused: "\(CacheError.Code.outOfRange)"
            case .done: "success"
            }
        }

        /// Whether a cache that said `came` is right; if it has forgotten something, a miss is right too.
        func agrees(_ came: String, forgets: Bool) -> Bool {
            switch self {
            case .done: came != Answer.refused.description
            case .models(let texts) where forgets: Set(ProgramRun.texts(came)).isSubset(of: texts)
            default: came == description || forgets && came == Answer.miss.description
            }
        }
    }

    /// An element of a collection.
    private struct Entry {
        let kind: Plan.Kind
        let number: Int
        /// When it was put there.
        let written: Int
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
    private var lists: [Int: [Entry]] = [:]
    private var time = 0

    /// Whether the content outlives a reopening.
    var isPersistent: Bool

    init(isPersistent: Bool) { self.isPersistent = isPersistent }

    /// Does what `step` does to a cache.
    ///
    /// - Returns: what each call of it says; `nil` if that is not known.
    @discardableResult
    mutating func apply(_ step: Step) -> [Answer?] {
        time += 1
        switch step {
        case .put(let plan), .set(let plan): write(plan)
        case .list(let key, let kind, let plans), .setList(let key, let kind, let plans):
            set(key, kind, plans)
        case .fill(let key, let count): set(key, .person, Plan.people(count))
        case .edit(let key, let kind, let edit): return [apply(edit, key, kind)]
        case .delete(let kind, let number), .setDelete(let kind, let number): delete(Plan.identifier(kind, number))
        case .unlist(let kind, let number):
            delete(Plan.identifier(kind, number))
            for key in lists.keys {
                lists[key]?.removeAll { Plan.identifier($0.kind, $0.number) == Plan.identifier(kind, number) }
            }
        case .deleteAll(let kind):
            for number in 0..<4 where nodes[Plan.identifier(kind, number)]?.isThere == true {
                delete(Plan.identifier(kind, number))
            }
        case .wipe: clear()
        case .reopen: if !isPersistent { clear() }
        case .transaction(let steps, let isThrown): return apply(steps, isThrown)
        case .view(let steps): return steps.flatMap { apply($0) }
        case .get(let kind, let number): return [get(kind, number)]
        case .getList(let key, let kind): return [page(key, kind)]
        case .page(let key, let kind, let range): return [page(key, kind, range)]
        case .count(let key): return [lists[key].map { .value("\($0.count)") } ?? .miss]
        case .all(let kind): return [all(kind)]
        case .fail(let step):
            var other = self
            return [other.apply(step).last == .refused ? nil : .value("\(CacheError.Code.full)")]
        case .evict, .flush: break
        }
        return [nil]
    }

    /// Does what a transaction of `steps` does.
    private mutating func apply(_ steps: [Step], _ isThrown: Bool) -> [Answer?] {
        let before = self
        var answers: [Answer?] = []
        for step in steps {
            answers += apply(step)
            if answers.last == .refused { break }
        }
        if isThrown || answers.last == .refused {
            (nodes, lists) = (before.nodes, before.lists)
        }
        return answers
    }

    private mutating func apply(_ edit: CollectionEdit<Plan>, _ key: Int, _ kind: Plan.Kind) -> Answer {
        guard let entries = lists[key], edit.fits(entries.count) else { return .refused }
        for plan in edit.elements { write(plan) }
        edit.map { Entry(kind: kind, number: $0.number, written: time) }.apply(to: &lists[key, default: []])
        return .done
    }

    private mutating func set(_ key: Int, _ kind: Plan.Kind, _ plans: [Plan]) {
        for plan in plans { write(plan) }
        lists[key] = plans.map { Entry(kind: kind, number: $0.number, written: time) }
    }

    private mutating func delete(_ identifier: String) {
        nodes[identifier, default: Node()].deleted = time
        nodes[identifier]?.isThere = false
        nodes[identifier]?.fields = [:]
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

    /// What reading everything of `kind` finds: what is whole.
    private func all(_ kind: Plan.Kind) -> Answer {
        .models(
            (0..<4).compactMap { number in
                guard case .value(let text) = get(kind, number) else { return nil }
                return text
            })
    }

    /// What reading a collection as of `kind`, or a page of it, finds; `nil` if elements are of another.
    private func page(_ key: Int, _ kind: Plan.Kind, _ range: Range<Int>? = nil) -> Answer? {
        guard let list = lists[key] else { return .miss }
        let entries = list[(range ?? 0..<list.count).clamped(to: 0..<list.count)]
        guard list.allSatisfy({ $0.kind == kind }) else { return nil }
        var texts: [String] = []
        for entry in entries {
            switch find(kind, entry.number, since: entry.written, path: []) {
            case .value(let text): texts.append(text)
            case .deleted: continue
            case .miss: return .miss
            case .cycle: return .cycle
            }
        }
        return .value("[\(texts.joined(separator: ";"))]")
    }

    /// The kind of a collection's elements, if they are of one.
    func kind(ofList key: Int) -> Plan.Kind? {
        guard let kind = lists[key]?.first?.kind, lists[key]?.allSatisfy({ $0.kind == kind }) == true else {
            return nil
        }
        return kind
    }

    private func find(_ kind: Plan.Kind, _ number: Int, since written: Int?, path: Set<String>) -> Found {
        let identifier = Plan.identifier(kind, number)
        guard let node = nodes[identifier] else { return .miss }
        // A holder from before the deletion reads the node as deleted, even if the node was later written again on its
        // own.
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
        var model = self
        return Step.questions(kinds).map { step in
            "\(step): \(model.apply(step)[0].map { "\($0)" } ?? "mixed")"
        }
    }
}

extension Step: CustomStringConvertible {
    var description: String {
        switch self {
        case .put(let plan): "put \(plan)"
        case .set(let plan): "set \(plan)"
        case .fail(let step): "fail \(step)"
        case .list(let key, let kind, let plans): "list \(key) \(kind) \(Step.text(plans))"
        case .fill(let key, let count): "fill \(key) \(count)"
        case .setList(let key, let kind, let plans): "setlist \(key) \(kind) \(Step.text(plans))"
        case .edit(let key, let kind, let edit):
            switch edit {
            case .insert(let plans, let index): "insert \(key) \(kind) \(index) \(Step.text(plans))"
            case .append(let plans): "append \(key) \(kind) \(Step.text(plans))"
            case .replace(let range, let plans):
                "replace \(key) \(kind) \(range.lowerBound) \(range.upperBound) \(Step.text(plans))"
            case .remove(let range): "remove \(key) \(kind) \(range.lowerBound) \(range.upperBound)"
            case .move(let from, let to): "move \(key) \(kind) \(from) \(to)"
            }
        case .delete(let kind, let number): "delete \(kind) \(number)"
        case .unlist(let kind, let number): "unlist \(kind) \(number)"
        case .deleteAll(let kind): "deleteall \(kind)"
        case .setDelete(let kind, let number): "setdelete \(kind) \(number)"
        case .evict(let kind, let number): "evict \(kind) \(number)"
        case .wipe: "wipe"
        case .flush: "flush"
        case .reopen: "reopen"
        case .get(let kind, let number): "get \(kind) \(number)"
        case .getList(let key, let kind): "getlist \(key) \(kind)"
        case .page(let key, let kind, let range): "page \(key) \(kind) \(range.lowerBound) \(range.upperBound)"
        case .count(let key): "count \(key)"
        case .all(let kind): "all \(kind)"
        case .transaction(let steps, let isThrown):
            "transaction " + (steps.map(\.description) + (isThrown ? ["throw"] : [])).joined(separator: " | ")
        case .view(let steps): "view " + steps.map(\.description).joined(separator: " | ")
        }
    }

    private static func text(_ plans: [Plan]) -> String {
        plans.isEmpty ? "-" : plans.map(\.description).joined(separator: ";")
    }

    /// Reads a line of a script.
    init?(_ line: String) {
        var words = Words(line)
        guard let step = Step.read(&words), words.isEmpty else { return nil }
        self = step
    }

    private static func read(_ words: inout Words) -> Step? {
        switch words.next() {
        case "put": words.plan().map { .put($0) }
        case "set": words.plan().map { .set($0) }
        case "fail": read(&words).map { .fail($0) }
        case "list": words.list().map { .list($0, $1, $2) }
        case "setlist": words.list().map { .setList($0, $1, $2) }
        case "fill": words.number().flatMap { key in words.number().map { .fill(key, max($0, 0)) } }
        case "insert":
            words.edit { words, kind in
                words.number().flatMap { index in words.plans(kind).map { .insert($0, at: index) } }
            }
        case "append": words.edit { words, kind in words.plans(kind).map { .append($0) } }
        case "replace":
            words.edit { words, kind in words.range().flatMap { range in words.plans(kind).map { .replace(range, $0) } }
            }
        case "remove": words.edit { words, _ in words.range().map { .remove($0) } }
        case "move":
            words.edit { words, _ in words.number().flatMap { from in words.number().map { .move(from: from, to: $0) } }
            }
        case "delete": words.name().map { .delete($0, $1) }
        case "unlist": words.name().map { .unlist($0, $1) }
        case "deleteall": words.kind().map { .deleteAll($0) }
        case "setdelete": words.name().map { .setDelete($0, $1) }
        case "evict": words.name().map { .evict($0, $1) }
        case "get": words.name().map { .get($0, $1) }
        case "getlist": words.key().map { .getList($0, $1) }
        case "page": words.key().flatMap { key, kind in words.range().map { .page(key, kind, $0) } }
        case "count": words.number().map { .count($0) }
        case "all": words.kind().map { .all($0) }
        case "wipe": .wipe
        case "flush": .flush
        case "reopen": .reopen
        case "transaction": words.steps().map { .transaction($0, throws: $1) }
        case "view": words.steps().flatMap { steps, isThrown in isThrown ? nil : .view(steps) }
        default: nil
        }
    }

    /// The words of a line, read one after the other.
    private struct Words {
        private var words: ArraySlice<Substring>

        init(_ line: String) { words = line.split(separator: " ")[...] }

        var isEmpty: Bool { words.isEmpty }

        mutating func next() -> Substring? { words.popFirst() }

        mutating func number() -> Int? { next().flatMap { Int($0) } }

        mutating func kind() -> Plan.Kind? { next().flatMap { Plan.Kind(rawValue: String($0)) } }

        mutating func plan() -> Plan? { next().flatMap { Plan(String($0)) } }

        mutating func name() -> (Plan.Kind, Int)? {
            guard let kind = kind(), let number = number() else { return nil }
            return (kind, number)
        }

        mutating func key() -> (Int, Plan.Kind)? {
            guard let key = number(), let kind = kind() else { return nil }
            return (key, kind)
        }

        mutating func range() -> Range<Int>? {
            guard let from = number(), let to = number(), from <= to else { return nil }
            return from..<to
        }

        mutating func plans(_ kind: Plan.Kind) -> [Plan]? {
            guard let text = next() else { return nil }
            let texts = text == "-" ? [] : text.split(separator: ";")
            let plans = texts.compactMap { Plan(String($0)) }
            return plans.count == texts.count && plans.allSatisfy { $0.kind == kind } ? plans : nil
        }

        mutating func list() -> (Int, Plan.Kind, [Plan])? {
            guard let (key, kind) = key(), let plans = plans(kind) else { return nil }
            return (key, kind, plans)
        }

        mutating func edit(_ read: (inout Words, Plan.Kind) -> CollectionEdit<Plan>?) -> Step? {
            guard let (key, kind) = key(), let edit = read(&self, kind) else { return nil }
            return .edit(key, kind, edit)
        }

        /// The steps between bars, and whether the last word is `throw`.
        mutating func steps() -> ([Step], Bool)? {
            var steps: [Step] = []
            guard !isEmpty else { return (steps, false) }
            while true {
                if words == ["throw"] {
                    words = []
                    return (steps, true)
                }
                guard let step = Step.read(&self) else { return nil }
                steps.append(step)
                guard let bar = next() else { return (steps, false) }
                guard bar == "|" else { return nil }
            }
        }
    }
}

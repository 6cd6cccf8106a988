/// One call of a program, and a line of its script.
enum Step: Equatable, Sendable, CustomStringConvertible {
    /// Writes a tree and waits.
    case put(Plan)
    /// Queues a tree.
    case set(Plan)
    /// Writes a tree while the store fails: nothing of it may show.
    case fail(Plan)
    /// Replaces a collection and waits.
    case list(Int, Plan.Kind, [Plan])
    /// Queues a collection.
    case setList(Int, Plan.Kind, [Plan])
    /// Deletes and waits.
    case delete(Plan.Kind, Int)
    /// Queues a deletion.
    case setDelete(Plan.Kind, Int)
    /// Forgets a node.
    case evict(Plan.Kind, Int)
    case wipe
    case flush
    case reopen
    /// Reads a tree.
    case get(Plan.Kind, Int)
    /// Reads a collection.
    case getList(Int, Plan.Kind)

    var description: String {
        switch self {
        case .put(let plan): "put \(plan)"
        case .set(let plan): "set \(plan)"
        case .fail(let plan): "fail \(plan)"
        case .list(let key, let kind, let plans): "list \(key) \(kind) \(Step.text(plans))"
        case .setList(let key, let kind, let plans): "setlist \(key) \(kind) \(Step.text(plans))"
        case .delete(let kind, let number): "delete \(kind) \(number)"
        case .setDelete(let kind, let number): "setdelete \(kind) \(number)"
        case .evict(let kind, let number): "evict \(kind) \(number)"
        case .wipe: "wipe"
        case .flush: "flush"
        case .reopen: "reopen"
        case .get(let kind, let number): "get \(kind) \(number)"
        case .getList(let key, let kind): "getlist \(key) \(kind)"
        }
    }

    private static func text(_ plans: [Plan]) -> String {
        plans.isEmpty ? "-" : plans.map(\.description).joined(separator: ";")
    }

    /// Reads a line of a script.
    init?(_ line: String) {
        let words = line.split(separator: " ").map(String.init)
        func plan() -> Plan? { words.count == 2 ? Plan(words[1]) : nil }
        func name() -> (Plan.Kind, Int)? {
            guard words.count == 3, let kind = Plan.Kind(rawValue: words[1]), let number = Int(words[2]) else {
                return nil
            }
            return (kind, number)
        }
        func list() -> (Int, Plan.Kind, [Plan])? {
            guard words.count == 4, let key = Int(words[1]), let kind = Plan.Kind(rawValue: words[2]) else {
                return nil
            }
            let texts = words[3] == "-" ? [] : words[3].split(separator: ";").map(String.init)
            let plans = texts.compactMap { Plan($0) }
            guard plans.count == texts.count, plans.allSatisfy({ $0.kind == kind }) else { return nil }
            return (key, kind, plans)
        }
        let step: Step? =
            switch words.first {
            case "put": plan().map { .put($0) }
            case "set": plan().map { .set($0) }
            case "fail": plan().map { .fail($0) }
            case "list": list().map { .list($0, $1, $2) }
            case "setlist": list().map { .setList($0, $1, $2) }
            case "delete": name().map { .delete($0, $1) }
            case "setdelete": name().map { .setDelete($0, $1) }
            case "evict": name().map { .evict($0, $1) }
            case "get": name().map { .get($0, $1) }
            case "getlist":
                words.count == 3
                    ? Int(words[1]).flatMap { key in Plan.Kind(rawValue: words[2]).map { .getList(key, $0) } } : nil
            case "wipe" where words.count == 1: .wipe
            case "flush" where words.count == 1: .flush
            case "reopen" where words.count == 1: .reopen
            default: nil
            }
        guard let step else { return nil }
        self = step
    }

    /// Whether the program's answers after it may be misses where the model has a value.
    var forgets: Bool {
        if case .evict = self { return true }
        return false
    }

    /// Whether what it and everything before it wrote is committed when it returns.
    var isAcknowledged: Bool {
        switch self {
        case .put, .list, .delete, .evict, .wipe, .flush, .reopen: true
        case .set, .fail, .setList, .setDelete, .get, .getList: false
        }
    }

    /// Simpler steps in its place.
    var simpler: [Step] {
        switch self {
        case .put(let plan): return plan.simpler.map { .put($0) }
        case .set(let plan): return [.put(plan)] + plan.simpler.map { .set($0) }
        case .fail(let plan): return plan.simpler.map { .fail($0) }
        case .list(let key, let kind, let plans): return Step.simpler(plans).map { .list(key, kind, $0) }
        case .setList(let key, let kind, let plans):
            return [.list(key, kind, plans)] + Step.simpler(plans).map { .setList(key, kind, $0) }
        case .setDelete(let kind, let number): return [.delete(kind, number)]
        default: return []
        }
    }

    private static func simpler(_ plans: [Plan]) -> [[Plan]] {
        plans.indices.flatMap { index in
            var shorter = plans
            shorter.remove(at: index)
            return [shorter]
                + plans[index].simpler.map { simple in
                    var changed = plans
                    changed[index] = simple
                    return changed
                }
        }
    }
}

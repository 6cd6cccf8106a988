/// One call of a program, and a line of its script.
enum Step: Equatable, Sendable {
    /// Writes a tree and waits.
    case put(Plan)
    /// Queues a tree.
    case set(Plan)
    /// Makes a call while the store fails: nothing of it may show.
    indirect case fail(Step)
    /// Replaces a collection and waits.
    case list(Int, Plan.Kind, [Plan])
    /// Replaces a collection by so many people, more than one record holds.
    case fill(Int, Int)
    /// Queues a collection.
    case setList(Int, Plan.Kind, [Plan])
    /// Changes some elements of a collection.
    case edit(Int, Plan.Kind, CollectionEdit<Plan>)
    /// Deletes and waits.
    case delete(Plan.Kind, Int)
    /// Deletes, and takes it out of all collections.
    case unlist(Plan.Kind, Int)
    /// Deletes everything of a kind.
    case deleteAll(Plan.Kind)
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
    /// Reads a page of a collection.
    case page(Int, Plan.Kind, Range<Int>)
    /// Asks how many elements a collection has.
    case count(Int)
    /// Reads everything of a kind.
    case all(Plan.Kind)
    /// Calls as one commit, which is given up at the end where it throws.
    case transaction([Step], throws: Bool)
    /// Reads of one moment.
    case view([Step])

    /// Everything that a cache can be asked for.
    ///
    /// - Parameter kinds: the kinds of the collections' elements; those without one are counted only.
    static func questions(_ kinds: (Int) -> Plan.Kind?) -> [Step] {
        Plan.Kind.allCases.flatMap { kind in (0..<4).map { .get(kind, $0) } }
            + (0..<2).flatMap { key in (kinds(key).map { [.getList(key, $0)] } ?? []) + [.count(key)] }
    }

    /// Whether the program's answers after it may be misses where the model has a value.
    var forgets: Bool {
        if case .evict = self { return true }
        return false
    }

    /// Whether what it and everything before it wrote is committed when it returns.
    var isAcknowledged: Bool {
        switch self {
        case .put, .list, .fill, .edit, .delete, .unlist, .deleteAll, .evict, .wipe, .flush, .reopen: true
        case .transaction(_, let isThrown): !isThrown
        case .set, .fail, .setList, .setDelete, .get, .getList, .page, .count, .all, .view: false
        }
    }

    /// Whether the elements that it brings to a collection are of the kind that `kind` says of the key.
    func brings(_ kind: (Int) -> Plan.Kind) -> Bool {
        switch self {
        case .list(let key, let own, _), .setList(let key, let own, _), .edit(let key, let own, _): kind(key) == own
        case .fill(let key, _): kind(key) == .person
        case .fail(let step): step.brings(kind)
        case .transaction(let steps, _): steps.allSatisfy { $0.brings(kind) }
        default: true
        }
    }

    /// Whether it changes nothing.
    var isRead: Bool {
        switch self {
        case .get, .getList, .page, .count, .all, .view: true
        default: false
        }
    }
}

extension Step {
    /// Simpler steps in its place.
    var simpler: [Step] {
        switch self {
        case .put(let plan): return plan.simpler.map { .put($0) }
        case .set(let plan): return [.put(plan)] + plan.simpler.map { .set($0) }
        case .fail(let step): return step.simpler.map { .fail($0) }
        case .list(let key, let kind, let plans): return Step.simpler(plans).map { .list(key, kind, $0) }
        case .fill(let key, let count): return count > 129 ? [.fill(key, 129)] : []
        case .setList(let key, let kind, let plans):
            return [.list(key, kind, plans)] + Step.simpler(plans).map { .setList(key, kind, $0) }
        case .edit(let key, let kind, let edit):
            return Step.simpler(edit.elements).map { .edit(key, kind, edit.bringing($0)) }
        case .unlist(let kind, let number), .setDelete(let kind, let number): return [.delete(kind, number)]
        case .transaction(let steps, let isThrown):
            guard !isThrown else {
                return [.transaction(steps, throws: false)] + Step.fewer(steps) { .transaction($0, throws: true) }
            }
            return (steps.count == 1 ? steps : []) + Step.fewer(steps) { .transaction($0, throws: false) }
        case .view(let steps): return (steps.count == 1 ? steps : []) + Step.fewer(steps) { .view($0) }
        default: return []
        }
    }

    /// One of `steps` less, or simpler.
    private static func fewer(_ steps: [Step], _ make: ([Step]) -> Step) -> [Step] {
        steps.indices.flatMap { index in
            ([[]] + steps[index].simpler.map { [$0] }).map { others in
                var fewer = steps
                fewer.replaceSubrange(index...index, with: others)
                return make(fewer)
            }
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

extension RandomProgram {
    /// What a random program may do.
    struct Abilities {
        var evicts = false
        var fails = false
        var reopens = true
        var wipes = true
        var queues = true
        /// Whether there are collections that one record does not hold.
        var fills = false
        /// Whether it deletes everything of a kind: what was evicted is not found by its kind.
        var deletesKinds = true
        /// The kinds of the collections' elements, by the key; any where there are none.
        var listKinds: [Plan.Kind] = []
    }

    /// A random program of `count` steps.
    static func random(_ count: Int, _ abilities: Abilities, using generator: inout SeededGenerator) -> RandomProgram {
        var source = StepSource(abilities)
        var steps: [Step] = []
        while steps.count < count {
            if let step = source.next(using: &generator) { steps.append(step) }
        }
        return RandomProgram(steps)
    }
}

/// Where random steps come from: it knows roughly which collections there are, so that most edits fit.
private struct StepSource {
    private let abilities: RandomProgram.Abilities
    private var kinds: [Int: Plan.Kind] = [:]
    private var counts: [Int: Int] = [:]

    init(_ abilities: RandomProgram.Abilities) { self.abilities = abilities }

    mutating func next(using generator: inout SeededGenerator) -> Step? {
        let kind = Plan.Kind.random(using: &generator)
        let number = Int.random(in: 0..<4, using: &generator)
        let key = Int.random(in: 0..<2, using: &generator)
        switch Int.random(in: 0..<130, using: &generator) {
        case 28..<40 where abilities.queues: return .set(.random(kind, using: &generator))
        case 46..<50 where abilities.queues:
            guard case .list(let key, let kind, let plans) = list(key, kind, using: &generator) else { return nil }
            return .setList(key, kind, plans)
        case 58..<62 where abilities.queues: return .setDelete(kind, number)
        case 62..<67 where abilities.evicts: return .evict(kind, number)
        case 67 where abilities.wipes: return .wipe
        case 68..<71: return .flush
        case 71..<73 where abilities.reopens: return .reopen
        case 73..<76 where abilities.fails:
            let steps = [.put(.random(kind, using: &generator)), write(kind, number, key, using: &generator)]
            return .fail(Bool.random(using: &generator) ? .transaction(steps, throws: false) : steps[1])
        case 76..<90: return read(kind, number, key, using: &generator)
        case 90..<95:
            return .view(
                (0..<Int.random(in: 1...4, using: &generator)).map { _ in
                    read(.random(using: &generator), number, key, using: &generator)
                })
        case 95..<105:
            var steps: [Step] = []
            for _ in 0..<Int.random(in: 1...5, using: &generator) {
                let (kind, number) = (Plan.Kind.random(using: &generator), Int.random(in: 0..<4, using: &generator))
                steps.append(
                    Int.random(in: 0..<3, using: &generator) == 0
                        ? read(kind, number, key, using: &generator)
                        : write(kind, number, key, using: &generator))
            }
            return .transaction(steps, throws: Int.random(in: 0..<4, using: &generator) == 0)
        default: return write(kind, number, key, using: &generator)
        }
    }

    /// A call that writes and waits, on a cache or in a transaction.
    private mutating func write(
        _ kind: Plan.Kind, _ number: Int, _ key: Int, using generator: inout SeededGenerator
    ) -> Step {
        switch Int.random(in: 0..<60, using: &generator) {
        case 0..<6: return list(key, kind, using: &generator)
        case 6..<8 where abilities.fills:
            counts[key] = Int.random(in: 120...300, using: &generator)
            kinds[key] = .person
            return .fill(key, counts[key] ?? 0)
        case 8..<24: return edit(key, using: &generator)
        case 24..<32: return .delete(kind, number)
        case 32..<35: return .unlist(kind, number)
        case 35..<37 where abilities.deletesKinds: return .deleteAll(kind)
        default: return .put(.random(kind, using: &generator))
        }
    }

    /// A call that reads, on a cache, in a view or in a transaction.
    private func read(
        _ kind: Plan.Kind, _ number: Int, _ key: Int, using generator: inout SeededGenerator
    ) -> Step {
        switch Int.random(in: 0..<12, using: &generator) {
        case 0..<2: .getList(key, kinds[key] ?? kind)
        case 2..<4: .page(key, kinds[key] ?? kind, range(key, using: &generator))
        case 4: .count(key)
        // A circle of branches would end the pass.
        case 5 where kind != .branch: .all(kind)
        default: .get(kind, number)
        }
    }

    private mutating func list(_ key: Int, _ kind: Plan.Kind, using generator: inout SeededGenerator) -> Step {
        let kind = key < abilities.listKinds.count ? abilities.listKinds[key] : kind
        let plans = plans(kind, using: &generator)
        (kinds[key], counts[key]) = (kind, plans.count)
        return .list(key, kind, plans)
    }

    private mutating func edit(_ key: Int, using generator: inout SeededGenerator) -> Step {
        let kind = kinds[key] ?? (key < abilities.listKinds.count ? abilities.listKinds[key] : .person)
        let range = range(key, using: &generator)
        let edit: CollectionEdit<Plan> =
            switch Int.random(in: 0..<6, using: &generator) {
            case 0: .insert(plans(kind, using: &generator), at: range.lowerBound)
            case 1, 2: .append(plans(kind, using: &generator))
            case 3: .replace(range, plans(kind, using: &generator))
            case 4: .remove(range)
            default: .move(from: range.lowerBound, to: range.upperBound)
            }
        switch edit {
        case .replace(let range, _), .remove(let range): counts[key, default: 0] -= range.count
        default: break
        }
        counts[key] = max(counts[key, default: 0] + edit.elements.count, 0)
        return .edit(key, kind, edit)
    }

    /// Positions of a collection, and sometimes one behind it.
    private func range(_ key: Int, using generator: inout SeededGenerator) -> Range<Int> {
        let count = counts[key] ?? 0
        let start = Int.random(in: 0...count, using: &generator)
        let most = Bool.random(using: &generator) ? 2 : count
        return start..<min(start + Int.random(in: 0...most, using: &generator), count + 1)
    }

    private func plans(_ kind: Plan.Kind, using generator: inout SeededGenerator) -> [Plan] {
        (0..<Int.random(in: 0..<4, using: &generator)).map { _ in Plan.random(kind, using: &generator) }
    }
}

extension Plan.Kind {
    fileprivate static func random(using generator: inout SeededGenerator) -> Plan.Kind {
        allCases.randomElement(using: &generator) ?? .person
    }
}

extension Plan {
    /// The people of a collection of `count`.
    static func people(_ count: Int) -> [Plan] {
        (0..<count).map { Plan(kind: .person, number: $0 % 4, salt: $0 % 4 + 1) }
    }
}

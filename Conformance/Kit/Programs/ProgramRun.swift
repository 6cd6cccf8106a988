import GroveCache
import GroveModel

/// A program on a cache: it does the steps and prints what they said.
final class ProgramRun {
    private let site: any CacheSite
    private(set) var cache: any ConformanceCache

    init(_ site: any CacheSite, _ budget: CacheBudget = .unlimited) throws {
        self.site = site
        cache = budget == .unlimited ? try site.open() : try site.open(budget: budget)
    }

    /// Does one step.
    ///
    /// - Returns: what each call of it said: a value, a miss with its reason, what changed; empty if there is nothing
    ///   to say.
    func perform(_ step: Step) throws -> [String] {
        switch step {
        case .set(let plan):
            if let model = plan.kind.type.init(plan) {
                cache.setModel(model, forKey: plan.identifier, context: nil)
            }
        case .fail(let step):
            // What is still queued would share the failure.
            try cache.flush()
            site.interceptor.failWrites(with: CacheError(.full, "Full on purpose."))
            defer { site.interceptor.failWrites(with: nil) }
            do {
                return ["not failed: " + (try perform(step).joined(separator: " | "))]
            } catch let error as CacheError {
                return ["\(error.code)"]
            }
        case .setList(let key, let kind, let plans):
            cache.setCollection(plans.compactMap { kind.type.init($0) }, forKey: "list\(key)", context: nil)
        case .setDelete(let kind, let number):
            cache.deleteModel(
                Person(id: Plan.identifier(kind, number)), forKey: Plan.identifier(kind, number), context: nil)
        case .evict(let kind, let number):
            try cache.evict(ModelIdentifier(Plan.identifier(kind, number)))
        case .wipe: try cache.wipe()
        case .flush: try cache.flush()
        case .reopen:
            cache.close()
            cache = try site.open()
        case .transaction(let steps, let isThrown):
            return try answers { answers in
                try cache.transact { transaction in
                    answers = []
                    for step in steps { answers.append(try step.perform(on: transaction)) }
                    if isThrown { throw Stop() }
                }
            }
        case .view(let steps):
            return try answers { answers in
                try cache.view { view in
                    for step in steps { answers.append(try step.ask(view)) }
                }
            }
        default: return try answers { $0.append(try step.perform(on: SingleCalls(cache))) }
        }
        return [""]
    }

    /// What a transaction throws that is to be given up.
    private struct Stop: Error {}

    /// What `body` said, and at the end that a collection has no such position where that ended it.
    private func answers(_ body: (inout [String]) throws -> Void) throws -> [String] {
        var answers: [String] = []
        do {
            try body(&answers)
        } catch is Stop {
            return answers
        } catch let error as CacheError where error.code == .outOfRange {
            answers.append("\(error.code)")
        }
        return answers
    }

    /// Every answer that the cache can be asked for; see ``ProgramModel/dump``.
    ///
    /// - Parameter kinds: the kinds of the collections' elements, which a cache does not say.
    func dump(kinds: (Int) -> Plan.Kind?) throws -> [String] {
        try Step.questions(kinds).map { step in
            "\(step): \(ProgramRun.plain(try perform(step).joined()))"
        }
    }

    /// An answer without the reason of a miss.
    static func plain(_ answer: String) -> String { answer.hasPrefix("miss ") ? "miss" : answer }

    /// Everything of a kind, as an answer.
    static func text(_ models: [String]) -> String { models.isEmpty ? "none" : models.joined(separator: " & ") }

    /// The models of such an answer.
    static func texts(_ answer: String) -> [String] {
        answer == "none" ? [] : answer.split(separator: " & ").map(String.init)
    }
}

extension Step {
    /// Asks `view`.
    fileprivate func ask(_ view: any ConformanceView) throws -> String {
        switch self {
        case .get(let kind, let number): try kind.type.get(number, kind, from: view)
        case .getList(let key, let kind): try kind.type.getList(key, nil, from: view)
        case .page(let key, let kind, let range): try kind.type.getList(key, range, from: view)
        case .count(let key): try view.count(ofCollection: "list\(key)").map { "\($0)" } ?? "miss"
        case .all(let kind): try kind.type.all(in: view)
        default: throw CheckFailure("No call of a view or a transaction: \(self).")
        }
    }

    /// Makes one call on `target`.
    fileprivate func perform(on target: any ConformanceTransaction) throws -> String {
        switch self {
        case .put(let plan): try plan.kind.type.write(plan, to: target)
        case .list(let key, let kind, let plans): try kind.type.write(plans, under: key, to: target)
        case .fill(let key, let count): try Person.write(Plan.people(count), under: key, to: target)
        case .edit(let key, let kind, let edit): try kind.type.edit(key, edit, in: target)
        case .delete(let kind, let number): try target.delete(ModelIdentifier(Plan.identifier(kind, number))).text
        case .unlist(let kind, let number):
            try target.delete(ModelIdentifier(Plan.identifier(kind, number)), removingFrom: .collections).text
        case .deleteAll(let kind): try kind.type.deleteAll(in: target)
        default: try ask(target)
        }
    }
}

extension PlannedModel {
    fileprivate static func write(_ plan: Plan, to target: any ConformanceTransaction) throws -> String {
        guard let model = Self(plan) else { throw CheckFailure("The script's \(plan) is no \(Self.self).") }
        return try target.write(contentsOf: [model]).text
    }

    fileprivate static func write(
        _ plans: [Plan], under key: Int, to target: any ConformanceTransaction
    ) throws -> String {
        try target.writeCollection(plans.compactMap { Self($0) }, forKey: "list\(key)").text
    }

    fileprivate static func edit(
        _ key: Int, _ edit: CollectionEdit<Plan>, in target: any ConformanceTransaction
    ) throws -> String {
        try target.edit("list\(key)", edit.map { Self($0) }).text
    }

    fileprivate static func deleteAll(in target: any ConformanceTransaction) throws -> String {
        try target.delete(allOf: Self.self).text
    }

    fileprivate static func all(in view: any ConformanceView) throws -> String {
        ProgramRun.text(try view.models(Self.self).map(\.answer))
    }

    fileprivate static func get(_ number: Int, _ kind: Plan.Kind, from view: any ConformanceView) throws -> String {
        try answer(try view.read(ModelIdentifier(Plan.identifier(kind, number)), as: Self.self)) { $0.answer }
    }

    fileprivate static func getList(_ key: Int, _ range: Range<Int>?, from view: any ConformanceView) throws -> String {
        func text(_ read: ReadElements<Self>) -> String {
            "[\(read.values.map(\.answer).joined(separator: ";"))]"
        }
        guard let range else { return try answer(try view.readCollection("list\(key)", as: Self.self), text) }
        return try answer(try view.readCollection("list\(key)", as: Self.self, in: range), text)
    }

    private static func answer<Value>(
        _ read: @autoclosure () throws -> CacheRead<Value>, _ text: (Value) -> String
    ) throws -> String {
        do {
            switch try read() {
            case .hit(let value): return text(value)
            case .miss(let miss): return "miss \(miss)"
            }
        } catch let error as CacheError where error.code == .cycle {
            return "cycle"
        }
    }
}

extension WrittenChanges {
    /// The change set in an order that does not depend on hashing.
    fileprivate var text: String {
        let changed = changed.map(\.rawValue).sorted().joined(separator: " ")
        let deleted = deleted.map(\.rawValue).sorted().joined(separator: " ")
        let lists = collections.map(\.rawValue).sorted().joined(separator: " ")
        return "changed {\(changed)} deleted {\(deleted)} collections {\(lists)}"
    }
}

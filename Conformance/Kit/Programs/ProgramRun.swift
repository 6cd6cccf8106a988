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
    /// - Returns: what it said: a value, a miss with its reason, what changed; empty where there is nothing to say.
    func perform(_ step: Step) throws -> String {
        switch step {
        case .put(let plan): return try plan.kind.type.write(plan, to: cache)
        case .set(let plan):
            if let model = plan.kind.type.init(plan) {
                cache.setModel(model, forKey: plan.identifier, context: nil)
            }
            return ""
        case .fail(let plan):
            // What is still queued would share the failure.
            try cache.flush()
            site.interceptor.failWrites(with: CacheError(.full, "Full on purpose."))
            defer { site.interceptor.failWrites(with: nil) }
            do {
                return "not failed: " + (try plan.kind.type.write(plan, to: cache))
            } catch let error as CacheError {
                return "\(error.code)"
            }
        case .list(let key, let kind, let plans): return try kind.type.write(plans, under: key, to: cache)
        case .setList(let key, let kind, let plans):
            cache.setCollection(plans.compactMap { kind.type.init($0) }, forKey: "list\(key)", context: nil)
            return ""
        case .delete(let kind, let number):
            return "\(try cache.delete(ModelIdentifier(Plan.identifier(kind, number))).text)"
        case .setDelete(let kind, let number):
            cache.deleteModel(
                Person(id: Plan.identifier(kind, number)), forKey: Plan.identifier(kind, number), context: nil)
            return ""
        case .evict(let kind, let number):
            try cache.evict(ModelIdentifier(Plan.identifier(kind, number)))
            return ""
        case .wipe:
            try cache.wipe()
            return ""
        case .flush:
            try cache.flush()
            return ""
        case .reopen:
            cache.close()
            cache = try site.open()
            return ""
        case .get(let kind, let number): return try kind.type.get(number, kind, from: cache)
        case .getList(let key, let kind): return try kind.type.getList(key, from: cache)
        }
    }

    /// Every answer that the cache can be asked for; see ``ProgramModel/dump``.
    ///
    /// - Parameter kinds: the kinds of the collections' elements, which a cache does not say.
    func dump(kinds: (Int) -> Plan.Kind?) throws -> [String] {
        var lines: [String] = []
        for kind in Plan.Kind.allCases {
            for number in 0..<4 {
                lines.append("\(kind)\(number): \(ProgramRun.plain(try kind.type.get(number, kind, from: cache)))")
            }
        }
        for key in 0..<2 {
            if let kind = kinds(key) {
                lines.append("list\(key): \(ProgramRun.plain(try kind.type.getList(key, from: cache)))")
            }
        }
        return lines
    }

    /// An answer without the reason of a miss.
    static func plain(_ answer: String) -> String { answer.hasPrefix("miss ") ? "miss" : answer }
}

extension PlannedModel {
    fileprivate static func write(_ plan: Plan, to cache: any ConformanceCache) throws -> String {
        guard let model = Self(plan) else { throw CheckFailure("The script's \(plan) is no \(Self.self).") }
        return try cache.write(model).text
    }

    fileprivate static func write(_ plans: [Plan], under key: Int, to cache: any ConformanceCache) throws -> String {
        try cache.writeCollection(plans.compactMap { Self($0) }, forKey: "list\(key)").text
    }

    fileprivate static func get(_ number: Int, _ kind: Plan.Kind, from cache: any ConformanceCache) throws -> String {
        do {
            switch try cache.read(ModelIdentifier(Plan.identifier(kind, number)), as: Self.self) {
            case .hit(let value): return value.answer
            case .miss(let miss): return "miss \(miss)"
            }
        } catch {
            // Two clauses with a typed error are more than the compiler of Swift 6.3 can take.
            guard error.code == .cycle else { throw error }
            return "cycle"
        }
    }

    fileprivate static func getList(_ key: Int, from cache: any ConformanceCache) throws -> String {
        do {
            switch try cache.readCollection("list\(key)", as: Self.self) {
            case .hit(let read): return "[\(read.values.map(\.answer).joined(separator: ";"))]"
            case .miss(let miss): return "miss \(miss)"
            }
        } catch {
            // Two clauses with a typed error are more than the compiler of Swift 6.3 can take.
            guard error.code == .cycle else { throw error }
            return "cycle"
        }
    }
}

extension WrittenChanges {
    /// The change set in an order that does not depend on hashing.
    fileprivate var text: String {
        let changed = changed.map(\.rawValue).sorted().joined(separator: " ")
        let deleted = deleted.map(\.rawValue).sorted().joined(separator: " ")
        return "changed {\(changed)} deleted {\(deleted)}"
    }
}

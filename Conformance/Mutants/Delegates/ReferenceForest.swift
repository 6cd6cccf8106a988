import GroveModel

/// What a ``ReferenceDelegate`` holds: each identified model once for each of its projections, and when it was written
/// and deleted.
struct ReferenceForest: Sendable {
    /// Something that a tree needs was never stored, or was forgotten.
    struct Missing: Error {}

    private struct Node {
        var recordName = ""
        /// The newest value of each projection; its children are those it was written with; a read looks each of them
        /// up.
        var values: [String: any SimpleModel] = [:]
        /// When each projection was written last, and which children it held then.
        var held: [String: (written: Int, children: Set<ModelIdentifier>)] = [:]
        var deleted = 0
        /// When it may have been deleted for the last time, as far as anybody remembers.
        var maybeDeleted = 0
        var isThere = false

        /// When any projection that holds `child` was last written.
        func written(_ child: ModelIdentifier) -> Int {
            held.values.reduce(0) { $1.children.contains(child) ? max($0, $1.written) : $0 }
        }
    }

    private struct List {
        var elements: [(identifier: ModelIdentifier?, value: any SimpleModel)]
        var written: Int
    }

    private var nodes: [ModelIdentifier: Node] = [:]
    private var aliases: [ModelIdentifier: (identifier: ModelIdentifier, projection: String)] = [:]
    private var lists: [ModelIdentifier: List] = [:]
    private var time = 0
    /// The last deletion that was forgotten.
    private var forgotten = 0

    // MARK: Writing

    mutating func set(_ model: any SimpleModel, forKey key: String) throws(CacheError) {
        try ReferenceForest.check(key)
        guard let identifier = model.modelIdentifier else {
            throw CacheError(.unidentified, "A model without an identifier cannot be kept by itself.")
        }
        try ReferenceForest.check(identifier.rawValue)
        time += 1
        plant(model)
        aliases[ModelIdentifier(key)] =
            identifier == ModelIdentifier(key) ? nil : (identifier, ReferenceForest.projection(of: model))
    }

    mutating func set(_ models: [any SimpleModel], forKey key: String) throws(CacheError) {
        try ReferenceForest.check(key)
        time += 1
        for model in models { plant(model) }
        lists[ModelIdentifier(key)] = List(elements: models.map { ($0.modelIdentifier, $0) }, written: time)
    }

    private static func check(_ key: String) throws(CacheError) {
        if key.isEmpty { throw CacheError(.emptyIdentifier, "A key of no bytes names nothing.") }
    }

    /// Keeps `model` and everything identified below it; if one identifier comes twice, the later one wins.
    private mutating func plant(_ model: any SimpleModel) {
        if let identifier = model.modelIdentifier { keep(model, identifier) }
        guard let tree = model as? any Model else { return }
        var children: [any Model] = []
        tree.forEach { children.append($0) }
        for child in children { plant(child) }
    }

    private mutating func keep(_ model: any SimpleModel, _ identifier: ModelIdentifier) {
        var node = nodes[identifier] ?? Node(maybeDeleted: forgotten)
        let recordName = type(of: model).recordName
        if node.recordName != recordName || !node.isThere { (node.values, node.held) = ([:], [:]) }
        node.recordName = recordName
        // What other projections share with this one shows in them.
        if let model = model as? any Model {
            for (name, value) in node.values {
                if let value = value as? any Model { node.values[name] = value.merge(model) }
            }
        }
        node.values[ReferenceForest.projection(of: model)] = model
        var children: Set<ModelIdentifier> = []
        if let tree = model as? any Model { ReferenceForest.collect(tree, into: &children) }
        node.held[ReferenceForest.projection(of: model)] = (time, children)
        node.isThere = true
        nodes[identifier] = node
    }

    /// The identified models that stand in the record of `tree`'s root.
    private static func collect(_ tree: any Model, into children: inout Set<ModelIdentifier>) {
        var below: [any Model] = []
        tree.forEach { below.append($0) }
        for child in below {
            if let identifier = child.modelIdentifier {
                children.insert(identifier)
            } else {
                collect(child, into: &children)
            }
        }
    }

    private static func projection(of model: any SimpleModel) -> String {
        (model as? any Model)?.projectionIdentifier ?? type(of: model).projectionName
    }

    mutating func delete(_ identifier: ModelIdentifier?, forKey key: String?) throws(CacheError) {
        guard let identifier else { throw CacheError(.unidentified, "A model without an identifier is not kept.") }
        try ReferenceForest.check(identifier.rawValue)
        time += 1
        var node = nodes[identifier] ?? Node()
        (node.isThere, node.deleted, node.values, node.held) = (false, time, [:], [:])
        nodes[identifier] = node
        if let key { aliases[ModelIdentifier(key)] = nil }
    }

    mutating func evict(_ identifier: ModelIdentifier) {
        guard let node = nodes.removeValue(forKey: identifier) else { return }
        forgotten = max(forgotten, node.deleted)
    }

    // MARK: Reading

    func model<T: SimpleModel>(forKey key: String, as type: T.Type) throws -> T? {
        try ReferenceForest.check(key)
        let alias = aliases[ModelIdentifier(key)]
        var walk = ReferenceWalk()
        let found = try look(
            up: alias?.identifier ?? ModelIdentifier(key), alias?.projection ?? T.projectionName, since: nil, &walk)
        try walk.end()
        return found as? T
    }

    func collection<T: SimpleModel>(forKey key: String, as type: T.Type) throws -> [T]? {
        try ReferenceForest.check(key)
        guard let list = lists[ModelIdentifier(key)] else { return nil }
        var walk = ReferenceWalk()
        var found: [T] = []
        for element in list.elements {
            let value =
                try element.identifier.map {
                    try look(up: $0, ReferenceForest.projection(of: element.value), since: list.written, &walk)
                } ?? element.value
            guard let value else { continue }
            guard let value = value as? T else { throw Missing() }
            found.append(value)
        }
        try walk.end()
        return found
    }

    /// The newest tree of `identifier`; `nil` if it was deleted, after `holder` at the earliest.
    private func look(
        up identifier: ModelIdentifier, _ projection: String, since holder: Int?, _ walk: inout ReferenceWalk
    ) throws -> (any SimpleModel)? {
        guard let node = nodes[identifier] else { throw Missing() }
        if let holder, node.deleted > holder { return nil }
        if let holder, node.maybeDeleted > holder { throw Missing() }
        guard node.isThere else { return nil }
        guard let value = node.values[projection] else { throw Missing() }
        guard let tree = value as? any Model else { return value }
        let place = ReferenceWalk.Place(identifier: identifier, projection: projection)
        if let known = walk.known[place] { return known }
        guard walk.path.insert(place).inserted else {
            walk.hasCycle = true
            return value
        }
        defer { walk.path.remove(place) }
        let whole = renewed(tree, node, &walk)
        if whole != nil || !walk.hasCycle { walk.known[place] = .some(whole) }
        return whole
    }

    /// `tree` with its children as they are now.
    private func renewed(_ tree: any Model, _ node: Node, _ walk: inout ReferenceWalk) -> (any Model)? {
        tree.map { child in
            guard let identifier = child.modelIdentifier else { return renewed(child, node, &walk) }
            do {
                let holder = node.written(identifier)
                let found = try look(up: identifier, ReferenceForest.projection(of: child), since: holder, &walk)
                return found as? any Model
            } catch {
                // The walk goes on, and says so at its end: a child that is missing is not one that was deleted.
                walk.isMissing = true
                return child
            }
        }
    }
}

/// One reading of a tree.
struct ReferenceWalk {
    struct Place: Hashable {
        let identifier: ModelIdentifier
        let projection: String
    }

    /// What was put together already, so that a diamond costs what its nodes cost.
    var known: [Place: (any Model)?] = [:]
    var path: Set<Place> = []
    var isMissing = false
    var hasCycle = false

    /// Throws where something was missing, or where the tree holds itself.
    func end() throws {
        if isMissing { throw ReferenceForest.Missing() }
        if hasCycle { throw CacheError(.cycle, "The tree holds itself.") }
    }
}

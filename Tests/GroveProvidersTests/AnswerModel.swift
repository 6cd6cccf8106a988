import Grove

/// What the rule allows of each node.
struct AnswerModel {
    private struct Node {
        /// The last edit, and the last deletion.
        var edited = 0
        var deleted = 0
        /// When the last answer was asked for.
        var answered = 0
        /// The edits that may have been lost.
        var uncertain: Set<Int> = []
    }

    /// An element that one edit has put into the list.
    struct Row {
        let added: Int
        var removed: Int?
        /// Whether an edit that the cache has refused may have lost it, or brought it back.
        var isUncertain = false
    }

    private var nodes: [String: Node] = [:]
    private(set) var rows: [String: Row] = [:]
    /// When the last whole list was set, or asked for.
    private var lastWhole = 0
    private(set) var lastWipe = 0
    /// The last wipe, or when the files were replaced.
    private(set) var lastLife = 0

    mutating func edit(_ message: Message, _ step: Int) {
        nodes["Message:\(message.id)", default: Node()].edited = step
        edit(message.sender, step)
    }

    mutating func edit(_ person: Person, _ step: Int) { nodes["Person:\(person.id)", default: Node()].edited = step }

    mutating func mayEdit(_ name: String, _ step: Int) { nodes[name, default: Node()].uncertain.insert(step) }

    mutating func delete(_ id: String, _ step: Int) { nodes["Person:\(id)", default: Node()].deleted = step }

    mutating func answer(_ message: Message, _ asked: Int) {
        note("Message:\(message.id)", asked)
        answer(message.sender, asked)
    }

    mutating func answer(_ person: Person, _ asked: Int) { note("Person:\(person.id)", asked) }

    private mutating func note(_ name: String, _ asked: Int) {
        guard asked > lastWipe, asked >= nodes[name]?.answered ?? 0 else { return }
        nodes[name, default: Node()].answered = asked
    }

    /// The files are others now: what is shown stays, and nothing is known of the cache.
    mutating func replaceFiles(_ step: Int) {
        (nodes, lastLife) = ([:], step)
        refuseList()
    }

    mutating func wipe(_ step: Int) {
        (lastWipe, lastLife) = (step, step)
        (nodes, rows) = ([:], rows.filter { $0.value.added > step })
    }

    // MARK: The list

    mutating func add(row id: String, _ step: Int) { rows[id] = Row(added: step) }

    mutating func remove(row id: String, _ step: Int) { rows[id]?.removed = step }

    /// A later answer may bring it back.
    mutating func mayComeBack(row id: String) { rows[id]?.isUncertain = true }

    /// A list as a whole, of an answer that was asked for at `step`, or of an edit.
    mutating func setList(_ step: Int) { if step > lastWipe { lastWhole = max(lastWhole, step) } }

    /// The cache has refused an edit of the list: a manager stores the list again that it shows.
    mutating func refuseList() { for id in rows.keys { rows[id]?.isUncertain = true } }

    /// What is wrong with a row that is stored `count` times; `nil` if nothing.
    func wrong(row id: String, count: Int) -> String? {
        guard let row = rows[id] else { return count > 0 ? "\(id) is of before a wipe" : nil }
        guard count < 2 else { return "\(id) is there \(count) times" }
        guard !row.isUncertain else { return nil }
        if let removed = row.removed { return count > 0 ? "\(id) was removed at \(removed)" : nil }
        return count == 0 && row.added > lastWhole ? "\(id) was put in, and is not there" : nil
    }

    /// Whether the version is of an edit of the cache that is there now.
    func isEdit(_ version: String) -> Bool { Int(version).map { $0 > lastLife } ?? false }

    /// Whether the shown version of the node must be stored once all is at rest.
    ///
    /// It need not be if the cache has refused an answer with the node, or a later edit: a refused edit removes the
    /// version before it too.
    func mustBeSaved(_ name: String, _ version: String) -> Bool {
        let step = AnswerModel.step(of: version)
        return nodes[name]?.uncertain.allSatisfy { 0 < $0 && $0 <= step } ?? true
    }

    /// The step of an edit, or of a request.
    static func step(of version: String) -> Int {
        Int(version.hasPrefix("a") ? version.dropFirst() : version[...]) ?? 0
    }

    /// Whether no edit of the node was refused.
    func isCertain(_ name: String) -> Bool { nodes[name]?.uncertain.isEmpty ?? true }

    /// Whether the node was edited since the last wipe, and no answer has brought it.
    func isUnconfirmed(_ name: String) -> Bool {
        guard let node = nodes[name] else { return false }
        return node.edited > 0 && node.answered == 0 && node.uncertain.isEmpty
    }

    /// Whether the last that happened to the node is an edit of which everybody has learned.
    func mustBeThere(_ name: String) -> Bool {
        guard let node = nodes[name] else { return false }
        return node.edited > node.deleted && node.edited > node.answered && node.uncertain.isEmpty
    }

    /// What is wrong with a version that is shown or stored; `nil` if nothing.
    func wrong(_ version: String, _ name: String, isWhole: Bool) -> String? {
        let isAnswer = version.hasPrefix("a")
        guard let step = Int(isAnswer ? version.dropFirst() : version[...]) else { return "\(name) is \(version)" }
        guard step > lastWipe else { return "\(name) is \(version), of before the wipe at \(lastWipe)" }
        let node = nodes[name] ?? Node()
        if step < node.deleted { return "\(name) is \(version), which was deleted at \(node.deleted)" }
        // If no provider holds a refused edit any more, the edit is lost, and so is the version that it replaced.
        if step < node.edited, node.uncertain.isEmpty, isWhole {
            return "\(name) is \(version), which undoes the edit of \(node.edited)"
        }
        return nil
    }
}

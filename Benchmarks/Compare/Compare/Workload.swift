/// What is measured.
package enum Workload: String, CaseIterable, Sendable {
    case readTree = "read-tree"
    case readSkewed = "read-skewed"
    case readThreads = "read-threads"
    case readDeep = "read-deep"
    case readNode = "read-node"
    case readCollection = "read-collection"
    case page
    case stream
    case modelForKey = "model-for-key"
    case rewriteUnchanged = "rewrite-unchanged"
    case writeBatch = "write-batch"
    case writeOne = "write-one"
    case writeDurable = "write-durable"
    case setModel = "set-model"
    case backlog
    case burst
    case delete
    case append
    case transaction
    case readerStall = "reader-stall"
    case memory

    /// What one operation is.
    package var unit: String {
        switch self {
        case .readTree, .readSkewed, .readThreads, .readDeep, .stream, .modelForKey, .backlog, .memory: "trees"
        case .readNode: "nodes"
        case .readCollection, .page, .append: "elements"
        case .rewriteUnchanged, .writeBatch: "nodes"
        case .writeOne, .writeDurable, .setModel, .burst: "trees"
        case .delete: "nodes"
        case .transaction: "calls"
        case .readerStall: "nodes"
        }
    }

    /// What is done, and what the floor does.
    package var summary: String {
        switch self {
        case .readTree: "a tree of random identifier; floor: a view with the tree's gets"
        case .readSkewed: "the same, four of five reads of a fifth of the trees"
        case .readThreads: "the same by a thread for each core; floor: by one thread, through Grove"
        case .readDeep: "a thread 64 replies deep; floor: 64 nodes side by side"
        case .readNode: "a node without children; floor: a view with one get"
        case .readCollection: "a collection of 100 trees; floor: a view with its gets"
        case .page: "pages of 50 of 10,000 trees (100,000 with --full); floor: single reads"
        case .append: "one tree more to 10,000 (100,000 with --full); floor: one more to 100"
        case .stream: "all trees by their type in a view; floor: the driver's scan of all nodes"
        case .modelForKey: "a tree through modelForKey; floor: the direct call"
        case .setModel: "changed trees through setModel, and a flush; floor: a direct call"
        case .backlog: "trees while 10,000 writes are queued; floor: the same beside an empty queue"
        case .burst: "setModel 10,000 times at once, the calls alone; floor: the same into memory"
        case .rewriteUnchanged: "500 trees that are stored already; floor: gets of their nodes"
        case .writeBatch: "500 trees to a commit, every node changed since the last; floor: the same puts"
        case .writeOne: "one tree, every node changed, to a commit; floor: the same puts"
        case .writeDurable: "one tree to a commit that survives loss of power when the call returns"
        case .delete: "one node to a commit; floor: a put of the tombstone's bytes"
        case .transaction: "500 mixed calls in a transaction; floor: the same, a commit for each"
        case .memory: "20,000 trees (a million with --full), and how far the heap grew meanwhile"
        case .readerStall: "single nodes while another thread commits 10,000 nodes again and again"
        }
    }

    /// Whether how the models are coded shows: a commit of one operation costs what the engine's commit costs.
    var dependsOnCoding: Bool {
        switch self {
        case .readTree, .readNode, .readCollection, .page, .stream, .modelForKey, .setModel, .rewriteUnchanged,
            .writeBatch:
            true
        case .readSkewed, .readThreads, .readDeep, .writeDurable, .backlog, .burst, .writeOne, .delete, .append,
            .transaction,
            .readerStall,
            .memory:
            false
        }
    }

    /// Whether `glob` matches the name.
    func matches(_ glob: String) -> Bool { Workload.matches(rawValue, glob) }

    /// Whether `glob`, in which `*` is any text and `?` any character, matches `name`.
    package static func matches(_ name: String, _ glob: String) -> Bool { match(Array(glob)[...], Array(name)[...]) }

    private static func match(_ glob: ArraySlice<Character>, _ name: ArraySlice<Character>) -> Bool {
        guard let first = glob.first else { return name.isEmpty }
        if first == "*" {
            return match(glob.dropFirst(), name) || (!name.isEmpty && match(glob, name.dropFirst()))
        }
        guard let character = name.first, first == "?" || first == character else { return false }
        return match(glob.dropFirst(), name.dropFirst())
    }
}

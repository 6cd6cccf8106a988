import GroveCache

/// A property that a backend must have, as `--needs` takes it.
package enum Requirement: String, CaseIterable, Sendable {
    case ios
    case macos
    case linux
    case disk
    case kill
    case power
    case processes
    case budget

    /// What it asks for.
    package var summary: String {
        switch self {
        case .ios: "runs on iOS and Apple's other systems"
        case .macos: "runs on macOS"
        case .linux: "runs on Linux"
        case .disk: "is there after the process has ended"
        case .kill: "what was committed is there after a kill"
        case .power: "each commit is there after a loss of power"
        case .processes: "several processes use one cache at once"
        case .budget: "keeps to a number of bytes on disk, half of them or more records"
        }
    }

    /// Those of that text, which commas part.
    package static func named(_ names: [String]) throws(ToolError) -> [Requirement] {
        var all: [Requirement] = []
        for name in names.flatMap({ $0.split(separator: ",") }) {
            guard let one = Requirement(rawValue: String(name)) else {
                throw .input("--needs does not know \(name); take \(Ranking.list(allCases.map(\.rawValue)))")
            }
            if !all.contains(one) { all.append(one) }
        }
        return all
    }

    /// Whether `backend` meets it.
    package func isMet(by backend: BackendName) -> Bool {
        let profile = backend.profile
        return switch self {
        case .ios: backend == .memory || backend == .sqlite
        case .macos, .linux: true
        case .disk: profile.isPersistent
        case .kill: backend.promise != .none
        case .power: backend.promise == .power
        case .processes: profile.isMultiProcess
        case .budget: profile.isEvicting && profile.livePayloadShare >= 0.5
        }
    }
}

/// What is left of a commit that has returned.
enum Promise: String, Sendable, CaseIterable {
    case none
    case kill
    case power

    /// As a column says it.
    var words: String {
        switch self {
        case .none: "nothing"
        case .kill: "a kill"
        case .power: "loss of power"
        }
    }
}

extension BackendName {
    /// What a commit survives, at the durability that is measured.
    ///
    /// LMDB and LevelDB sync at each commit, as they must to stay whole after a loss of power. SQLite stays whole
    /// without.
    var promise: Promise {
        switch self {
        case .other(let backend): backend.profile.isPersistent && backend.profile.survivesCrash ? .kill : .none
        case .memory: .none
        case .sqlite: .kill
        case .lmdb, .leveldb: .power
        }
    }

    /// Where the backend can be used, and what it promises, in a line.
    var facts: String {
        let place: String? =
            switch self {
            case .other: nil
            case .memory: "all platforms"
            case .lmdb, .leveldb: "Linux and macOS"
            case .sqlite: "Linux and all of Apple's systems"
            }
        let processes = profile.isMultiProcess ? "several processes" : "one process"
        let share =
            profile.isEvicting
            ? "\((profile.livePayloadShare * 100).fixed(0)) % of a budget holds records" : "no budget"
        let end =
            switch promise {
            case .none: isPersistent ? "a commit may not survive a kill" : "nothing outlives the process"
            case .kill, .power: "a commit survives \(promise.words)"
            }
        return "\(rawValue): \([place, processes, share, end].compactMap(\.self).joined(separator: "; "))."
    }
}

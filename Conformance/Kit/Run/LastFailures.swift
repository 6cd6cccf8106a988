#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Which rules were broken when a backend was checked last: what `--failed` runs again.
///
/// They are kept in the user's folder of caches, a file for each executable and backend.
struct LastFailures {
    private let folder: String
    private let path: String

    /// Those of `backend` as `executable` checks it, kept in `folder`, by default the user's folder of caches.
    init(of backend: String, executable: String, in folder: String? = nil) {
        let variables = ProcessInfo.processInfo.environment
        let own = variables["XDG_CACHE_HOME"] ?? variables["HOME"].map { $0 + "/.cache" }
        self.folder = folder ?? (own ?? FileManager.default.temporaryDirectory.path) + "/grove-conformance"
        // FNV-1a (Fowler, Noll and Vo): a name for the pair that holds what file names may hold.
        let hash = (executable + "\0" + backend).utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) {
            ($0 ^ UInt64($1)) &* 0x100_0000_01B3
        }
        path = self.folder + "/" + String(hash, radix: 16) + ".failed"
    }

    /// The identifiers of the rules; none if nothing was checked, or nothing was broken.
    var rules: Set<String> {
        guard let bytes = FileManager.default.contents(atPath: path) else { return [] }
        return Set(String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init))
    }

    /// Remembers what `results` say; a rule that was not checked stays what it was.
    func update(_ results: [RuleResult]) {
        var rules = rules
        for result in results where result.outcome != .skipped {
            if result.isBroken { rules.insert(result.rule.id) } else { rules.remove(result.rule.id) }
        }
        guard !rules.isEmpty else {
            try? FileManager.default.removeItem(atPath: path)
            return
        }
        try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        // A folder that cannot be written costs `--failed`, and nothing else.
        _ = FileManager.default.createFile(atPath: path, contents: Data(rules.sorted().joined(separator: "\n").utf8))
    }
}
